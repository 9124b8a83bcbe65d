import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { StoreUnavailableError } from '../../src/errors.ts';
import { Deadlines } from '../../src/http/deadlines.ts';

const LIMIT_MS = 250;
/** Time is kept in tenths of the limit. */
const EARLIEST_MS = 225;
let deadlines: Deadlines;

beforeEach(() => {
  vi.useFakeTimers();
  deadlines = new Deadlines(LIMIT_MS);
});
afterEach(() => {
  vi.useRealTimers();
});

const endless = () => new Promise<never>(() => {});

it('passes on a result or a failure that comes in time', async () => {
  await expect(deadlines.hold(Promise.resolve(1))).resolves.toBe(1);
  await expect(deadlines.hold(Promise.reject(new Error('its own')))).rejects.toThrow('its own');
});

it('gives up on work when its time is up, and not before', async () => {
  const outcome = vi.fn();
  deadlines.hold(endless()).catch(outcome);
  await vi.advanceTimersByTimeAsync(EARLIEST_MS - 1);
  expect(outcome).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(LIMIT_MS - EARLIEST_MS + 1);
  expect(outcome).toHaveBeenCalledWith(expect.any(StoreUnavailableError));
});

it('gives each work its own time, however they are mixed with others that are done', async () => {
  const ends: number[] = [];
  const start = performance.now();
  for (let i = 0; i < 10; i++) {
    deadlines.hold(endless()).catch(() => ends.push(performance.now() - start));
    void deadlines.hold(Promise.resolve());
    await vi.advanceTimersByTimeAsync(40);
  }
  await vi.advanceTimersByTimeAsync(LIMIT_MS);
  expect(ends).toHaveLength(10);
  ends.forEach((end, i) => {
    expect(end - i * 40).toBeGreaterThanOrEqual(EARLIEST_MS);
    expect(end - i * 40).toBeLessThanOrEqual(LIMIT_MS);
  });
});

it('keeps no timer when nothing waits', async () => {
  await deadlines.hold(Promise.resolve());
  await vi.advanceTimersByTimeAsync(2 * LIMIT_MS);
  expect(vi.getTimerCount()).toBe(0);
});
