import { expect, it } from 'vitest';
import { endBoards } from '../../support/boards.ts';
import { describeStores } from '../../support/stores.ts';
import { serviceSuite } from '../../support/suite.ts';

describeStores('the boards of a guild over HTTP', (kind) => {
  const suite = serviceSuite(kind);
  const rows = async (id: string) =>
    (await suite.get(`/servers/${id}/leaderboard`).expect(200)).body.data.map(
      ({ user_id, xp, level, username }: Record<string, unknown>) => `${user_id} ${username} ${xp} ${level}`,
    );
  const begin = async () => {
    const { writer, guildConfig } = suite.service.store;
    await writer.recordMany('guild', [
      { userId: 'a', set: 4674, username: 'Ann' },
      { userId: 'b', set: 100 },
    ]);
    await guildConfig.update('guild', { boards: ['week', 'month'] });
    await writer.recordMany('guild', [
      { userId: 'a', add: 1 },
      { userId: 'b', add: 20 },
      { userId: 'c', set: 70 },
    ]);
  };

  it('a board ranks members by the XP gained, with the names and levels of the guild', async () => {
    await begin();
    for (const board of ['week', 'month']) expect(await rows(`guild~${board}`)).toEqual(['b b 20 1', 'a Ann 1 10']);
    expect(await rows('guild~week.prev')).toEqual([]);
    const member = await suite.get('/servers/guild~week/members/a').expect(200);
    expect(member.body).toMatchObject({ user_id: 'a', username: 'Ann', level: 10, xp: 1, rank: 2 });
    await suite.get('/servers/guild~week/members/c').expect(404);
    const stats = await suite.get('/servers/guild~month/stats').expect(200);
    expect(stats.body).toMatchObject({ total_members: 2, total_xp: 21, average_level: 6 });
    const page = await suite.get('/servers/guild~week/leaderboard?limit=1&page=2').expect(200);
    expect(page.body).toMatchObject({ total: 2, page: 2, data: [{ rank: 2, user_id: 'a' }] });
  });

  it('a board is empty before anybody gains XP, and in a guild without boards', async () => {
    for (const board of ['week', 'month.prev']) {
      const { body } = await suite.get(`/servers/guild~${board}/leaderboard`).expect(200);
      expect(body).toEqual({ data: [], total: 0, page: 1 });
      const stats = await suite.get(`/servers/guild~${board}/stats`).expect(200);
      expect(stats.body).toMatchObject({ total_members: 0, total_xp: 0, average_level: 0 });
    }
  });

  it('a new board begins when the week is over, whether or not anybody writes, and cached or not', async () => {
    await begin();
    const { headers } = await suite.get('/servers/guild~week/leaderboard').expect(200);
    await suite.get('/servers/guild~week/leaderboard').set('if-none-match', String(headers.etag)).expect(304);
    await endBoards(suite.testStore.client, 'guild', ['week']);
    expect(await rows('guild~week')).toEqual([]);
    expect(await rows('guild~week.prev')).toEqual(['b b 20 1', 'a Ann 1 10']);
    expect(await rows('guild~month')).toEqual(['b b 20 1', 'a Ann 1 10']);
    const over = await suite.get('/servers/guild~week.prev/stats').expect(200);
    expect(over.body).toMatchObject({ total_members: 2, total_xp: 21, average_level: 6 });
    await suite.service.store.writer.record('guild', { userId: 'b', add: 5 });
    expect(await rows('guild~week')).toEqual(['b b 5 1']);
    expect(await rows('guild~week.prev')).toEqual(['b b 20 1', 'a Ann 1 10']);
    expect(await rows('guild~month')).toEqual(['b b 25 1', 'a Ann 1 10']);
  });

  it('a finished board stays readable as the last board for one week, cached or not', async () => {
    await begin();
    const ofLast = async () => {
      await endBoards(suite.testStore.client, 'guild', ['week']);
      return rows('guild~week.prev');
    };
    expect(await ofLast()).toEqual(['b b 20 1', 'a Ann 1 10']);
    expect(await ofLast()).toEqual([]);
    expect(await ofLast()).toEqual([]);
  });

  it('a key of another guild gets 403 for a board, and a board counts against the quota of its guild', async () => {
    const other = await suite.service.store.apiKeys.create('other', 'test', null);
    const { body } = await suite.get('/servers/guild~week/leaderboard', other.key).expect(403);
    expect(body.code).toBe('wrong_guild');
    const before = await suite.get('/servers/guild/stats').expect(200);
    const after = await suite.get('/servers/guild~week/stats').expect(200);
    const left = ({ headers }: typeof after) => Number(headers['x-ratelimit-remaining']);
    expect(left(before) - left(after)).toBe(1);
  });

  it.each(['guild~day', 'guild~', 'guild~week~week', 'guild~week.', 'guild~WEEK', '~week', 'a b~week'])(
    'the guild id %s gets 400, which says how to name a board',
    async (id) => {
      const { body } = await suite.get(`/servers/${encodeURIComponent(id)}/stats`).expect(400);
      expect(body).toMatchObject({
        code: 'invalid_request',
        errors: [
          { parameter: 'guild_id', detail: expect.stringContaining('~week, ~week.prev, ~month or ~month.prev') },
        ],
      });
    },
  );
});
