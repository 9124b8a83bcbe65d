import { StoreUnavailableError } from '../errors.ts';

interface Held {
  readonly until: number;
  /** Undefined once the work is done. */
  giveUp: ((error: StoreUnavailableError) => void) | undefined;
}

/**
 * Gives up on work that takes too long. All of it has the same time, so it comes due in the order it came: one timer
 * serves any number of requests, where one for each would cost more than the rest of the bookkeeping.
 */
export class Deadlines {
  private queue: Held[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly limitMs: number,
    /** Milliseconds on a clock that never goes back. */
    private readonly now: () => number,
  ) {}

  /**
   * The work's result, if it comes in time; work that is given up goes on, unheard.
   * @throws what the work throws; StoreUnavailableError when the time is up.
   */
  hold<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const held: Held = { until: this.now() + this.limitMs, giveUp: reject };
      this.queue.push(held);
      this.timer ??= setTimeout(this.sweep, this.limitMs);
      const done = (): void => {
        held.giveUp = undefined;
      };
      work.then(
        (value) => {
          done();
          resolve(value);
        },
        (error: unknown) => {
          done();
          reject(error);
        },
      );
    });
  }

  private readonly sweep = (): void => {
    const now = this.now();
    // A timer counts whole milliseconds and may come a fraction early.
    const first = this.queue.findIndex(({ until, giveUp }) => giveUp && until > now + 1);
    const due = first < 0 ? this.queue : this.queue.slice(0, first);
    this.queue = first < 0 ? [] : this.queue.slice(first);
    for (const { giveUp } of due) giveUp?.(new StoreUnavailableError(`no answer within ${this.limitMs} ms`));
    const [next] = this.queue;
    this.timer = next && setTimeout(this.sweep, Math.max(1, next.until - now));
  };
}
