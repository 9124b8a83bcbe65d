import { afterEach, beforeEach, expect, it } from 'vitest';
import { deleteGuild } from '../../../src/core/guilds/delete.ts';
import { StagedMembers } from '../../../src/core/replace/staged-members.ts';
import { createWriter } from '../../../src/kit/writer.ts';
import { describeStores } from '../../support/stores.ts';
import { serviceSuite } from '../../support/suite.ts';

describeStores('a hidden member', (kind) => {
  const suite = serviceSuite(kind);
  const writer = () => createWriter(suite.testStore.client);
  const shown = async () => {
    const { body } = await suite.get('/servers/guild/leaderboard').expect(200);
    return [body.total, ...body.data.map(({ user_id, xp }: { user_id: string; xp: number }) => `${user_id} ${xp}`)];
  };
  beforeEach(async () => {
    await writer().recordMany('guild', [
      { userId: 'a', set: 300, username: 'Ann', dailyStreak: 4 },
      { userId: 'b', set: 200 },
      { userId: 'c', set: 0 },
    ]);
  });
  afterEach(async () => {
    expect((await suite.service.store.counters.check('guild')).exact).toBe(true);
  });

  it('a hidden member is in no page, total or counter, gets 404, gains on, and comes back with all of it', async () => {
    expect(await shown()).toEqual([3, 'a 300', 'b 200', 'c 0']);
    expect(await writer().hide('guild', ['a', 'c', 'a', 'nobody'])).toMatchObject({ changed: 2 });
    expect(await shown()).toEqual([1, 'b 200']);
    await suite.get('/servers/guild/members/a').expect(404);
    expect((await suite.get('/servers/guild/stats')).body).toMatchObject({
      total_members: 1,
      total_xp: 200,
      average_level: 1,
    });
    expect(await writer().award('guild', { userId: 'a', amount: 5, rank: true })).toMatchObject({
      hidden: true,
      xp: 305,
      rank: null,
    });
    expect(await writer().record('guild', { userId: 'a', add: 5 })).toMatchObject({ xp: 310, created: 0 });
    expect(await writer().setProfiles('guild', [{ userId: 'a', username: 'Anna' }])).toEqual(['a']);
    expect(await shown()).toEqual([1, 'b 200']);
    expect(await writer().unhide('guild', ['a', 'b'])).toEqual({ changed: 1, hidden: [] });
    expect((await suite.get('/servers/guild/members/a').expect(200)).body).toMatchObject({
      ...{ xp: 310, rank: 1, username: 'Anna', daily_streak: 4 },
    });
  });

  it('a member who opted out, left and came back stays hidden, and so does a member whom a moderator hid', async () => {
    await writer().hide('guild', ['a'], { reason: 'self' });
    await writer().hide('guild', ['b']);
    expect(await writer().hide('guild', ['b', 'a', 'c'], { reason: 'left' })).toEqual({
      changed: 1,
      hidden: [
        { userId: 'b', reasons: ['left', 'moderator'] },
        { userId: 'a', reasons: ['left', 'self'] },
        { userId: 'c', reasons: ['left'] },
      ],
    });
    await writer().award('guild', { userId: 'a', amount: 5 });
    expect(await writer().unhide('guild', ['a', 'b', 'c'], { reason: 'left' })).toEqual({
      changed: 1,
      hidden: [
        { userId: 'a', reasons: ['self'] },
        { userId: 'b', reasons: ['moderator'] },
      ],
    });
    expect(await shown()).toEqual([1, 'c 0']);
    // A bot that gives no reason lifts none of another one.
    expect(await writer().unhide('guild', ['a'])).toEqual({ changed: 0, hidden: [{ userId: 'a', reasons: ['self'] }] });
    expect(await suite.testStore.client.hgetall('gr:{guild}:hidden:reasons')).toEqual({ a: 'self' });
    await writer().unhide('guild', ['a'], { reason: 'self' });
    expect(await writer().unhide('guild', ['b'])).toEqual({ changed: 1, hidden: [] });
    expect(await shown()).toEqual([3, 'a 305', 'b 200', 'c 0']);
    expect(await suite.testStore.client.hlen('gr:{guild}:hidden:reasons')).toBe(0);
  });

  it('a member is hidden only for a reason that exists', async () => {
    const unfit = { reason: 'ban' as 'self' };
    const message = 'reason must be left, self, moderator, not "ban"';
    await expect(writer().hide('guild', ['a'], unfit)).rejects.toThrow(message);
    await expect(writer().unhide('guild', ['a'], unfit)).rejects.toThrow(message);
    expect(await shown()).toEqual([3, 'a 300', 'b 200', 'c 0']);
  });

  it('a hidden member is put back with the XP of both places when a raw writer had added some to the ranking', async () => {
    await writer().hide('guild', ['a', 'b']);
    const { client } = suite.testStore;
    await client.multi().zincrby('gr:{guild}:xp', 7, 'a').zincrby('gr:{guild}:xp', 9, 'b').exec();
    await suite.service.store.counters.rebuild('guild');
    expect(await writer().unhide('guild', ['a'])).toMatchObject({ changed: 1 });
    expect(await writer().hide('guild', ['b'])).toMatchObject({ changed: 1 });
    expect(await shown()).toEqual([2, 'a 307', 'c 0']);
    expect(await client.zscore('gr:{guild}:hidden', 'b')).toBe('209');
    await client.zadd('gr:{guild}:xp', 1, 'b');
    await suite.service.store.counters.rebuild('guild');
    expect(await writer().remove('guild', ['b'])).toBe(1);
    expect(await client.zcard('gr:{guild}:hidden')).toBe(0);
  });

  it('a hidden member is erased with its cooldown, and nothing else', async () => {
    const { client } = suite.testStore;
    await writer().award('guild', { userId: 'a', amount: 1, cooldownMs: 60_000 });
    await writer().hide('guild', ['a'], { reason: 'self' });
    expect(await writer().remove('guild', ['a', 'nobody'])).toBe(1);
    expect(await client.zcard('gr:{guild}:hidden')).toBe(0);
    expect(await client.hlen('gr:{guild}:hidden:reasons')).toBe(0);
    // ioredis-mock keeps an empty set.
    const keys = (await client.keys('gr:{guild}:*')).filter((key) => !key.includes(':hidden'));
    expect(keys.sort()).toEqual(['keys', 'stats', 'xp'].map((key) => `gr:{guild}:${key}`));
  });

  it('a hidden member stays hidden when an import replaces all members, even when the import lacks it', async () => {
    await writer().hide('guild', ['a', 'c']);
    const staged = await StagedMembers.lock(suite.service.store, 'guild');
    await staged.stage([
      { userId: 'a', set: 50 },
      { userId: 'd', set: 60 },
    ]);
    await staged.putInPlace();
    await staged.end();
    expect(await shown()).toEqual([1, 'd 60']);
    const hidden = await suite.testStore.client.zrange('gr:{guild}:hidden', 0, -1, 'WITHSCORES');
    expect(hidden).toEqual(['c', '0', 'a', '50']);
  });

  it('a hidden member is deleted with its guild, and so is its profile', async () => {
    await writer().hide('guild', ['a'], { reason: 'self' });
    expect(await deleteGuild(suite.service.store, 'guild')).toMatchObject({ members: 3 });
    expect(await suite.testStore.client.keys('gr:{guild}:*')).toEqual(['gr:{guild}:sessions']);
  });
});
