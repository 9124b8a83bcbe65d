import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { createReader } from '../../src/bot/reader.ts';
import { createWriter } from '../../src/bot/writer.ts';
import { servicesOn } from '../../src/cli/services.ts';
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

  it('bot may run each call of the writer and of the reader', async () => {
    const writer = createWriter(bot);
    const reader = createReader(bot);
    await writer.recordMany('g', [
      { userId: 'a', set: 5, profile: { username: 'A', level: 3 } },
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
    });
    await writer.claimDaily('g', { userId: 'a', reward: 5, eventId: 'c' });
    await writer.setProfiles('g', [{ userId: 'a', profile: { level: null } }]);
    await writer.hide('g', ['b']);
    expect((await reader.around('g', 'a'))?.data).toHaveLength(1);
    expect(await Promise.all(['a', 'b'].map((id) => reader.card('g', id)))).toMatchObject([
      { rank: 1 },
      { rank: null },
    ]);
    expect((await reader.page('g')).total + ((await reader.member('g', 'a'))?.rank ?? 0)).toBe(2);
    expect(await reader.rules('g')).toBeNull();
    expect(await writer.resetSeason('g', { archiveAs: 'g.1' })).toEqual({ archived: 2, reset: 2 });
    expect(await writer.resetSeason('g', { archiveAs: 'g.2', keepMembers: false })).toEqual({ archived: 2, reset: 2 });
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
    const { audit } = servicesOn(operator, 'gr', ['free']);
    expect((await audit.check('g.1')).exact).toBe(true);
  });

  it.each(['guildrank', 'bot', 'operator', 'dashboard'])(
    '%s may run scripts, and change none of the server',
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
