import { StoreUnavailableError } from '../errors.ts';

interface Held {
  readonly until: number;
  /** Undefined once the work is done. */
  giveUp: ((error: StoreUnavailableError) => void) | undefined;
}

/**
 * Gives up on work that takes too long. All of it has the same time, so it comes due in the order it came: one timer
 * serves any amount of work, where one for each would cost more than the rest of the bookkeeping.
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
   * Watches work that begins now.
   * @param giveUp called when the time is up, unless the work was done before.
   * @returns to be called when the work is done.
   */
  hold(giveUp: (error: StoreUnavailableError) => void): () => void {
    const held: Held = { until: this.now() + this.limitMs, giveUp };
    this.queue.push(held);
    this.timer ??= setTimeout(this.sweep, this.limitMs);
    return () => {
      held.giveUp = undefined;
    };
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
