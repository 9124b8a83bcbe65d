import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StoreUnavailableError } from '../../../src/errors.ts';
import { TimeoutQueue } from '../../../src/redis/timeouts.ts';

const LIMIT_MS = 250;
/** Time is kept in tenths of the limit. */
const LATEST_MS = 275;
let timeouts: TimeoutQueue;

beforeEach(() => {
  vi.useFakeTimers();
  timeouts = new TimeoutQueue(LIMIT_MS);
});
afterEach(() => {
  vi.useRealTimers();
});

describe('an entry', () => {
  it('times out once, after its limit and not before', () => {
    const onTimeout = vi.fn();
    timeouts.add(onTimeout);
    vi.advanceTimersByTime(LIMIT_MS - 1);
    expect(onTimeout).not.toHaveBeenCalled();
    vi.advanceTimersByTime(LATEST_MS - LIMIT_MS + 1);
    expect(onTimeout).toHaveBeenCalledExactlyOnceWith(expect.any(StoreUnavailableError));
    vi.advanceTimersByTime(10 * LIMIT_MS);
    expect(onTimeout).toHaveBeenCalledTimes(1);
  });

  it('does not time out once it is removed', () => {
    const onTimeout = vi.fn();
    const remove = timeouts.add(onTimeout);
    vi.advanceTimersByTime(LIMIT_MS - 1);
    remove();
    vi.advanceTimersByTime(10 * LIMIT_MS);
    expect(onTimeout).not.toHaveBeenCalled();
  });

  it('has its own time, between others that come and go', () => {
    const ends: number[] = [];
    const start = performance.now();
    for (let i = 0; i < 10; i++) {
      timeouts.add(() => ends.push(performance.now() - start));
      timeouts.add(() => ends.push(Number.NaN))();
      vi.advanceTimersByTime(40);
    }
    vi.advanceTimersByTime(LATEST_MS);
    expect(ends).toHaveLength(10);
    ends.forEach((end, i) => {
      expect(end - i * 40).toBeGreaterThanOrEqual(LIMIT_MS);
      expect(end - i * 40).toBeLessThanOrEqual(LATEST_MS);
    });
  });

  it('leaves no timer behind', () => {
    timeouts.add(() => {})();
    vi.advanceTimersByTime(2 * LIMIT_MS);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('limited work', () => {
  it('settles as the work does, and leaves no entry behind', async () => {
    await expect(timeouts.limit(Promise.resolve(7))).resolves.toBe(7);
    await expect(timeouts.limit(Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    await vi.advanceTimersByTimeAsync(2 * LIMIT_MS);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is rejected when its time is up, with the limit as the reason', async () => {
    const limited = timeouts.limit(new Promise(() => {}));
    vi.advanceTimersByTime(LATEST_MS);
    await expect(limited).rejects.toMatchObject({ reason: 'no reply within 250 ms' });
  });
});
