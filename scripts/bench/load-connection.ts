import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { ResponseParser } from './response-parser.ts';

/**
 * Receive buffer of all connections. Each read is parsed before the next one, so one buffer is enough. One for each connection
 * makes the garbage collector run for tens of milliseconds when connections open.
 */
const RECEIVED = Buffer.allocUnsafe(65_536);

/** One keep-alive connection with at most one request in flight. */
export class LoadConnection {
  /** Time when the present request fell due, in milliseconds of performance.now(); 0 if there was none yet. */
  dueAt = 0;
  private constructor(private readonly socket: Socket) {}

  /**
   * Opens a connection.
   * @param onAnswer called with the status of each answer, when the connection is free again.
   * @param onLost called once if the server ends the connection.
   * @throws if the server cannot be reached.
   */
  static async open(
    port: number,
    onAnswer: (connection: LoadConnection, status: number) => void,
    onLost: (connection: LoadConnection) => void,
  ): Promise<LoadConnection> {
    const parser = new ResponseParser((status) => onAnswer(connection, status));
    const socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      // Reads without the stream machinery cost half as much as 'data' events.
      onread: {
        buffer: RECEIVED,
        callback: (length, chunk) => {
          parser.push(chunk as Buffer, length);
          return true;
        },
      },
    });
    const connection = new LoadConnection(socket);
    await once(socket, 'connect');
    socket.on('error', () => {}); // 'close' follows each error and is handled below.
    socket.once('close', () => onLost(connection));
    return connection;
  }

  send(request: Buffer, dueAt: number): void {
    this.dueAt = dueAt;
    this.socket.write(request);
  }

  close(): void {
    this.socket.removeAllListeners('close');
    this.socket.destroy();
  }
}
