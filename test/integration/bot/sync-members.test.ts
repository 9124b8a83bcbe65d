import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Core, openCore } from '../../../src/core/core.ts';
import { HIDE_REASONS } from '../../../src/core/ranking/model.ts';
import type { ScriptClient } from '../../../src/core/store/scripts.ts';
import { createWriter } from '../../../src/kit/writer.ts';
import { GuildModel } from '../../model/guild-model.ts';
import { needs } from '../../support/needs.ts';
import { realStore, type TestStore } from '../../support/stores.ts';
import { randomRuns } from '../../support/variants.ts';

const ids = (count: number) => Array.from({ length: count }, (_, n) => `u${n}`);

describe('syncMembers', needs('redis-server'), () => {
  let store: TestStore;
  let core: Core;
  let guilds = 0;
  beforeAll(async () => {
    store = await realStore.start();
    core = openCore(store.client, 'gr');
  });
  afterAll(() => store.stop());

  const writer = () => createWriter(store.client);
  const fill = (guild: string, count: number) =>
    writer().recordMany(
      guild,
      ids(count).map((userId, n) => ({ userId, set: n })),
    );

  it('a sync gives "left" to ranked members who are absent, and takes it from members who are present, whatever else hides them', async () => {
    const id = fc.constantFrom(...ids(8));
    const place = fc.tuple(fc.constantFrom('hide' as const, 'unhide' as const), id, fc.constantFrom(...HIDE_REASONS));
    const present = fc.uniqueArray(fc.constantFrom(...ids(8), 'other'), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(fc.array(place, { maxLength: 12 }), present, async (places, here) => {
        const guild = `g${guilds++}`;
        const model = new GuildModel();
        for (const userId of ids(8)) model.gain(userId, 5);
        await fill(guild, 8);
        for (const [direction, userId, reason] of places) {
          await writer()[direction](guild, [userId], { reason });
          model.move([userId], direction, reason);
        }
        const ranked = model.ranking();
        const left = ranked.filter((userId) => !here.includes(userId));
        const returned = here.filter((userId) => model.members.get(userId)?.reasons.includes('left'));
        const result = { ranked: ranked.length, left: left.length, returned: returned.length };
        expect(await writer().syncMembers(guild, here, { dryRun: true })).toEqual(result);
        expect(await writer().syncMembers(guild, here, { maxShare: 1 })).toEqual(result);
        model.move(left, 'hide', 'left');
        model.move(returned, 'unhide', 'left');
        const stored = await store.client.zrange(`gr:{${guild}}:xp`, 0, -1);
        expect(stored.sort()).toEqual(model.ranking().sort());
        expect(await store.client.hgetall(`gr:{${guild}}:hidden:reasons`)).toEqual(model.storedReasons());
        expect((await core.counters.check(guild)).exact).toBe(true);
      }),
      { numRuns: randomRuns(60) },
    );
  });

  it('a sync takes any number of members in bounded steps, and leaves members alone who came meanwhile', async () => {
    const guild = `g${guilds++}`;
    await fill(guild, 12_000);
    await writer().hide(guild, ids(2000), { reason: 'left' });
    const present = new Set(ids(11_000));
    const sizes: number[] = [];
    const client: ScriptClient = {
      evalsha: async (...call) => {
        const reply = await store.client.evalsha(...call);
        sizes.push(call.length, Array.isArray(reply) ? reply.length : 0);
        // The last one comes while the call runs.
        present.add('u11999');
        return reply;
      },
      eval: store.client.eval.bind(store.client),
    };
    present.delete('u11999');
    const { ranked, returned } = await createWriter(client).syncMembers(guild, present);
    expect([ranked, returned]).toEqual([10_000, 2000]);
    expect(Math.max(...sizes)).toBeLessThan(1000);
    expect(await store.client.zcard(`gr:{${guild}}:xp`)).toBe(11_001);
    expect(await store.client.zscore(`gr:{${guild}}:xp`, 'u11999')).toBe('11999');
    expect((await core.counters.check(guild)).exact).toBe(true);
  });

  it('a sync changes nothing for a list that is incomplete, empty or no list of ids', async () => {
    const guild = `g${guilds++}`;
    await fill(guild, 10);
    const tooMany =
      'The list lacks 3 of 10 ranked members, which is 30 %, and at most 20 % may be hidden: nothing was changed';
    await expect(writer().syncMembers(guild, ids(7))).rejects.toThrow(tooMany);
    await expect(writer().syncMembers(guild, ids(7), { maxShare: 0.29 })).rejects.toThrow('raise maxShare');
    await expect(writer().syncMembers(guild, [])).rejects.toThrow('is empty');
    await expect(writer().syncMembers(guild, new Set(), { maxShare: 1 })).rejects.toThrow('is empty');
    await expect(writer().syncMembers(guild, [7 as unknown as string])).rejects.toThrow('The user id 7 (number)');
    for (const maxShare of [-0.1, 1.1, Number.NaN, '1' as unknown as number])
      await expect(writer().syncMembers(guild, ids(10), { maxShare })).rejects.toThrow('a number from 0 to 1');
    expect(await store.client.zcard(`gr:{${guild}}:xp`)).toBe(10);
    expect(await writer().syncMembers(guild, ids(8))).toEqual({ ranked: 10, left: 2, returned: 0 });
  });
});
