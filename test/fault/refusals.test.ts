import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { type Services, servicesOn } from '../../src/cli/services.ts';
import { StoreUnavailableError } from '../../src/errors.ts';
import { CounterAudit } from '../../src/leaderboard/counters.ts';
import { StagedMembers } from '../../src/leaderboard/staged-members.ts';
import { CommandBatcher } from '../../src/redis/command-batcher.ts';
import type { Scripts } from '../../src/redis/scripts.ts';
import { createWriter } from '../../src/writer.ts';
import { hasRedis } from '../support/stores.ts';
import { PATIENT } from '../support/wait.ts';

const GUILD = 'g';
const STAGED = ['a', 'b', 'new'];

/** One script call on a guild that {@link prepare} has made. */
interface Operation {
  readonly script: string;
  run(services: Services, staged: StagedMembers): Promise<unknown>;
}

const scriptKeys = ['gr:{g}:xp', 'gr:{g}:stats', 'gr:{g}:config'];

/** The count that {@link prepare} has begun. */
const TOKEN = 'token';
const recount = (services: Services, ...args: (string | number)[]) => {
  const userIds = ['c', 'b', 'a'].map((id) => `gr:{g}:member:${id}`);
  return services.scripts.run('recount', [...scriptKeys, 'gr:{g}:hidden', ...userIds], ...args);
};
const CURVES = 'standard=10,135,455,0,6,1';
/** Runs a mode of season.lua with the lock of the replacement, which both share. */
const season = (services: Services, staged: StagedMembers, mode: string, ...args: (string | number)[]) => {
  const keys = ['hidden', 'season', 'season:xp', 'next:xp:lock', 'member:a', 'member:hidden'].map(
    (key) => `gr:{g}:${key}`,
  );
  return services.scripts.run('season', [...scriptKeys, ...keys], mode, Reflect.get(staged, 'token'), ...args);
};

const operations: Operation[] = [
  {
    script: 'record',
    run: ({ writer }) => writer.record(GUILD, { userId: 'a', add: 5, profile: { username: 'A', level: null } }),
  },
  {
    script: 'record',
    run: ({ writer }) =>
      writer.recordMany(GUILD, [
        { userId: 'a', set: 5 },
        { userId: 'z', set: 9, profile: { level: 3 } },
      ]),
  },
  { script: 'remove', run: ({ writer }) => writer.remove(GUILD, ['a', 'b', 'hidden']) },
  {
    script: 'award',
    run: ({ client }) =>
      createWriter(client).award(GUILD, { userId: 'a', amount: 5, cooldownMs: 999, username: 'A', rank: true }),
  },
  { script: 'award', run: ({ client }) => createWriter(client).award(GUILD, { userId: 'hidden', amount: 5 }) },
  { script: 'claim', run: ({ client }) => createWriter(client).claimDaily(GUILD, { userId: 'a', reward: 5 }) },
  { script: 'record', run: ({ writer }) => writer.record(GUILD, { userId: 'hidden', add: 5 }) },
  { script: 'hide', run: ({ client }) => createWriter(client).hide(GUILD, ['a', 'b']) },
  { script: 'hide', run: ({ client }) => createWriter(client).unhide(GUILD, ['hidden']) },
  { script: 'season', run: (services, staged) => season(services, staged, 'mark', 'a', 'hidden') },
  { script: 'season', run: (services, staged) => season(services, staged, 'reset', 9, 'a', 'hidden') },
  { script: 'season', run: (services, staged) => season(services, staged, 'begin', 'g.archive', 'keep') },
  { script: 'configure', run: ({ guildConfig }) => guildConfig.update(GUILD, { plan: 'pro' }) },
  {
    script: 'recount',
    run: (services) => recount(services, 'step', TOKEN, CURVES, '', 9, 'commit', 'xp_curve', 'standard'),
  },
  { script: 'stage', run: (_, staged) => staged.stage([{ userId: 'y', set: 1, profile: { username: 'Y' } }]) },
  { script: 'list-unstaged', run: (_, staged) => staged.listUnstaged() },
  { script: 'replace', run: (_, staged) => staged.putInPlace() },
  { script: 'sweep', run: (_, staged) => staged.sweep() },
  { script: 'unstage', run: (_, staged) => staged.clear({ unlock: true }) },
  {
    script: 'retire',
    run: ({ scripts }) =>
      scripts.run('retire', [
        ...[...scriptKeys, 'gr:quota:{g}', 'gr:{g}:deleted:xp', 'gr:{g}:hidden'],
        ...['gr:{g}:deleted:hidden', 'gr:{g}:season', 'gr:{g}:season:xp'],
      ]),
  },
  {
    script: 'purge',
    run: ({ scripts }) =>
      scripts.run(
        'purge',
        ['gr:{g}:xp', 'gr:{g}:stats', 'gr:{gone}:deleted:xp', 'gr:{gone}:deleted:hidden', 'gr:{g}:member:gone'],
        'gone',
      ),
  },
  {
    script: 'batch',
    run: ({ client, scripts, redisKeys }) =>
      new CommandBatcher(client, scripts, redisKeys).run(GUILD, 'count 1 3600 100', (reply) => reply),
  },
];

