import { describe, expect, it } from 'vitest';
import { createWriter } from '../../../src/kit/writer.ts';
import { storeSuite } from '../../support/store-suite.ts';
import { realStore } from '../../support/stores.ts';

// ioredis-mock has no limits on arguments and on the stack of Lua.
describe('a call with many members', realStore.needs, () => {
  const suite = storeSuite(realStore);
  const writer = () => createWriter(suite.store.client);
  /** More arguments than one call of a function takes. */
  const MANY = 40_000;
  const ids = (count: number) => Array.from({ length: count }, (_, n) => `u${n}`);
  const records = (count: number) => ids(count).map((userId, n) => ({ userId, set: n }));

  it('a call with many members records, hides, shows, renames and removes all of them', async () => {
    const guild = suite.newGuild();
    const all = ids(MANY);
    const { created, members, xp } = await writer().recordMany(guild, records(MANY));
    expect({ created, xp }).toEqual({ created: MANY, xp: MANY - 1 });
    expect(members.map(({ userId }) => userId)).toEqual(all);
    const others = Array.from({ length: 160_000 }, (_, n) => `other${n}`);
    const hidden = await writer().hide(guild, [...all, ...others], { reason: 'self' });
    expect([hidden.changed, hidden.hidden.map(({ userId }) => userId)]).toEqual([MANY, all]);
    expect(await writer().unhide(guild, all, { reason: 'self' })).toEqual({ changed: MANY, hidden: [] });
    const updates = ['nobody', ...all].map((userId) => ({ userId, dailyStreak: 1 }));
    expect(await writer().setProfiles(guild, updates)).toEqual(all);
    expect((await suite.store.counters.check(guild)).exact).toBe(true);
    expect(await writer().remove(guild, all)).toBe(MANY);
    expect(await suite.store.client.zcard(`gr:{${guild}}:xp`)).toBe(0);
  });

  it('a call with many members names the refused entry among all, and only the calls before it have recorded members', async () => {
    const guild = suite.newGuild();
    const refused = [...records(700), { userId: 'bad', add: -1 }, ...records(700)];
    await expect(writer().recordMany(guild, refused)).rejects.toMatchObject({ code: 'range', params: { index: 700 } });
    expect(await suite.store.client.zcard(`gr:{${guild}}:xp`)).toBe(500);
    const unfit = [...records(700), { userId: 'bad', set: 0.5 }];
    await expect(writer().recordMany('unfit', unfit)).rejects.toMatchObject({ code: 'xp', params: { index: 700 } });
    expect(await suite.store.client.exists('gr:{unfit}:xp')).toBe(0);
  });
});
