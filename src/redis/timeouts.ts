import { StoreUnavailableError } from '../errors.ts';

interface Held {
  /** The tick at which the time is up. */
  readonly until: number;
  readonly giveUp: (error: StoreUnavailableError) => void;
}

/** Into how many ticks the limit is cut. */
const TICKS = 10;
/** The part of the limit that work has at least: it is given up after this to all of it. */
export const EARLIEST = (TICKS - 1) / TICKS;

/**
 * Gives up on work that takes too long. All of it has the same time, so it comes due in the order it came: one ticking timer
 * serves any amount of work, and what is done leaves at once, where a timer for each would cost more than the rest.
 */
export class TimeoutQueue {
  /** In the order of coming, which a Set keeps. */
  private readonly waiting = new Set<Held>();
  private tick = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly limitMs: number) {}

  /** Work that is watched now. */
  get size(): number {
    return this.waiting.size;
  }

  /**
   * Watches work that begins now.
   * @param giveUp called when the time is up, unless the work was done before.
   * @returns to be called when the work is done.
   */
  add(giveUp: (error: StoreUnavailableError) => void): () => void {
    // Whoever waits holds a connection open; the timer by itself keeps no process from ending.
    this.timer ??= setInterval(this.sweep, this.limitMs / TICKS).unref();
    const held: Held = { until: this.tick + TICKS, giveUp };
    this.waiting.add(held);
    return () => this.waiting.delete(held);
  }

  private readonly sweep = (): void => {
    if (this.waiting.size === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
      return;
    }
    this.tick++;
    for (const held of this.waiting) {
      if (held.until > this.tick) return;
      this.waiting.delete(held);
      held.giveUp(new StoreUnavailableError(`no answer within ${this.limitMs} ms`));
    }
  };
}
