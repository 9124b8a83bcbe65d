import { StoreUnavailableError } from '../errors.ts';

interface Entry {
  /** The tick at which the time is up. */
  readonly dueAt: number;
  readonly onTimeout: (error: StoreUnavailableError) => void;
}

/** Ticks in one limit. An entry times out between one limit and one limit and a tick after it was added. */
const TICKS = 10;

/**
 * Ends waits that take longer than a limit. All entries have the same limit, so they fall due in the order of their adding: one timer
 * serves them all. It counts ticks, so time in which this process was kept from running counts as one tick at most, and the replies that
 * came meanwhile are read first. ioredis's `commandTimeout` goes by the clock and fails those commands.
 */
export class TimeoutQueue {
  private readonly entries = new Set<Entry>();
  private tick = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly limitMs: number) {}

  /**
   * Adds an entry.
   * @param onTimeout called once when the time is up, unless the entry was removed before.
   * @returns a function that removes the entry.
   */
  add(onTimeout: (error: StoreUnavailableError) => void): () => void {
    // An open connection keeps the process alive while it waits; this timer must not.
    this.timer ??= setInterval(this.advance, this.limitMs / TICKS).unref();
    const entry: Entry = { dueAt: this.tick + TICKS + 1, onTimeout };
    this.entries.add(entry);
    return () => this.entries.delete(entry);
  }

  /** Settles as `work` does. @throws StoreUnavailableError when that takes longer than the limit. */
  limit<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const remove = this.add(reject);
      work.then(
        (value) => {
          remove();
          resolve(value);
        },
        (error) => {
          remove();
          reject(error);
        },
      );
    });
  }

  private readonly advance = (): void => {
    if (this.entries.size === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
      return;
    }
    this.tick++;
    for (const entry of this.entries) {
      if (entry.dueAt > this.tick) return;
      this.entries.delete(entry);
      entry.onTimeout(new StoreUnavailableError(new Error(`no reply within ${this.limitMs} ms`), 'timeout'));
    }
  };
}
