import { expect, it } from 'vitest';
import { describeStores, realStore } from '../../support/stores.ts';
import { serviceSuite } from '../../support/suite.ts';

describeStores('GET /servers/{guild_id}/members/{user_id}', (kind) => {
  const suite = serviceSuite(kind);

  it('a member has exactly the fields of the contract', async () => {
    await suite.service.store.writer.record('guild', {
      userId: '123456789012345678',
      set: 4674,
      username: 'Ann 🦊',
      dailyStreak: 12,
      lastDailyClaim: '2026-01-15T10:00:00+02:00',
    });
    const { body } = await suite.get('/servers/guild/members/123456789012345678').expect(200);
    expect(body).toEqual({
      user_id: '123456789012345678',
      username: 'Ann 🦊',
      level: 9,
      xp: 4674,
      rank: 1,
      daily_streak: 12,
      last_daily_claim: '2026-01-15T08:00:00.000Z',
    });
  });

  it('the rank of a member is that of its leaderboard row, even among ties', async () => {
    await suite.service.store.writer.recordMany(
      'guild',
      ['9', '10', '100', 'a'].map((userId) => ({ userId, set: 500 })),
    );
    const page = await suite.get('/servers/guild/leaderboard').expect(200);
    for (const row of page.body.data) {
      const { body } = await suite.get(`/servers/guild/members/${row.user_id}`).expect(200);
      expect(body).toMatchObject(row);
    }
  });

  it('a member without a stored profile shows its user id as the name, a streak of 0 and null for the claim', async () => {
    await suite.service.store.writer.record('guild', { userId: 'u', set: 0 });
    const { body } = await suite.get('/servers/guild/members/u').expect(200);
    expect(body).toMatchObject({ username: 'u', daily_streak: 0, last_daily_claim: null, level: 0, xp: 0 });
  });

  it('a user who is not ranked gets 404, even when a profile is stored', async () => {
    await suite.testStore.client.hset('gr:{guild}:members', 'ghost', '- 0 - Ghost');
    const { body } = await suite.get('/servers/guild/members/ghost').expect(404);
    expect(body).toMatchObject({ code: 'member_not_found', status: 404, title: 'Not Found' });
  });

  it('values that a raw writer should not have left do not break a member', async () => {
    const client = suite.testStore.client;
    await client.zadd('gr:{guild}:xp', '12.7', 'half', '-5', 'below');
    await client.hset('gr:{guild}:members', { half: 'x -2 yesterday', below: '- 3 0 Below' });
    const { body } = await suite.get('/servers/guild/members/half').expect(200);
    expect(body).toMatchObject({ xp: 12, level: 0, daily_streak: 0, last_daily_claim: null });
    expect((await suite.get('/servers/guild/members/below')).body).toMatchObject({
      ...{ xp: 0, rank: 2, username: 'Below', daily_streak: 3, last_daily_claim: '1970-01-01T00:00:00.000Z' },
    });
  });

  // ioredis-mock has no infinite scores.
  if (kind === realStore)
    it('an infinite score shows the largest XP', async () => {
      await suite.testStore.client.zadd('gr:{guild}:xp', '+inf', 'above', '-inf', 'below', 5, 'between');
      const { body } = await suite.get('/servers/guild/leaderboard').expect(200);
      const rows = body.data.map(({ user_id, xp }: { user_id: string; xp: number }) => [user_id, xp]);
      expect(rows).toEqual([
        ['above', Number.MAX_SAFE_INTEGER],
        ['between', 5],
        ['below', 0],
      ]);
      expect((await suite.get('/servers/guild/members/above')).body).toMatchObject({
        xp: Number.MAX_SAFE_INTEGER,
        rank: 1,
      });
    });
});
