import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { StoreUnavailableError } from '../../../../src/core/errors.ts';
import { type TimeLimit, timeLimit } from '../../../../src/core/store/timeouts.ts';

const LIMIT_MS = 250;
/** Time is kept in tenths of the limit. */
const LATEST_MS = 275;
let limit: TimeLimit;

beforeEach(() => {
  vi.useFakeTimers();
  limit = timeLimit(LIMIT_MS);
});
afterEach(() => {
  vi.useRealTimers();
});

/** Limits work that never ends. @returns a function that is called with its error. */
function waiting() {
  const onError = vi.fn();
  limit(new Promise(() => {})).catch(onError);
  return onError;
}

it('work ends after the limit and not before, with the limit as the reason', async () => {
  const onError = waiting();
  await vi.advanceTimersByTimeAsync(LIMIT_MS - 1);
  expect(onError).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(LATEST_MS - LIMIT_MS + 1);
  expect(onError).toHaveBeenCalledExactlyOnceWith(expect.any(StoreUnavailableError));
  expect(onError.mock.calls[0]?.[0]).toMatchObject({ reason: 'no reply within 250 ms', code: 'timeout' });
});

it('each work has its own time, between others that come and go', async () => {
  const ends: number[] = [];
  const start = performance.now();
  for (let i = 0; i < 10; i++) {
    waiting().mockImplementation(() => ends.push(performance.now() - start));
    await limit(Promise.resolve());
    await vi.advanceTimersByTimeAsync(40);
  }
  await vi.advanceTimersByTimeAsync(LATEST_MS);
  expect(ends).toHaveLength(10);
  ends.forEach((end, i) => {
    expect(end - i * 40).toBeGreaterThanOrEqual(LIMIT_MS);
    expect(end - i * 40).toBeLessThanOrEqual(LATEST_MS);
  });
});

it('a limited work settles as the work does, and leaves no timer behind', async () => {
  await expect(limit(Promise.resolve(7))).resolves.toBe(7);
  await expect(limit(Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  await vi.advanceTimersByTimeAsync(2 * LIMIT_MS);
  expect(vi.getTimerCount()).toBe(0);
});
