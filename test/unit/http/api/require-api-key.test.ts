import type { Request, Response } from 'express';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Authenticator, Identity } from '../../../../src/access/authenticator.ts';
import type { FailedAuthLimiter } from '../../../../src/access/failed-auth-limiter.ts';
import type { QuotaState } from '../../../../src/access/quotas.ts';
import { StoreUnavailableError } from '../../../../src/errors.ts';
import { Gate } from '../../../../src/http/api/require-api-key.ts';
import type { RequestContext } from '../../../../src/http/request-context.ts';
import { Problem } from '../../../../src/http/response/problem.ts';
import type { RenderedBody } from '../../../../src/http/response/rendered-body.ts';
import type { GuildBatch, Order } from '../../../../src/reads/request-batcher.ts';
import type { Want } from '../../../../src/reads/response-cache.ts';
import { TimeoutQueue } from '../../../../src/redis/timeouts.ts';

const identity: Identity = { guildId: 'g', plan: 'free', keyId: 'k', origins: [] };
const view: RenderedBody = { body: '{}', etag: '"x"', lines: '' };
const want: Want<RenderedBody> = { key: 'g stats', read: vi.fn(), render: vi.fn() };
const quota: QuotaState = { allowed: true, limit: 100, remaining: 99, resetMs: 1000 };

let orders: Order<RenderedBody | null>[];
let addresses: string[];
const authenticator = { recall: vi.fn(), hasSeen: vi.fn(), identify: vi.fn() };
const flood = { isQuiet: true, heldBackMs: vi.fn(), failed: vi.fn() };
const delivered = vi.fn<(view: RenderedBody | null) => void>();
let gate: Gate;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  orders = [];
  addresses = [];
  authenticator.recall.mockReset();
  authenticator.hasSeen.mockReset().mockReturnValue(false);
  authenticator.identify.mockReset().mockResolvedValue(identity);
  delivered.mockReset();
  flood.isQuiet = true;
  flood.heldBackMs.mockReset().mockReturnValue(0);
  flood.failed.mockReset().mockImplementation((address: string) => addresses.push(address));
  const batch = { add: (order: Order<RenderedBody | null>) => orders.push(order) };
  gate = new Gate(
    authenticator as unknown as Authenticator,
    batch as unknown as GuildBatch<RenderedBody | null>,
    new TimeoutQueue(250),
    flood as unknown as FailedAuthLimiter,
    (_req, _res, view) => delivered(view),
  );
});
afterEach(() => {
  vi.useRealTimers();
});

