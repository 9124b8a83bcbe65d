import { beforeEach, expect, it } from 'vitest';
import { describeStores } from '../../support/stores.ts';
import { serviceSuite } from '../../support/suite.ts';

describeStores('GET /servers/{guild_id}/leaderboard', (kind) => {
  const suite = serviceSuite(kind);
  const path = '/servers/guild/leaderboard';

  beforeEach(async () => {
    await suite.service.store.writer.recordMany('guild', [
      { userId: '9', set: 255, username: 'Nine' },
      { userId: '100', set: 255 },
      { userId: '10', set: 255, level: 40 },
      { userId: '7', set: 4675 },
      { userId: '1', set: 0 },
    ]);
  });

  it('the leaderboard is ordered by XP, then by user id in descending byte order, and counts everyone', async () => {
    const { body } = await suite.get(path).expect(200);
    expect(body).toEqual({
      data: [
        { rank: 1, user_id: '7', username: '7', level: 10, xp: 4675 },
        { rank: 2, user_id: '9', username: 'Nine', level: 2, xp: 255 },
        { rank: 3, user_id: '100', username: '100', level: 2, xp: 255 },
        { rank: 4, user_id: '10', username: '10', level: 40, xp: 255 },
        { rank: 5, user_id: '1', username: '1', level: 0, xp: 0 },
      ],
      total: 5,
      page: 1,
    });
  });

  it('the next page continues the ranks', async () => {
    const { body } = await suite.get(`${path}?limit=2&page=2`).expect(200);
    expect(body).toMatchObject({
      data: [
        { rank: 3, user_id: '100' },
        { rank: 4, user_id: '10' },
      ],
      total: 5,
      page: 2,
    });
  });

  it('a page has 10 entries by default, and up to 100 on request', async () => {
    const many = Array.from({ length: 120 }, (_, i) => ({ userId: `u${i}`, set: 5000 + i }));
    await suite.service.store.writer.recordMany('guild', many);
    expect((await suite.get(path)).body.data).toHaveLength(10);
    expect((await suite.get(`${path}?limit=100`)).body.data).toHaveLength(100);
  });

  it('every name is shown as it is stored, whatever characters it has', async () => {
    const names = [
      'two\nlines',
      'back\\slash',
      'a\\nb',
      '\\',
      '\n',
      ' ',
      '"quoted"',
      'ta\tb',
      '🦊 \u202eאבג',
      '\u0000',
    ];
    for (const [i, username] of names.entries()) {
      await suite.testStore.client.zadd('gr:{guild}:xp', 10_000 - i, `u${i}`);
      await suite.testStore.client.hset('gr:{guild}:members', `u${i}`, `- 0 - ${username}`);
    }
    const { body } = await suite.get('/servers/guild/leaderboard').expect(200);
    expect(body.data.map(({ username }: { username: string }) => username)).toEqual(names);
    for (const i of [0, 1, 9]) {
      expect((await suite.get(`/servers/guild/members/u${i}`).expect(200)).body.username).toBe(names[i]);
    }
  });

  it('XP up to 2^53-1 is shown exactly', async () => {
    await suite.service.store.writer.record('guild', { userId: 'max', set: 9007199254740991n });
    const { text } = await suite.get(`${path}?limit=1`).expect(200);
    expect(text).toContain('"xp":9007199254740991');
  });
});
