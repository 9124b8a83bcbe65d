import { StoreUnavailableError } from '../errors.ts';

/**
 * Time limits of commands. They count ticks. If this process was kept from running, that time counts as one tick at most, and the replies that
 * have arrived meanwhile are read first. ioredis's own limit goes by the clock, and would fail such commands.
 */

/** Settles as `work` does. @throws StoreUnavailableError when that takes longer than the limit. */
export type TimeLimit = <T>(work: Promise<T>) => Promise<T>;

interface Entry {
  /** The tick at which the time is up. */
  readonly dueAt: number;
  readonly reject: (error: StoreUnavailableError) => void;
}

/** Ticks in a limit. Work is ended when the limit is over, or up to one tick later. */
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