/** Sends a request through the gate. */
function admit(
  headers: Record<string, string | string[]> = { 'x-api-key': 'key' },
  operation = (): typeof want => want,
  deliver: (view: RenderedBody | null) => void = () => {},
  ip: string | undefined = '192.0.2.1',
) {
  const context = {} as RequestContext;
  const next = vi.fn();
  delivered.mockImplementation(deliver);
  gate.admit({ headers, ip } as unknown as Request, { context } as Response, next, operation);
  const problem = () => next.mock.calls[0]?.[0] as Problem;
  return { context, next, delivered, problem };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

it('asks for a key, once and as text', () => {
  for (const headers of [{}, { 'x-api-key': ['a', 'b'] }]) {
    const { problem } = admit(headers as Record<string, string | string[]>);
    expect(problem()).toMatchObject({ code: 'missing_api_key' });
  }
  expect(authenticator.recall).not.toHaveBeenCalled();
});

it('asks nobody about a key that is remembered', () => {
  authenticator.recall.mockReturnValue(identity);
  const { context, delivered, next } = admit();
  expect(authenticator.identify).not.toHaveBeenCalled();
  expect(orders).toMatchObject([{ identity, want }]);
  expect(context.identity).toBe(identity);
  orders[0]?.done(quota, view);
  expect(context.quota).toBe(quota);
  expect(delivered.mock.calls).toEqual([[view]]);
  expect(next).not.toHaveBeenCalled();
});

it('looks up a key that is not remembered, and notes an invalid one by its address', async () => {
  authenticator.identify.mockResolvedValueOnce(null);
  const invalid = admit();
  const valid = admit();
  await settled();
  expect(invalid.problem()).toMatchObject({ code: 'invalid_api_key' });
  expect(addresses).toEqual(['192.0.2.1']);
  expect(orders).toHaveLength(1);
  orders[0]?.done(quota, view);
  expect(valid.delivered.mock.calls).toEqual([[view]]);
});

it('turns away unknown keys of an address that is held back, without a look-up', () => {
  flood.isQuiet = false;
  flood.heldBackMs.mockReturnValue(1500);
  const { problem } = admit();
  expect(flood.heldBackMs.mock.calls).toEqual([['192.0.2.1']]);
  expect(problem()).toMatchObject({
    code: 'quota_exceeded',
    detail: 'Too many requests with invalid keys came from this address. Try again in 2 seconds.',
    extra: { headers: ['Retry-After', '2'] },
  });
  expect(authenticator.identify).not.toHaveBeenCalled();
});

it('does not hold back a key that was valid before, nor anyone while all is quiet', () => {
  flood.heldBackMs.mockReturnValue(1500);
  admit();
  flood.isQuiet = false;
  authenticator.hasSeen.mockReturnValue(true);
  admit();
  expect(authenticator.identify).toHaveBeenCalledTimes(2);
});

it('lets an address go on that failed, but not often', async () => {
  flood.isQuiet = false;
  const { next } = admit();
  await settled();
  expect(orders).toHaveLength(1);
  expect(next).not.toHaveBeenCalled();
});

it('counts a request without an address as one of the address ""', async () => {
  flood.isQuiet = false;
  authenticator.identify.mockResolvedValue(null);
  const req = { headers: { 'x-api-key': 'key' } } as unknown as Request;
  gate.admit(req, { context: {} } as Response, vi.fn(), () => want);
  await settled();
  expect(flood.heldBackMs.mock.calls).toEqual([['']]);
  expect(addresses).toEqual(['']);
});

it('passes on that the store failed at the look-up', async () => {
  const down = new StoreUnavailableError('down');
  authenticator.identify.mockRejectedValue(down);
  const { next } = admit();
  await settled();
  expect(next.mock.calls).toEqual([[down]]);
});

it('gives up after the time of a request, and is silent about what comes later', async () => {
  let answer: (identity: Identity) => void = () => {};
  authenticator.identify.mockReturnValue(
    new Promise((resolve) => {
      answer = resolve;
    }),
  );
  const { next, delivered } = admit();
  vi.advanceTimersByTime(250);
  expect(next).toHaveBeenCalledExactlyOnceWith(expect.any(StoreUnavailableError));
  answer(identity);
  await settled();
  orders[0]?.done(quota, view);
  expect(delivered).not.toHaveBeenCalled();
  orders[0]?.failed(new Error('late'), undefined);
  expect(next).toHaveBeenCalledTimes(1);
});

it('holds no deadline for what is done', async () => {
  admit();
  await settled();
  orders[0]?.done(quota, view);
  vi.advanceTimersByTime(500);
  expect(vi.getTimerCount()).toBe(0);
});

it.each([true, false])(
  'counts a request that the operation refuses, then refuses it (remembered: %s)',
  async (known) => {
    if (known) authenticator.recall.mockReturnValue(identity);
    const refusal = new Problem('wrong_guild', 'no');
    const { next, delivered, context } = admit(undefined, () => {
      throw refusal;
    });
    await settled();
    expect(orders).toMatchObject([{ want: undefined }]);
    orders[0]?.done(quota, undefined);
    expect(next.mock.calls).toEqual([[refusal]]);
    expect(delivered).not.toHaveBeenCalled();
    expect(context.quota).toBe(quota);
  },
);

it.each([true, false])('passes on what goes wrong in delivering (remembered: %s)', async (known) => {
  if (known) authenticator.recall.mockReturnValue(identity);
  const wrong = new Error('wrong');
  const { next } = admit(undefined, undefined, () => {
    throw wrong;
  });
  await settled();
  orders[0]?.done(quota, view);
  expect(next.mock.calls).toEqual([[wrong]]);
});

it.each([
  [1_284_000, 1284],
  [1_284_001, 1285],
  [0, 1],
])('says at %d ms when a used-up quota is renewed, before anything else that is wrong', (resetMs, seconds) => {
  authenticator.recall.mockReturnValue(identity);
  const denied = { ...quota, allowed: false, remaining: 0, resetMs };
  const first = admit(undefined, () => {
    throw new Problem('wrong_guild', 'no');
  });
  const second = admit();
  const third = admit();
  orders[0]?.done(denied, undefined);
  orders[1]?.done(denied, view);
  orders[2]?.failed(new Error('down'), denied);
  for (const { problem, delivered, context } of [first, second, third]) {
    expect(problem()).toMatchObject({
      code: 'quota_exceeded',
      detail: `The quota of 100 requests per hour is used up. It is renewed in ${seconds} seconds.`,
      extra: { headers: ['Retry-After', String(seconds)] },
    });
    expect(delivered).not.toHaveBeenCalled();
    expect(context.quota).toBe(denied);
  }
});

it('passes on that the read failed, with the quota if it is known', () => {
  authenticator.recall.mockReturnValue(identity);
  const down = new Error('down');
  const counted = admit();
  const uncounted = admit();
  orders[0]?.failed(down, quota);
  orders[1]?.failed(down, undefined);
  expect(counted.next.mock.calls).toEqual([[down]]);
  expect(uncounted.next.mock.calls).toEqual([[down]]);
  expect(counted.context.quota).toBe(quota);
  expect(uncounted.context.quota).toBeUndefined();
});

it.each<[Record<string, string>, boolean]>([
  [{ origin: 'https://a.example' }, true],
  [{ origin: 'https://b.example' }, false],
  [{ origin: 'https://b.example', 'sec-fetch-site': 'same-origin' }, false],
  [{ 'sec-fetch-site': 'same-origin' }, true],
  [{ 'sec-fetch-site': 'cross-site' }, false],
  [{}, false],
])('lets a key limited to an origin be used with %j: %s', (headers, allowed) => {
  authenticator.recall.mockReturnValue({ ...identity, origins: ['https://a.example'] });
  const { problem, delivered } = admit({ 'x-api-key': 'key', ...headers });
  orders[0]?.done(quota, view);
  if (allowed) expect(delivered).toHaveBeenCalled();
  else expect(problem()).toMatchObject({ code: 'wrong_guild', detail: expect.stringContaining('only in pages of') });
});
