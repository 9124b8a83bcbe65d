/** Requests that fall due while the generator itself did not run for longer than this are left out: they would come as a burst. */
const LONGEST_GAP_MS = 5;

/** Counts the requests that fall due at a fixed rate. */
export class RateSchedule {
  private due = 0;

  /** @param from start of the schedule, in milliseconds of performance.now(). */
  constructor(
    private readonly perMs: number,
    private from: number,
  ) {}

  /** Returns how many requests have fallen due since the last call. */
  takeDue(now: number): number {
    this.due += Math.min(Math.max(now - this.from, 0), LONGEST_GAP_MS) * this.perMs;
    this.from = Math.max(this.from, now);
    const whole = Math.floor(this.due);
    this.due -= whole;
    return whole;
  }
}
