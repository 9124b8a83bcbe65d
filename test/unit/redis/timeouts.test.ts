import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { StoreUnavailableError } from '../../../src/errors.ts';
import { TimeoutQueue } from '../../../src/redis/timeouts.ts';

const LIMIT_MS = 250;
/** Time is kept in tenths of the limit. */
const EARLIEST_MS = 225;
let deadlines: TimeoutQueue;

beforeEach(() => {
  vi.useFakeTimers();
  deadlines = new TimeoutQueue(LIMIT_MS);
});
afterEach(() => {
  vi.useRealTimers();
});

it('gives up on work when its time is up, and not before', () => {
  const giveUp = vi.fn();
  deadlines.add(giveUp);
  vi.advanceTimersByTime(EARLIEST_MS - 1);
  expect(giveUp).not.toHaveBeenCalled();
  vi.advanceTimersByTime(LIMIT_MS - EARLIEST_MS + 1);
  expect(giveUp).toHaveBeenCalledExactlyOnceWith(expect.any(StoreUnavailableError));
});

it('leaves work alone that was done in time', () => {
  const giveUp = vi.fn();
  const done = deadlines.add(giveUp);
  vi.advanceTimersByTime(EARLIEST_MS - 1);
  done();
  vi.advanceTimersByTime(2 * LIMIT_MS);
  expect(giveUp).not.toHaveBeenCalled();
});

it('gives each work its own time, however they are mixed with others that are done', () => {
  const ends: number[] = [];
  const start = performance.now();
  for (let i = 0; i < 10; i++) {
    deadlines.add(() => ends.push(performance.now() - start));
    deadlines.add(() => ends.push(Number.NaN))();
    vi.advanceTimersByTime(40);
  }
  vi.advanceTimersByTime(LIMIT_MS);
  expect(ends).toHaveLength(10);
  ends.forEach((end, i) => {
    expect(end - i * 40).toBeGreaterThanOrEqual(EARLIEST_MS);
    expect(end - i * 40).toBeLessThanOrEqual(LIMIT_MS);
  });
});

it('keeps no timer when nothing waits', () => {
  deadlines.add(() => {})();
  vi.advanceTimersByTime(2 * LIMIT_MS);
  expect(vi.getTimerCount()).toBe(0);
});
