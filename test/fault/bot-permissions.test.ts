import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { openCore } from '../../src/core/core.ts';
import { MemberCommand, PageCommand, StatsCommand } from '../../src/core/reads/read-commands.ts';
import { BOARDS } from '../../src/core/store/redis-keys.ts';
import { createReader } from '../../src/kit/reader.ts';
import { createWriter } from '../../src/kit/writer.ts';
import { endBoards } from '../support/boards.ts';
import { needs } from '../support/needs.ts';
import { permissionsOf } from './acl.ts';

describe('the users of deploy/redis/users.acl', needs('redis-server'), () => {
  let redis: EmbeddedRedis;
  let bot: Redis;
  let operator: Redis;
  beforeAll(async () => {
    redis = await startEmbeddedRedis();
    const admin = new Redis(redis.url);
    for (const user of ['bot', 'operator']) {
      await admin.call('ACL', 'SETUSER', user, 'on', '>secret', ...permissionsOf(user));
    }
    admin.disconnect();
    bot = new Redis(redis.url, { username: 'bot', password: 'secret' });
    operator = new Redis(redis.url, { username: 'operator', password: 'secret' });
  });
  afterAll(async () => {
    bot?.disconnect();
    operator?.disconnect();
    await redis?.stop();
  });

  it.each([[[]], [['week', 'month'] as const]])(
    'the user bot may run each call of a guild with the boards %j',
    async (boards) => {
      const admin = new Redis(redis.url);
      await admin.flushall();
      if (boards.length > 0) await openCore(operator, 'gr').guildConfig.update('g', { boards });
      const writer = createWriter(bot);
      const reader = createReader(bot);
      if (boards.length > 0) {
        await writer.award('g', { userId: 'a', amount: 5 });
        await writer.award('g', { userId: 'b', amount: 5 });
        await writer.hide('g', ['b'], { reason: 'left' });
        await endBoards(admin, 'g');
        await writer.award('g', { userId: 'a', amount: 5 });
      }
      for (const board of BOARDS) {
        expect((await reader.page('g', 1, 10, { board })).data).toHaveLength(boards.length > 0 ? 1 : 0);
        expect((await reader.around('g', 'a', 1, { board }))?.data ?? []).toHaveLength(boards.length > 0 ? 1 : 0);
        expect((await reader.member('g', 'a', { board }))?.rank ?? 0).toBe(boards.length > 0 ? 1 : 0);
        expect((await reader.stats('g', { board })).totalMembers).toBe(boards.length > 0 ? 1 : 0);
      }
      await writer.unhide('g', ['b'], { reason: 'left' });
      await writer.remove('g', ['a', 'b']);
      await writer.recordMany('g', [
        { userId: 'a', set: 5, username: 'A', level: 3, avatar: '0'.repeat(32) },
        { userId: 'b', set: 5 },
      ]);
      await writer.award('g', {
        userId: 'a',
        amount: 5,
        eventId: 'e',
        factor: 1,
        cooldownMs: 1000,
        username: 'Ann',
        rank: true,
        avatar: null,
      });
      await writer.claimDaily('g', { userId: 'a', reward: 5, eventId: 'c' });
      await writer.setProfiles('g', [{ userId: 'a', level: null }]);
      expect(await writer.describeGuild('g', { name: 'Quiet Hours' })).toBe(true);
      await writer.describeGuild('g', {});
      await writer.hide('g', ['b']);
      expect((await reader.around('g', 'a'))?.data).toHaveLength(1);
      expect(await Promise.all(['a', 'b'].map((id) => reader.card('g', id)))).toMatchObject([
        { rank: 1 },
        { rank: null },
      ]);
      expect((await reader.page('g')).total + ((await reader.member('g', 'a'))?.rank ?? 0)).toBe(2);
      expect(await reader.rules('g')).toBeNull();
      expect(await reader.find('g', 'ann')).toMatchObject([{ userId: 'a' }]);
      expect(await writer.resetSeason('g', { archiveAs: 'g.1' })).toEqual({ archived: 2, reset: 2 });
      expect(await writer.resetSeason('g', { archiveAs: 'g.2', keepMembers: false })).toEqual({
        archived: 2,
        reset: 2,
      });
      await writer.record('g', { userId: 'a', set: 5 });
      await writer.hide('g', ['a'], { reason: 'self' });
      await writer.unhide('g', ['a'], { reason: 'self' });
      await writer.hide('g', ['a'], { reason: 'left' });
      expect(await writer.syncMembers('g', ['a'])).toEqual({ ranked: 0, left: 0, returned: 1 });
      expect(await writer.remove('g', ['a'])).toBe(1);
      const link = await writer.createDashboardLink('g', { url: 'https://dash.example.com/', ttl: 60, userId: 'u' });
      expect(link).toMatch(/^https:\/\/dash\.example\.com\/sign-in\/[\w-]{43}$/);
      // The server has no replica.
      const waiting = createWriter(bot, { replicas: 1 }).record('g', { userId: 'a', set: 5 });
      await expect(waiting).rejects.toThrow('0 of 1 replicas have it');
      const { counters } = openCore(operator, 'gr');
      for (const guild of ['g', 'g.1']) expect((await counters.check(guild)).exact).toBe(true);
      admin.disconnect();
    },
  );

  it('the user guildrank may read each board and find members by name', async () => {
    const admin = new Redis(redis.url);
    await admin.call('ACL', 'SETUSER', 'guildrank', 'on', '>secret', ...permissionsOf('guildrank'));
    const service = new Redis(redis.url, { username: 'guildrank', password: 'secret', enableReadyCheck: false });
    const { guildConfig, writer } = openCore(admin, 'gr');
    await guildConfig.update('read', { boards: ['week', 'month'] });
    await writer.record('read', { userId: 'a', add: 5, username: 'Ann' });
    const { commands, search } = openCore(service, 'gr');
    expect(await search.find('read', 'an')).toMatchObject([{ userId: 'a', rank: 1 }]);
    for (const board of BOARDS) {
      const members = board.endsWith('.prev') ? 0 : 1;
      expect((await commands.read(new PageCommand('read', 1, 10, board))).value.total).toBe(members);
      expect((await commands.read(new MemberCommand('read', 'a', board))).value?.rank ?? 0).toBe(members);
      expect((await commands.read(new StatsCommand('read', board))).value.total_members).toBe(members);
    }
    service.disconnect();
    admin.disconnect();
  });

  it.each(['guildrank', 'bot', 'operator', 'dashboard'])(
    'the user %s may run scripts, and change none of the server',
    async (user) => {
      const admin = new Redis(redis.url);
      try {
        await admin.call('ACL', 'SETUSER', user, 'on', '>secret', ...permissionsOf(user));
        const tried = (...command: string[]) => admin.call('ACL', 'DRYRUN', user, ...command);
        expect(await tried('EVALSHA', '0'.repeat(40), '1', 'gr:{g}:xp')).toBe('OK');
        const others = [
          'FUNCTION FLUSH',
          'FUNCTION LOAD x',
          'FUNCTION DELETE x',
          'SCRIPT FLUSH',
          'SCRIPT KILL',
          'FUNCTION KILL',
        ];
        for (const command of others) expect(await tried(...command.split(' ')), command).toMatch(/no permissions/);
      } finally {
        admin.disconnect();
      }
    },
  );
});
