import { StoreUnavailableError } from '../errors.ts';

/**
 * Time limits of commands and connections. They count ticks, so time in which this process was kept from running is one tick at most, and
 * the replies that came meanwhile are read first. ioredis's own limits go by the clock, and fail such commands and connections.
 */

/** Settles as `work` does. @throws StoreUnavailableError when that takes longer than the limit. */
export type TimeLimit = <T>(work: Promise<T>) => Promise<T>;

interface Entry {
  /** The tick at which the time is up. */
  readonly dueAt: number;
  readonly reject: (error: StoreUnavailableError) => void;
}

/** Ticks in one limit. Work is ended between one limit and one limit and a tick after its start. */
const TICKS = 10;

/** Creates a limit for work of one kind. All of it falls due in the order of its start, so one timer serves it. */
export function timeLimit(limitMs: number): TimeLimit {
  const entries = new Set<Entry>();
  let tick = 0;
  let timer: NodeJS.Timeout | undefined;
  const advance = (): void => {
    if (entries.size === 0) {
      clearInterval(timer);
      timer = undefined;
      return;
    }
    tick++;
    for (const entry of entries) {
      if (entry.dueAt > tick) return;
      entries.delete(entry);
      entry.reject(new StoreUnavailableError(new Error(`no reply within ${limitMs} ms`), 'timeout'));
    }
  };
  return (work) =>
    new Promise((resolve, reject) => {
      // An open connection keeps the process alive while it waits; this timer must not.
      timer ??= setInterval(advance, limitMs / TICKS).unref();
      const entry: Entry = { dueAt: tick + TICKS + 1, reject };
      entries.add(entry);
      work.then(
        (value) => {
          entries.delete(entry);
          resolve(value);
        },
        (error) => {
          entries.delete(entry);
          reject(error);
        },
      );
    });
}

const CONNECTION_TICK_MS = 100;
const CONNECT_TICKS = 5;

/** The parts of ioredis's Redis that are watched. Not its type, because bots without ioredis load this module's types. */
interface WatchedClient {
  readonly stream: {
    readonly bytesWritten: number;
    readonly connecting: boolean;
    readonly destroyed: boolean;
    on(event: 'data', listener: () => void): unknown;
    destroy(error: Error): unknown;
  };
  on(event: 'connect', listener: () => void): unknown;
  once(event: 'end', listener: () => void): unknown;
}

/**
 * Closes the socket of a connection that takes longer than half a second to be made, or that is silent for `limitMs` although data was
 * sent: until then the commands that were given up on stay in its queue. It stands for ioredis's `connectTimeout` and `socketTimeout`.
 */
export function watchSilence(client: WatchedClient, limitMs: number): void {
  const silentTicks = Math.ceil(limitMs / CONNECTION_TICK_MS);
  /** Bytes that were sent when the last reply came. */
  let answeredBytes = 0;
  let waited = 0;
  client.on('connect', () => {
    const { stream } = client;
    answeredBytes = 0;
    waited = 0;
    stream.on('data', () => {
      answeredBytes = stream.bytesWritten;
      waited = 0;
    });
  });
  const tick = (): void => {
    const { stream } = client;
    if (!stream || stream.destroyed) {
      waited = 0;
      return;
    }
    const isWaiting = stream.connecting || stream.bytesWritten !== answeredBytes;
    waited = isWaiting ? waited + 1 : 0;
    if (waited <= (stream.connecting ? CONNECT_TICKS : silentTicks)) return;
    stream.destroy(new Error(stream.connecting ? 'connect ETIMEDOUT' : `Redis was silent for ${limitMs} ms`));
  };
  const timer = setInterval(tick, CONNECTION_TICK_MS).unref();
  client.once('end', () => clearInterval(timer));
}
