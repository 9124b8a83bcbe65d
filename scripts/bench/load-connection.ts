import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
const LENGTH = /\r\ncontent-length: *(\d+)/i;
/**
 * Receive buffer of all connections. Each read is parsed before the next read, so one buffer is enough. A buffer for each connection would make the
 * garbage collector run for tens of milliseconds when connections open.
 */
const RECEIVED = Buffer.allocUnsafe(65_536);

/**
 * Finds the HTTP/1.1 responses in bytes of a connection. It reads only the status and Content-Length, because the load generator
 * shares its core with Redis and must be cheap.
 * @returns the number of bytes of all complete responses.
 * @throws if a response has no Content-Length.
 */
function readResponses(data: Buffer, onResponse: (status: number) => void): number {
  for (let at = 0; ; ) {
    const headEnd = data.indexOf(HEAD_END, at);
    if (headEnd < 0) return at;
    const head = data.toString('latin1', at, headEnd);
    const status = Number(head.slice(9, 12));
    const length = status === 304 ? '0' : LENGTH.exec(head)?.[1];
    if (length === undefined) throw new Error(`A response without Content-Length: ${head.split('\r\n', 1)[0]}`);
    const end = headEnd + HEAD_END.length + Number(length);
    if (end > data.length) return at;
    at = end;
    onResponse(status);
  }
}

/** One keep-alive connection with at most one request in flight. */
export class LoadConnection {
  /** Time of the present request, in milliseconds of performance.now(). */
  sentAt = 0;
  /** Whether a request waits for its response. */
  isBusy = false;
  private received: Buffer = Buffer.alloc(0);
  private readonly socket: Socket;

  /**
   * @param onAnswer called with the status of each answer, when the connection is free again.
   * @param onLost called once if the server ends the connection.
   */
  constructor(
    port: number,
    private readonly onAnswer: (connection: LoadConnection, status: number) => void,
    onLost: (connection: LoadConnection) => void,
  ) {
    // Reads without the stream machinery cost half as much as 'data' events.
    const onread = { buffer: RECEIVED, callback: (length: number) => this.read(RECEIVED.subarray(0, length)) };
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true, onread });
    this.socket.on('error', () => {}); // 'close' follows each error.
    this.socket.once('close', () => onLost(this));
  }

  /** Waits until the connection is open. @throws if the server cannot be reached. */
  async open(): Promise<void> {
    await once(this.socket, 'connect');
  }

  /** Sends a request. @param sentAt time of the request, from which its latency counts. */
  send(request: Buffer, sentAt: number): void {
    this.sentAt = sentAt;
    this.isBusy = true;
    this.socket.write(request);
  }

  /** Closes the connection, and does not report the loss. */
  close(): void {
    this.socket.removeAllListeners('close');
    this.socket.destroy();
  }

  private read(chunk: Buffer): boolean {
    const data = this.received.length === 0 ? chunk : Buffer.concat([this.received, chunk]);
    const used = readResponses(data, (status) => {
      this.isBusy = false;
      this.onAnswer(this, status);
    });
    this.received = Buffer.from(data.subarray(used));
    return true;
  }
}
