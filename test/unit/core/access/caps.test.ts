import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Identity } from '../../../../src/core/access/authenticator.ts';
import { type QuotaState, Quotas, WINDOW_S } from '../../../../src/core/access/quotas.ts';
import { CommandBatcher } from '../../../../src/core/reads/command-batcher.ts';
import { RedisKeys } from '../../../../src/core/store/redis-keys.ts';
import { Scripts } from '../../../../src/core/store/scripts.ts';
import { RequestBatcher } from '../../../../src/service/serving/request-batcher.ts';
import { noCache } from '../../../support/no-cache.ts';
import { describeStores, type TestStore } from '../../../support/stores.ts';
import { randomRuns } from '../../../support/variants.ts';

const QUOTAS = { free: 9, pro: 30 };
/** Two API keys without a cap share a count; those with one have counters of their own. */
const CAPS: Record<string, number | null> = { open: null, alsoOpen: null, five: 5, alsoFive: 5, wide: 50, one: 1 };

describeStores('API keys with and without caps of one guild', (kind) => {
  let testStore: TestStore;
  let batcher: RequestBatcher<string>;
  let used: { keyId: string; allowed: boolean }[];

  beforeAll(async () => {
    testStore = await kind.start();
  });
  afterAll(() => testStore.stop());
  beforeEach(async () => {
    await testStore.empty();
    const scripts = new Scripts(testStore.client);
    const commands = new CommandBatcher(scripts, new RedisKeys('gr'), { client: testStore.client });
    const usage = { count: ({ keyId }: Identity, allowed: boolean) => void used.push({ keyId, allowed }) };
    batcher = new RequestBatcher(new Quotas(commands, new Map(Object.entries(QUOTAS))), usage, noCache(), commands);
    used = [];
  });

  const load = async (keyId: string, plan = 'free'): Promise<QuotaState> => {
    const identity = { guildId: 'g', plan, keyId, origins: [], cap: CAPS[keyId] ?? null };
    return (await batcher.load(identity, undefined)).quota;
  };
  const counter = (keyId = '') => `gr:quota:{g}${keyId && `:${keyId}`}`;
  const counted = async (keyId?: string) => Number(await testStore.client.get(counter(keyId)));

  it('requests with and without caps are counted exactly as one by one, however they fall together and windows end', async () => {
    const keyIds = Object.keys(CAPS);
    const request = fc.tuple(fc.constantFrom(...keyIds), fc.constantFrom<'free' | 'pro'>('free', 'free', 'pro'));
    const moment = fc.array(request, { minLength: 1, maxLength: 12 });
    /** Names the counters whose window ends after the moment. */
    const ends = fc.subarray(['', ...keyIds], { maxLength: 2 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(moment, ends), { maxLength: 6 }), async (script) => {
        await testStore.empty();
        used = [];
        const model = new Map<string, number>();
        const countOf = (name: string) => model.get(name) ?? 0;
        let refused = 0;
        for (const [requests, ended] of script) {
          const states = await Promise.all(requests.map(([keyId, plan]) => load(keyId, plan)));
          for (const group of grouped(requests)) {
            for (const i of group) {
              const [keyId, plan] = requests[i] as (typeof requests)[number];
              const limits = [['', QUOTAS[plan]] as const, ...(CAPS[keyId] ? [[keyId, CAPS[keyId]] as const] : [])];
              const allowed = limits.every(([name, limit]) => countOf(name) < limit);
              if (allowed) for (const [name] of limits) model.set(name, countOf(name) + 1);
              else refused++;
              const rests = limits.map(([name, limit]) => ({ limit, rest: Math.max(0, limit - countOf(name)) }));
              const least = Math.min(...rests.map(({ rest }) => rest));
              expect(states[i]).toMatchObject({ allowed, remaining: least });
              const binding = rests.filter(({ rest }) => rest === least).map(({ limit }) => limit);
              expect(binding).toContain(states[i]?.limit);
            }
          }
          for (const name of ended) {
            model.delete(name);
            await testStore.client.del(counter(name));
          }
        }
        for (const name of ['', ...keyIds]) expect([name, await counted(name)]).toEqual([name, countOf(name)]);
        expect(used.filter(({ allowed }) => !allowed)).toHaveLength(refused);
      }),
      { numRuns: randomRuns(60) },
    );
  });

  it('a refusal names the counter with the smaller rest, and of equal rests the counter that is renewed later', async () => {
    for (let n = 0; n < 5; n++)
      expect(await load('five')).toMatchObject({ allowed: true, limit: 5, remaining: 4 - n, ofKey: true });
    expect(await load('five')).toMatchObject({ allowed: false, limit: 5, remaining: 0, ofKey: true });
    expect(await counted()).toBe(5);
    for (let n = 0; n < 4; n++) await load('open');
    expect(await load('wide')).toMatchObject({ allowed: false, limit: 9, remaining: 0, ofKey: false });
    expect([await counted(), await counted('wide')]).toEqual([9, 0]);
    await testStore.client.expire(counter(), 100);
    expect(await load('five')).toMatchObject({ allowed: false, limit: 5, ofKey: true });
    await testStore.client.expire(counter('five'), 50);
    expect(await load('five')).toMatchObject({ allowed: false, limit: 9, ofKey: false });
  });

  it('a cap has a window of an hour from its first request, and a counter without a window gets one', async () => {
    expect((await load('one')).resetMs).toBeGreaterThan((WINDOW_S - 60) * 1000);
    await testStore.client.expire(counter('one'), 100);
    expect((await load('one')).resetMs).toBeLessThanOrEqual(100_000);
    await testStore.client.persist(counter('one'));
    expect(await load('one')).toMatchObject({ allowed: false, limit: 1 });
    expect(await testStore.client.ttl(counter('one'))).toBeGreaterThan(WINDOW_S - 60);
  });

  it('a request is counted on neither counter when one of them cannot be read', async () => {
    for (const broken of ['five', '']) {
      await testStore.empty();
      await testStore.client.lpush(counter(broken), 'wrong');
      await expect(load('five')).rejects.toMatchObject({ name: 'StoreUnavailableError' });
      expect(await testStore.client.exists(counter(), counter('five'))).toBe(1);
      await testStore.client.set(counter(broken), 'many');
      await expect(load('five')).rejects.toMatchObject({ name: 'StoreUnavailableError' });
      expect(await testStore.client.exists(counter(), counter('five'))).toBe(1);
    }
  });
});

/** Returns the requests that share a count, by their index, in the order of their first. */
function grouped(requests: readonly (readonly [keyId: string, plan: string])[]): number[][] {
  const groups = new Map<string, number[]>();
  for (const [i, [keyId, plan]] of requests.entries()) {
    const name = `${plan} ${CAPS[keyId] === null ? '' : keyId}`;
    groups.set(name, [...(groups.get(name) ?? []), i]);
  }
  return [...groups.values()];
}
