import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { type Core, openCore } from '../../src/core/core.ts';
import { GuildCounters } from '../../src/core/counters/counters.ts';
import { StoreUnavailableError } from '../../src/core/errors.ts';
import { deleteGuild } from '../../src/core/guilds/delete.ts';
import { moveGuildIn } from '../../src/core/moves/move-in.ts';
import type { StagedMembers } from '../../src/core/replace/staged-members.ts';
import type { Scripts } from '../../src/core/store/scripts.ts';
import { runCommand } from '../support/command.ts';
import { moveOut } from '../support/guild-move.ts';
import { needs } from '../support/needs.ts';
import { PATIENT } from '../support/wait.ts';
import {
  callsOn,
  contentOf,
  expectRefusal,
  expectRefusals,
  GUILD,
  GUILD_KEYS,
  GUILD_KINDS,
  type GuildKind,
  prepare,
  type ScriptCall,
  scriptCalls,
} from './script-calls.ts';

describe('a refusal by Redis', needs('redis-server'), () => {
  let server: EmbeddedRedis;
  let admin: Redis;
  let core: Core;
  let staged: StagedMembers;

  beforeAll(async () => {
    server = await startEmbeddedRedis(['--dbfilename', 'blocked.rdb']);
    admin = new Redis(server.url);
    core = openCore(new Redis(server.url), 'gr');
  });
  afterEach(async () => {
    await admin.config('SET', 'maxmemory', '0');
    await admin.config('SET', 'min-replicas-to-write', '0');
    await admin.call('REPLICAOF', 'NO', 'ONE');
  });
  afterAll(async () => {
    core?.client.disconnect();
    admin?.disconnect();
    await server?.stop();
  });

  const ready = async (kind?: GuildKind): Promise<void> => {
    staged = await prepare(core, [admin], kind);
  };
  const refused = (call: () => Promise<unknown>, code: string) => expectRefusal([admin], call, code);
  const refusedAll = (calls: readonly ScriptCall[], code: string) =>
    expectRefusals([admin], callsOn(core, staged, calls), code);

  describe.each(GUILD_KINDS)('each script of a guild %s', (kind) => {
    it('each script on a read-only replica is refused with READONLY, and changes nothing', async () => {
      await ready(kind);
      await admin.call('REPLICAOF', '127.0.0.1', '1');
      await refusedAll(scriptCalls, 'READONLY');
    });

    it('each script on a full Redis is refused with OOM, and changes nothing, unless the script deletes', async () => {
      await ready(kind);
      await admin.config('SET', 'maxmemory', '1');
      await refusedAll(
        scriptCalls.filter(({ deletes }) => !deletes),
        'OOM',
      );
      for (const { run } of scriptCalls.filter(({ deletes }) => deletes)) {
        await admin.config('SET', 'maxmemory', '0');
        await ready(kind);
        await admin.config('SET', 'maxmemory', '1');
        await run(core, staged);
      }
    });

    it('each script is refused with NOREPLICAS when too few replicas are there, and changes nothing', async () => {
      await ready(kind);
      await admin.config('SET', 'min-replicas-to-write', '1');
      await refusedAll(scriptCalls, 'NOREPLICAS');
    });
  });

  it('a full Redis does not refuse the deletion of a guild', async () => {
    await admin.flushall();
    await core.writer.recordMany(GUILD, [{ userId: 'a', set: 5 }]);
    await core.apiKeys.create(GUILD, 'x', null);
    await admin.config('SET', 'maxmemory', '1');
    // Only the end of older links cannot be noted.
    expect(await deleteGuild(core, GUILD)).toMatchObject({ members: 1, keys: 1, linksEnded: false });
    expect(await admin.keys('*')).toEqual([]);
    const { code, stdout, stderr } = await runCommand('guild', ['delete', '--guild', GUILD, '--yes'], {
      REDIS_URL: server.url,
    });
    expect([code, stdout]).toEqual([1, `Nothing was stored for guild ${GUILD}.\n`]);
    expect(stderr).toContain('made before still works until it expires: run this command again when Redis has room');
    await admin.config('SET', 'maxmemory', '0');
    expect(await deleteGuild(core, GUILD)).toMatchObject({ members: 0, linksEnded: true });
  });

  it('a full Redis ends an import at the members that have no room', async () => {
    await admin.flushall();
    await core.writer.recordMany(GUILD, [{ userId: 'a', set: 5 }]);
    const lines = await moveOut(core, GUILD);
    await deleteGuild(core, GUILD);
    const filled = async function* () {
      for (const line of lines) {
        if (line.includes('"members"')) await admin.config('SET', 'maxmemory', '1');
        yield line;
      }
    };
    await expect(moveGuildIn(core, filled(), new AbortController().signal)).rejects.toMatchObject({
      reason: expect.stringContaining('OOM'),
    });
    expect(await admin.zcard('gr:{g}:xp')).toBe(0);
  });

  it('each write is refused with MISCONF when Redis cannot save, and changes nothing', async () => {
    const [, folder] = (await admin.config('GET', 'dir')) as [string, string];
    // A folder in the place of the file makes every save fail.
    mkdirSync(join(folder, 'blocked.rdb', 'x'), { recursive: true });
    await ready();
    await admin.config('SET', 'save', '3600 1');
    await admin.bgsave();
    await vi.waitFor(
      async () => expect(await admin.info('persistence')).toContain('rdb_last_bgsave_status:err'),
      PATIENT,
    );
    await refusedAll(scriptCalls, 'MISCONF');
    await admin.config('SET', 'save', '');
    rmSync(join(folder, 'blocked.rdb'), { recursive: true });
  });

  it.each(['usage', 'keys:used', 'keys'])(
    'usage is refused with WRONGTYPE when %s has another type, and changes nothing',
    async (name) => {
      const { run } = scriptCalls.find(({ script }) => script === 'usage') as (typeof scriptCalls)[number];
      await ready();
      await admin.multi().del(`gr:{g}:${name}`).rpush(`gr:{g}:${name}`, 'x').exec();
      await refused(() => run(core, staged), 'WRONGTYPE');
    },
  );

  const TYPED = ['gr:{g}:xp', 'gr:{g}:stats', 'gr:{g}:config', 'gr:{g}:members'];

  it.each(TYPED)('each write is refused with WRONGTYPE when %s has another type, and changes nothing', async (key) => {
    for (const { script, run } of scriptCalls) {
      await ready();
      if (['batch', 'stage', 'usage', 'delete'].includes(script) || script.startsWith('replace-')) continue;
      await admin.multi().del(key).rpush(key, 'x').exec();
      if (script === 'describe' && !key.endsWith('stats')) continue;
      if (script === 'configure' && !/stats|config/.test(key)) continue;
      if (['season-begin', 'season-end-copy'].includes(script) && /:(xp|members)$/.test(key)) continue;
      if (['season-mark', 'season-end-copy'].includes(script) && key.endsWith('config')) continue;
      await refused(() => run(core, staged), 'WRONGTYPE');
    }
  });

  it('the refusal of a counter that is no number names the counter, and changes nothing', async () => {
    await ready();
    await admin.hset('gr:{g}:stats', 'members', 'many');
    const { reason } = await refused(() => core.writer.record(GUILD, { userId: 'a', add: 1 }), 'other');
    expect(reason).toContain('the counter members of gr:{g}:stats');
    await core.client.hdel('gr:{g}:stats', 'recount');
    expect((await core.counters.rebuild(GUILD)).actual.members).toBe(3n);
    await core.writer.record(GUILD, { userId: 'a', add: 1 });
  });

  it('a sum that would leave 64 bits is refused with "total", and changes nothing', async () => {
    await ready();
    for (const field of ['total_xp', 'level_sum']) {
      await admin.hset('gr:{g}:stats', field, '9223372036854775800');
      const before = await contentOf([admin]);
      const write = core.writer.record(GUILD, { userId: 'd', set: 8, level: 8 });
      await expect(write).rejects.toMatchObject({ code: 'total' });
      expect(await contentOf([admin])).toEqual(before);
      await admin.hset('gr:{g}:stats', field, '5');
    }
  });

  it.each(['12345678901234567890 - -', '9007199254740992 - -', `- - - ${'x'.repeat(513)}`, 'nickname x'])(
    'the change %s of a profile is refused with "field", and changes nothing',
    async (change) => {
      await ready();
      const before = await contentOf([admin]);
      const reply = await core.scripts.run({ name: 'record', boards: true }, GUILD_KEYS, 'add 1', 'a', change);
      expect(reply).toEqual(['REFUSED', 0, 'field']);
      expect(await contentOf([admin])).toEqual(before);
    },
  );

  it.each(['', 'a b', 'ä', 'x'.repeat(65)])('the user id %j is refused with "user_id"', async (id) => {
    const reply = await core.scripts.run({ name: 'record', boards: true }, GUILD_KEYS, 'add 1', id, '');
    expect(reply).toEqual(['REFUSED', 0, 'user_id']);
  });

  it('a refusal leaves a count that was begun to its owner', async () => {
    await ready();
    await core.writer.record(GUILD, { userId: 'a', add: 5 });
    await admin.call('REPLICAOF', '127.0.0.1', '1');
    await expect(core.writer.record(GUILD, { userId: 'a', add: 5 })).rejects.toThrow(StoreUnavailableError);
    await admin.call('REPLICAOF', 'NO', 'ONE');
    const scripts = { run: core.scripts.run.bind(core.scripts) } as Scripts;
    await admin.hdel('gr:{g}:stats', 'recount');
    expect((await new GuildCounters({ ...core, scripts }).check(GUILD)).exact).toBe(true);
  });
});
