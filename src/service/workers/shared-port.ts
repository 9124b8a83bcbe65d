import { createServer, type Socket } from 'node:net';
import type { Config } from '../../config/service.ts';
import { listenOn, urlOf } from '../http/server/listener.ts';
import { closeWhenNoneWaits } from '../http/server/port.ts';

/** A worker that takes connections, one at a time. */
export interface Taker {
  take(connection: Socket): void;
}

/**
 * The public port, which the first process listens on for its workers. It gives each connection to the worker that has been free for longest. So
 * a worker that does not respond gets at most one connection, and a stop has to close only one port.
 */
export class SharedPort {
  /** The free workers, in the order in which they became free. */
  private readonly free = new Set<Taker>();
  /** The connection of each worker that has not said yet that it took it. */
  private readonly given = new Map<Taker, Socket>();
  /** Connections that no worker was free for. */
  private readonly waiting = new Set<Socket>();
  private readonly server = createServer({ pauseOnConnect: true, noDelay: true }, (connection) =>
    this.give(connection),
  );
  private opened: Promise<string> | undefined;
  private onEmpty = () => {};

  constructor(private readonly config: Pick<Config, 'host' | 'port'>) {}

  /** Listens, once. @returns the address. @throws Error when the port is taken. */
  open(): Promise<string> {
    this.opened ??= listenOn(this.server, this.config.host, this.config.port, 'PORT').then(() => urlOf(this.server));
    return this.opened;
  }

  /** Notes that a worker can take a connection. */
  addFree(worker: Taker): void {
    const [first] = this.waiting;
    if (first) {
      this.stopWaiting(first);
      this.hand(worker, first);
    } else this.free.add(worker);
  }

  /** Notes that a worker has taken its connection and can take the next, unless it has left meanwhile. */
  taken(worker: Taker): void {
    if (this.letGo(worker)) this.addFree(worker);
  }

  /** Notes that a worker takes no further connection, or has ended. If the worker has ended before it took a connection, this ends the connection. */
  leave(worker: Taker): void {
    this.letGo(worker);
    this.free.delete(worker);
  }

  /** Settles when the port refuses connections, and the workers have all connections that came before. */
  async close(): Promise<void> {
    if (!this.server.listening) return;
    await closeWhenNoneWaits(this.server);
    if (this.waiting.size === 0) return;
    await new Promise<void>((resolve) => {
      this.onEmpty = resolve;
    });
  }

  private give(connection: Socket): void {
    const [worker] = this.free;
    if (worker) {
      this.free.delete(worker);
      this.hand(worker, connection);
      return;
    }
    this.waiting.add(connection);
    connection.on('error', () => {}).once('close', () => this.stopWaiting(connection));
  }

  private hand(worker: Taker, connection: Socket): void {
    this.given.set(worker, connection);
    worker.take(connection);
  }

  /** Closes the connection of a worker in this process; the worker keeps it. @returns whether there was a connection. */
  private letGo(worker: Taker): boolean {
    this.given.get(worker)?.destroy();
    return this.given.delete(worker);
  }

  private stopWaiting(connection: Socket): void {
    if (this.waiting.delete(connection) && this.waiting.size === 0) this.onEmpty();
  }
}