describe.skipIf(!hasRedis)('a refusal by Redis', () => {
  let server: EmbeddedRedis;
  let admin: Redis;
  let services: Services;
  let staged: StagedMembers;

  beforeAll(async () => {
    server = await startEmbeddedRedis(['--dbfilename', 'blocked.rdb']);
    admin = new Redis(server.url);
    services = servicesOn(new Redis(server.url), 'gr', ['free']);
  });
  afterEach(async () => {
    await admin.config('SET', 'maxmemory', '0');
    await admin.config('SET', 'min-replicas-to-write', '0');
    await admin.call('REPLICAOF', 'NO', 'ONE');
  });
  afterAll(async () => {
    services?.client.disconnect();
    admin?.disconnect();
    await server?.stop();
  });

  /** Makes a guild with a count and a replacement under way. */
  const prepare = async (): Promise<void> => {
    await admin.flushall();
    const members = ['a', 'b', 'c'].map((userId, n) => ({
      userId,
      set: 100 * (n + 1),
      profile: { level: 7, username: userId },
    }));
    await services.writer.recordMany(GUILD, members);
    await services.writer.record(GUILD, { userId: 'hidden', set: 50 });
    await createWriter(services.client).hide(GUILD, ['hidden']);
    await services.guildConfig.update(GUILD, { plan: 'free' });
    await admin.set('gr:quota:{g}', '3', 'EX', 3600);
    staged = await StagedMembers.lock(services, GUILD);
    await staged.stage(STAGED.map((userId) => ({ userId, set: 7, profile: { username: `new ${userId}` } })));
    await staged.listUnstaged();
    await admin.zadd('gr:{g}:season:xp', 60, 'a', 20, 'hidden');
    await recount(services, 'begin', TOKEN, CURVES, '', 9);
    // Members of another deletion, so that "retire" finds none of its own.
    await admin.zadd('gr:{gone}:deleted:xp', 1, 'gone', 2, 'gone2');
    await admin.hset('gr:{g}:member:gone', 'username', 'gone');
  };

  /** Returns all content. A script that fails must leave it as it was. */
  const content = async (): Promise<Record<string, string>> => {
    const keys = (await admin.keys('*')).sort();
    const dumps = await Promise.all(keys.map((key) => admin.dumpBuffer(key)));
    return Object.fromEntries(keys.map((key, i) => [key, (dumps[i] as Buffer).toString('base64')]));
  };

  /** Expects that the operation is refused by this name and changes nothing. */
  const expectRefusal = async (run: () => Promise<unknown>, name: string): Promise<void> => {
    const before = await content();
    const error = await run().then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect((error as StoreUnavailableError).reason).toMatch(new RegExp(`\\b${name}\\b`));
    expect(await content()).toEqual(before);
  };

  describe.each(operations)('of $script', ({ script, run }) => {
    /** Scripts that only delete, which a full Redis allows. */
    const deletes = ['unstage', 'retire', 'purge'].includes(script);

    it('because it is a read-only replica is READONLY, and changes nothing', async () => {
      await prepare();
      await admin.call('REPLICAOF', '127.0.0.1', '1');
      await expectRefusal(() => run(services, staged), 'READONLY');
    });

    it(deletes ? 'does not come from a full server' : 'because it is full is OOM, and changes nothing', async () => {
      await prepare();
      await admin.config('SET', 'maxmemory', '1');
      if (deletes) await run(services, staged);
      else await expectRefusal(() => run(services, staged), 'OOM');
    });

    it('because too few replicas are there is NOREPLICAS, and changes nothing', async () => {
      await prepare();
      await admin.config('SET', 'min-replicas-to-write', '1');
      await expectRefusal(() => run(services, staged), 'NOREPLICAS');
    });

    it('because the user lacks a right is NOPERM, and changes nothing, whichever right it is', async () => {
      await prepare();
      await admin.config('RESETSTAT');
      await run(services, staged);
      const used = (await admin.info('commandstats')).matchAll(/^cmdstat_(\w+):/gm);
      const ignored = ['info', 'config', 'eval', 'evalsha', 'zrange', 'zscan', 'publish', 'get'];
      const commands = [...used].map(([, name]) => name as string).filter((name) => !ignored.includes(name));
      expect(commands.length).toBeGreaterThan(0);
      for (const command of commands) {
        await prepare();
        await admin.call('ACL', 'SETUSER', 'bot', 'reset', 'on', 'nopass', '~*', '&*', '+@all', `-${command}`);
        const client = new Redis(server.url, { username: 'bot', password: 'x', enableReadyCheck: false });
        const limited = servicesOn(client, 'gr', ['free']);
        // The staged members are those of the first connection: its token holds the lock.
        const limitedStaged = Object.assign(Object.create(StagedMembers.prototype), staged, { store: limited });
        await expectRefusal(() => run(limited, limitedStaged), "NOPERM|user executing the script can't");
        client.disconnect();
      }
    });
  });

  it('of a write because it cannot save is MISCONF, and changes nothing', async () => {
    const [, folder] = (await admin.config('GET', 'dir')) as [string, string];
    // A folder in the place of the file makes every save fail.
    mkdirSync(join(folder, 'blocked.rdb', 'x'), { recursive: true });
    await prepare();
    await admin.config('SET', 'save', '3600 1');
    await admin.bgsave();
    await vi.waitFor(
      async () => expect(await admin.info('persistence')).toContain('rdb_last_bgsave_status:err'),
      PATIENT,
    );
    for (const { run } of operations) await expectRefusal(() => run(services, staged), 'MISCONF');
    await admin.config('SET', 'save', '');
    rmSync(join(folder, 'blocked.rdb'), { recursive: true });
  });

  const TYPED = ['gr:{g}:xp', 'gr:{g}:stats', 'gr:{g}:config', 'gr:{g}:member:a'];

  it.each(TYPED)('of a write because %s has another type is WRONGTYPE, and changes nothing', async (key) => {
    for (const { script, run } of operations) {
      await prepare();
      if (['batch', 'unstage', 'stage', 'retire', 'purge', 'list-unstaged'].includes(script)) continue;
      if (key.endsWith('config') && ['configure', 'recount'].includes(script) === false && script === 'batch') continue;
      await admin.multi().del(key).rpush(key, 'x').exec();
      if (script === 'configure' && !/stats|config/.test(key)) continue;
      // These do not touch the member.
      const isElsewhere =
        script === 'sweep' || (!['remove', 'season'].includes(script) && String(run).includes('hidden'));
      if (isElsewhere && key.endsWith(':a')) continue;
      if (/begin/.test(String(run)) && /:(xp|a)$/.test(key)) continue;
      if (/mark/.test(String(run)) && key.endsWith('config')) continue;
      await expectRefusal(() => run(services, staged), 'WRONGTYPE');
    }
  });

  it('of a counter that is no number names the counter, and changes nothing', async () => {
    await prepare();
    await admin.hset('gr:{g}:stats', 'members', 'many');
    await expectRefusal(
      () => services.writer.record(GUILD, { userId: 'a', add: 1 }),
      'the counter members of gr:.g.:stats',
    );
    await services.client.hdel('gr:{g}:stats', 'recount');
    expect((await services.audit.rebuild(GUILD)).actual.members).toBe(3n);
    await services.writer.record(GUILD, { userId: 'a', add: 1 });
  });

  it('of a sum that would leave 64 bits is "total", and changes nothing', async () => {
    await prepare();
    for (const field of ['total_xp', 'level_sum']) {
      await admin.hset('gr:{g}:stats', field, '9223372036854775800');
      const before = await content();
      const write = services.writer.record(GUILD, { userId: 'd', set: 8, profile: { level: 8 } });
      await expect(write).rejects.toMatchObject({ reason: 'total' });
      expect(await content()).toEqual(before);
      await admin.hset('gr:{g}:stats', field, '5');
    }
  });

  it.each([
    ['level', '12345678901234567890'],
    ['level', '9007199254740992'],
    ['username', 'x'.repeat(1025)],
    ['nickname', 'x'],
  ])('of the profile field %s with the value %s is "field", and changes nothing', async (field, value) => {
    await prepare();
    const before = await content();
    const args = ['gr:{g}:member:', CURVES, 'add', 'a', '1', '1', field, value];
    expect(await services.scripts.run('record', scriptKeys, ...args)).toEqual(['REFUSED', 0, 'field']);
    expect(await content()).toEqual(before);
  });

  it.each(['', 'a b', 'ä', 'x'.repeat(65)])('of the user id %j is "user_id"', async (id) => {
    const reply = await services.scripts.run('record', scriptKeys, 'gr:{g}:member:', CURVES, 'add', id, '1', '0');
    expect(reply).toEqual(['REFUSED', 0, 'user_id']);
  });

  it('leaves a count that was begun to its owner', async () => {
    await prepare();
    await services.writer.record(GUILD, { userId: 'a', add: 5 });
    await admin.call('REPLICAOF', '127.0.0.1', '1');
    await expect(services.writer.record(GUILD, { userId: 'a', add: 5 })).rejects.toThrow(StoreUnavailableError);
    await admin.call('REPLICAOF', 'NO', 'ONE');
    const scripts = { run: services.scripts.run.bind(services.scripts) } as Scripts;
    await admin.hdel('gr:{g}:stats', 'recount');
    expect((await new CounterAudit(scripts, services.redisKeys).check(GUILD)).exact).toBe(true);
  });
});
