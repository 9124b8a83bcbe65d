import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { ResponseParser } from './response-parser.ts';

/**
 * What any connection reads; it is taken in before the next one reads. With a buffer for each, the generator would collect garbage for
 * tens of milliseconds whenever connections are opened.
 */
const RECEIVED = Buffer.allocUnsafe(65_536);

/** One keep-alive connection with at most one request on its way. */
export class LoadConnection {
  /** When the present request was due, in milliseconds of performance.now(); 0 when there is none. */
  dueAt = 0;
  private constructor(private readonly socket: Socket) {}

  /**
   * Opens a connection.
   * @param onAnswer called with each answer's status; the connection is free again.
   * @param onLost called once when the server ends the connection.
   * @throws when the server cannot be reached.
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
      // None of the stream machinery: half the cost of 'data' events.
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
    socket.on('error', () => {}); // 'close' follows, and says it all.
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
