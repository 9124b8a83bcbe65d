import { onTestFinished, vi } from 'vitest';

/**
 * Lets the clock of limits, performance.now(), stand still until the test has ended. It stands at a whole number of milliseconds, because sums of
 * fractions are rounded.
 */
export function stopClock(): void {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(Math.ceil(performance.now()));
  onTestFinished(() => clock.mockRestore());
}
