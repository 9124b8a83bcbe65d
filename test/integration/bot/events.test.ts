import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openCore } from '../../../src/core/core.ts';
import { StoreUnavailableError } from '../../../src/core/errors.ts';
import { deleteGuild } from '../../../src/core/guilds/delete.ts';
import { createReader } from '../../../src/kit/reader.ts';
import { createWriter } from '../../../src/kit/writer.ts';
import { describeStores, realStore, type TestStore } from '../../support/stores.ts';
import { randomRuns } from '../../support/variants.ts';

describeStores('a call that names an event', (kind) => {
  let store: TestStore;
  let guilds = 0;
  beforeAll(async () => {
    store = await kind.start();
  });
  afterAll(() => store.stop());
  const newGuild = () => `g${guilds++}`;
  const writer = () => createWriter(store.client);

  it('a call is done once: a repeat gets the first result, level-up included, and changes nothing', async () => {
    const guild = newGuild();
    const content = async () => {
      const keys = (await store.client.keys(`gr:{${guild}}:*`)).filter((key) => !key.includes(':event:')).sort();
      return [
        keys,
        await store.client.hgetall(`gr:{${guild}}:stats`),
        await store.client.hgetall(`gr:{${guild}}:members`),
      ];
    };
    const calls = [
      () => writer().award(guild, { userId: 'a', amount: 300, cooldownMs: 60_000, rank: true, eventId: 'message 1' }),
      () => writer().claimDaily(guild, { userId: 'a', reward: [50, 60], username: 'Ann', eventId: 'interaction 1' }),
      () => writer().record(guild, { userId: 'b', add: 255 }, { eventId: 'gift' }),
      () => writer().setLevel(guild, { userId: 'b', level: 10, eventId: 'set' }),
      () =>
        writer().recordMany(
          guild,
          [
            { userId: 'a', add: 1 },
            { userId: 'c', set: 0 },
          ],
          { eventId: 'many' },
        ),
    ];
    for (const call of calls) {
      const first = await call();
      expect(first.repeated).toBe(false);
      const before = await content();
      for (let n = 0; n < 2; n++) expect(await call()).toEqual({ ...first, repeated: true });
      expect(await content()).toEqual(before);
    }
    expect(await writer().award(guild, { userId: 'b', amount: 1, eventId: 'message 2' })).toMatchObject({
      ...{ awarded: 1, repeated: false },
    });
  });

  it('a call keeps its reply for ten minutes unless told otherwise, and a list keeps one for each 500 members', async () => {
    const guild = newGuild();
    const members = Array.from({ length: 1001 }, (_, n) => ({ userId: `u${n}`, add: 1 }));
    const first = await writer().recordMany(guild, members, { eventId: 'e' });
    expect(await writer().recordMany(guild, members, { eventId: 'e' })).toEqual({ ...first, repeated: true });
    expect((await createReader(store.client).stats(guild)).totalXp).toBe(1001n);
    const keys = await store.client.keys(`gr:{${guild}}:event*`);
    expect(keys.sort()).toEqual(['-part:1:e', '-part:2:e', ':e'].map((end) => `gr:{${guild}}:event${end}`));
    for (const key of keys) expect(await store.client.pttl(key)).toBeGreaterThan(500_000);
    await createWriter(store.client, { eventTtlMs: 5000 }).award(guild, { userId: 'a', amount: 1, eventId: 'short' });
    expect(await store.client.pttl(`gr:{${guild}}:event:short`)).toBeLessThanOrEqual(5000);
  });

  it('the event of a list is refused for another list with as many members and the same first member', async () => {
    const writer = createWriter(store.client);
    const list = (second: string, add: number) => ['a', second].map((userId) => ({ userId, add }));
    await writer.recordMany('own', list('b', 1), { eventId: 'list' });
    for (const other of [list('c', 1), list('b', 9)]) {
      await expect(writer.recordMany('own', other, { eventId: 'list' })).rejects.toMatchObject({ code: 'event' });
    }
    expect(await writer.recordMany('own', list('b', 1), { eventId: 'list' })).toMatchObject({ repeated: true, xp: 1 });
  });

  it('events with different ids never meet, and a list goes on where it ended', async () => {
    const guild = newGuild();
    const members = Array.from({ length: 501 }, (_, n) => ({ userId: `u${n}`, add: n === 500 ? -1 : 1 }));
    const list = () => writer().recordMany(guild, members, { eventId: 'e' });
    await expect(list()).rejects.toMatchObject({ params: { index: 500 } });
    await writer().record(guild, { userId: 'u500', set: 5 });
    for (const eventId of ['e:1', '1:e', 'e\n', '}', 'part:1:e']) {
      expect((await writer().record(guild, { userId: 'x', add: 1 }, { eventId })).repeated).toBe(false);
    }
    expect(await list()).toMatchObject({ repeated: false, xp: 4 });
    expect(await list()).toMatchObject({ repeated: true, xp: 4 });
    expect((await createReader(store.client).stats(guild)).totalXp).toBe(500n + 4n + 5n);
  });

  it('an event is refused for another call, and is deleted with its guild', async () => {
    const guild = newGuild();
    const award = (userId: string) => writer().award(guild, { userId, amount: 100, eventId: 'm' });
    await award('a');
    const refused = { code: 'event' };
    await expect(award('b')).rejects.toMatchObject(refused);
    await expect(writer().claimDaily(guild, { userId: 'a', reward: 5, eventId: 'm' })).rejects.toMatchObject(refused);
    await expect(writer().record(guild, { userId: 'a', add: 5 }, { eventId: 'm' })).rejects.toMatchObject(refused);
    await deleteGuild(openCore(store.client, 'gr'), guild);
    expect(await award('a')).toMatchObject({ xp: 100, repeated: false });
  });

  it('a reply is not kept when the call is refused or waits, and a call without an event costs nothing', async () => {
    const guild = newGuild();
    await expect(writer().record(guild, { userId: 'a', add: -5 }, { eventId: 'e' })).rejects.toThrow('range');
    await writer().award(guild, { userId: 'a', amount: 5, cooldownMs: 60_000 });
    expect(await writer().award(guild, { userId: 'a', amount: 5, cooldownMs: 60_000, eventId: 'e' })).toMatchObject({
      ...{ onCooldown: true, repeated: false },
    });
    expect(await store.client.keys(`gr:{${guild}}:event:*`)).toEqual([]);
  });

  it.each(['', 'é'.repeat(33), '\ud800', 7])('the event id %s is refused before anything is sent', async (eventId) => {
    const call = writer().award(newGuild(), { userId: 'a', amount: 5, eventId: eventId as string });
    await expect(call).rejects.toThrow('eventId must be a text of 1 to 64 bytes');
  });

  it('a call is done once by bots that repeat each call without a reply, as often as they like', async () => {
    const call = fc.record({
      user: fc.constantFrom('a', 'b'),
      kind: fc.constantFrom('award', 'record', 'many'),
      amount: fc.integer({ min: 0, max: 400 }),
      repeats: fc.integer({ min: 0, max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 12 }), async (calls) => {
        const guild = newGuild();
        const expected = new Map<string, number>();
        const levels = new Map<string, number>();
        for (const [n, { user, kind: what, amount, repeats }] of calls.entries()) {
          const eventId = `event ${n}`;
          const send = () => {
            if (what === 'award') return writer().award(guild, { userId: user, amount, eventId });
            if (what === 'record') return writer().record(guild, { userId: user, add: amount }, { eventId });
            return writer().recordMany(guild, [{ userId: user, add: amount }], { eventId });
          };
          // The bot sees the last reply alone.
          let seen = await send();
          for (let again = 0; again < repeats; again++) seen = await send();
          expected.set(user, (expected.get(user) ?? 0) + amount);
          expect(seen).toMatchObject({ xp: expected.get(user), repeated: repeats > 0 });
          levels.set(user, (levels.get(user) ?? 0) + seen.level - seen.levelBefore);
        }
        for (const [user, xp] of expected) {
          expect(await createReader(store.client).member(guild, user)).toMatchObject({ xp, level: levels.get(user) });
        }
        expect((await openCore(store.client, 'gr').counters.check(guild)).exact).toBe(true);
      }),
      { numRuns: randomRuns(kind === realStore ? 60 : 6) },
    );
  });
});

it.each([
  ["Stream isn't writeable and enableOfflineQueue options is false", true],
  ['The client is closed', true],
  ['The client is offline', true],
  ['Failed to refresh slots cache.', false],
  ["Cluster isn't ready and enableOfflineQueue options is false", false],
  ["Too many Cluster redirections. Last error: Error: Stream isn't writeable", false],
  ['Connection is closed.', false],
  ['Socket closed unexpectedly', false],
  ['no reply within 100 ms', false],
  ['read ECONNRESET', false],
])('an error of %j says whether the command was surely not sent: %s', (message, notSent) => {
  expect(new StoreUnavailableError(new Error(message)).notSent).toBe(notSent);
});
