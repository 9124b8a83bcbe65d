import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Requests of one connection that may wait behind the request that is being answered. */
export const MAX_PIPELINED = 500;
/** Requests that may wait in this way over all connections of a server. */
export const MAX_PIPELINED_IN_ALL = 4000;
/** How long a client may take to receive a response. */
export const STALL_MS = 15_000;
const CHECK_MS = 1000;

/** Why a connection was refused or cut: too many connections, too many waiting requests, a client that takes no response. */
export type CutReason = 'connections' | 'pipelined' | 'stalled';

/** The requests of one client connection. */
interface Connection {
  /** Requests without a complete response. */
  unanswered: number;
  /** The request that arrived last; undefined once a complete request is answered, so that an idle connection does not keep it in memory. */
  latest: IncomingMessage | undefined;
  /** Whether a response was taken since the last check. */
  progress: boolean;
  checksWithoutProgress: number;
  /** Bytes of responses that the client's system had taken at the last check. */
  taken: number;
  /** Called when all requests are answered; after that the connection takes no more requests. */
  afterResponses: (() => void) | undefined;
  isCut: boolean;
}

/**
 * Bounds the memory that clients take with requests whose responses they do not read. Node stops reading from such a client only after it has
 * parsed 64 KiB, which can contain more than a thousand requests.
 */
export class ConnectionLimits {
  private readonly connections = new Map<Duplex, Connection>();
  /** Requests that wait behind another request of their connection. */
  private pipelined = 0;
  /** The timer of the checks. It runs while there are connections. */
  private checks: NodeJS.Timeout | undefined;

  /**
   * @param maxConnections the most open connections. A further connection is closed at once; with `readsBodies`, a connection without a request
   * is closed in its place.
   * @param onCut called for each connection that is refused or cut.
   * @param readsBodies whether the application reads bodies or sends large responses. A client may then take long to send, wait or receive.
   */
  constructor(
    server: Server,
    private readonly maxConnections: number,
    private readonly onCut: (reason: CutReason) => void,
    private readonly readsBodies = false,
  ) {
    server.on('connection', (socket) => this.add(socket));
  }

  /** Open connections. */
  get open(): number {
    return this.connections.size;
  }

  /** Counts a request and calls its handler. If more requests wait than may, it cuts the connection instead. */
  serve(req: IncomingMessage, res: ServerResponse, handle: (req: IncomingMessage, res: ServerResponse) => void): void {
    const { socket } = req;
    const connection = this.connections.get(socket);
    if (!connection || connection.isCut || connection.afterResponses) return;
    connection.latest = req;
    if (++connection.unanswered === 1) {
      handle(req, res);
    } else if (++this.pipelined > MAX_PIPELINED_IN_ALL || connection.unanswered > MAX_PIPELINED + 1) {
      this.cut(socket, connection, 'pipelined');
    } else {
      // This waits until everything that was read is parsed, because it may contain so many requests that the connection is cut.
      process.nextTick(() => connection.isCut || handle(req, res));
    }
  }

  /** Counts a response that the client's system has taken. */
  end(socket: Duplex): void {
    const connection = this.connections.get(socket);
    if (!connection) return;
    connection.progress = true;
    if (connection.latest?.complete) connection.latest = undefined;
    if (connection.isCut) return;
    if (connection.unanswered-- > 1) this.pipelined--;
    // Node closes the connection first if the response says so.
    else if (connection.afterResponses) process.nextTick(connection.afterResponses);
  }

  /**
   * Ends a connection when all its requests are answered. It takes no more of them.
   * @param answer sends a last response and ends the connection. It is not called if the last request has a response and a wrong body.
   */
  endAfterResponses(socket: Duplex, answer: () => void): void {
    const connection = this.connections.get(socket);
    if (!connection || connection.afterResponses) return;
    const isAnswered = connection.latest?.complete === false;
    if (isAnswered && this.readsBodies) {
      socket.destroy();
      return;
    }
    connection.afterResponses = () => {
      if (!socket.writable) return;
      if (isAnswered) socket.end();
      else answer();
    };
    if (connection.unanswered === 0) connection.afterResponses();
  }

  private add(socket: Socket): void {
    // server.maxConnections would not do: with workers, Node offers a refused connection to one worker after the other, without end.
    if (this.connections.size >= this.maxConnections && !(this.readsBodies && this.cutIdle())) {
      socket.destroy();
      this.onCut('connections');
      return;
    }
    const connection: Connection = {
      unanswered: 0,
      latest: undefined,
      progress: false,
      checksWithoutProgress: 0,
      taken: 0,
      afterResponses: undefined,
      isCut: false,
    };
    this.connections.set(socket, connection);
    this.checks ??= setInterval(() => this.check(), CHECK_MS).unref();
    socket.once('close', () => {
      this.forget(connection);
      this.connections.delete(socket);
      if (this.connections.size > 0) return;
      clearInterval(this.checks);
      this.checks = undefined;
    });
  }

  /**
   * Cuts the oldest connection without a request. A public service stands behind a proxy, which keeps such connections. The dashboard may have
   * no proxy, and then idle connections of one person would keep everybody else out for a minute. @returns whether there was a connection to cut.
   */
  private cutIdle(): boolean {
    for (const [socket, connection] of this.connections) {
      if (connection.unanswered > 0) continue;
      this.cut(socket, connection, 'connections');
      this.connections.delete(socket);
      return true;
    }
    return false;
  }

  /** Takes a connection's requests out of the count. */
  private forget(connection: Connection): void {
    this.pipelined -= Math.max(0, connection.unanswered - 1);
    connection.unanswered = 0;
    connection.isCut = true;
  }

  private cut(socket: Duplex, connection: Connection, reason: CutReason): void {
    this.forget(connection);
    this.onCut(reason);
    ignoreFurther(socket);
    socket.destroy();
  }

  /** Cuts connections whose clients take no response, or do not close after the last response. */
  private check(): void {
    for (const [socket, connection] of this.connections) {
      const isWaiting = connection.unanswered > 0 && !(this.readsBodies && socket.writableLength === 0);
      const isBusy = isWaiting || socket.writableEnded;
      if (this.readsBodies) {
        // A response can be a file with the whole guild, which takes minutes on a slow line.
        const taken = (socket as Socket).bytesWritten - socket.writableLength;
        connection.progress ||= taken > connection.taken;
        connection.taken = taken;
      }
      connection.checksWithoutProgress = isBusy && !connection.progress ? connection.checksWithoutProgress + 1 : 0;
      connection.progress = false;
      if (connection.checksWithoutProgress * CHECK_MS < STALL_MS) continue;
      if (socket.writableEnded) socket.destroy();
      else this.cut(socket, connection, 'stalled');
    }
  }
}

/** Node's own field for the parser of a connection, which its types do not name. */
interface WithParser extends Duplex {
  readonly parser?: { onIncoming?: unknown } | null;
}

/**
 * Makes Node drop the further requests in the bytes that it has read, up to a thousand. Node would keep them until the connection has closed,
 * which comes only after it has read from all other connections.
 */
function ignoreFurther({ parser }: WithParser): void {
  if (parser) parser.onIncoming = () => 0;
}
