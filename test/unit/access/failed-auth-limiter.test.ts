import { beforeEach, expect, it } from 'vitest';
import { FailedAuthLimiter, MAX_FAILURES, WINDOW_MS } from '../../../src/access/failed-auth-limiter.ts';

let now: number;
let limiter: FailedAuthLimiter;

beforeEach(() => {
  now = 1000;
  limiter = new FailedAuthLimiter(() => now);
});

function fail(address: string, times = MAX_FAILURES): void {
  for (let i = 0; i < times; i++) limiter.recordFailure(address);
}

it('rejects an address from its hundredth failure on, until its window ends', () => {
  expect(limiter.retryAfterMs('192.0.2.1')).toBe(0);
  fail('192.0.2.1', MAX_FAILURES - 1);
  expect(limiter.retryAfterMs('192.0.2.1')).toBe(0);
  limiter.recordFailure('192.0.2.1');
  expect(limiter.retryAfterMs('192.0.2.1')).toBe(WINDOW_MS);
  now += WINDOW_MS - 1;
  expect(limiter.retryAfterMs('192.0.2.1')).toBe(1);
  now += 1;
  expect(limiter.retryAfterMs('192.0.2.1')).toBe(0);
});

it('starts a new window with the first failure after the old one', () => {
  fail('192.0.2.1', MAX_FAILURES - 1);
  now += WINDOW_MS;
  limiter.recordFailure('192.0.2.1');
  expect(limiter.retryAfterMs('192.0.2.1')).toBe(0);
  fail('192.0.2.1', MAX_FAILURES - 1);
  expect(limiter.retryAfterMs('192.0.2.1')).toBe(WINDOW_MS);
});

it('counts ten thousand networks and no more', () => {
  fail('192.0.2.1');
  for (let i = 0; i < 9_999; i++) limiter.recordFailure(`address ${i}`);
  expect(limiter.retryAfterMs('192.0.2.1')).toBe(WINDOW_MS);
  for (let i = 0; i < 10_000; i++) limiter.recordFailure(`other ${i}`);
  expect(limiter.retryAfterMs('192.0.2.1')).toBe(0);
});

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['192.0.2.1', '::ffff:192.0.2.1'],
  ['192.0.2.123', '::FFFF:192.0.2.123'],
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
  ['2001:db8::1', '2001:db8:0:0:1:2:3:4'],
  ['::1', '0:0:0:0:0:0:0:1'],
  ['::1', '::2:3'],
  ['::5:6:7:8:9', '0:0:0:5:1:1:1:1'],
  ['1::5:6:7:8:9', '1:0:0:5::'],
  ['1:2:3:4:5:6:7::', '1:2:3:4::'],
])('counts %s and %s as one', (one, other) => {
  fail(one);
  expect(limiter.retryAfterMs(other)).toBe(WINDOW_MS);
});

it.each([
  ['192.0.2.1', '192.0.2.2'],
  ['192.0.2.1', '1192.0.2.1'],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.2'],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.12'],
  ['2001:db8:1:2::1', '2001:db8:1:3::1'],
  ['2001:db8:1:2::1', '2001:db8:12::1'],
  ['1::5:6:7:8', '1::6:7:8:9:a'],
  ['::1', '1::'],
  // Not the mapped form, though it holds it.
  ['192.0.2.1', '1::ffff:192.0.2.1'],
  ['192.0.2.1', '::ffff:192.0.2.1:1'],
])('counts %s and %s apart', (one, other) => {
  fail(one);
  expect(limiter.retryAfterMs(other)).toBe(0);
});
