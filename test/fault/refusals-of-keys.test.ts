import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { type Core, openCore } from '../../src/core/core.ts';
import { StagedMembers } from '../../src/core/replace/staged-members.ts';
import { createWriter } from '../../src/kit/writer.ts';
import { needs } from '../support/needs.ts';
import { expectRefusal, GUILD, GUILD_KINDS, prepare, type ScriptCall, scriptCalls } from './script-calls.ts';

/** A user has a right to the cooldowns of all members, or to none. */
const kindOf = (key: string) => key.replace(/:cooldown:.*/, ':cooldown');

/** Returns the keys among the arguments of a command, which stand before all others. */
function keysAmong(args: readonly string[], command: string): readonly string[] {
  if (['unlink', 'del', 'exists'].includes(command)) return args;
  return args.slice(0, command === 'rename' ? 2 : 1);
}

describe('a refusal by Redis for one key', needs('redis-server'), () => {
  let server: EmbeddedRedis;
  let admin: Redis;
  let core: Core;

  beforeAll(async () => {
    server = await startEmbeddedRedis();
    admin = new Redis(server.url);
    core = openCore(new Redis(server.url), 'gr');
  });
  afterAll(async () => {
    core?.client.disconnect();
    admin?.disconnect();
    await server?.stop();
  });

  /** Returns the commands that a script runs in a call, each with the keys that it runs them on. */
  async function commandsOf(run: ScriptCall['run'], staged: StagedMembers): Promise<Map<string, Set<string>>> {
    const monitor = await admin.monitor();
    const commands = new Map<string, Set<string>>();
    let isOver = false;
    monitor.on('monitor', (_time: string, [name = '', ...args]: string[], source: string) => {
      if (args[0] === 'the call is over') isOver = true;
      const command = name.toLowerCase();
      // Without the right to INFO, a script takes the name of the server as unknown.
      if (source !== 'lua' || command === 'info') return;
      const keys = commands.get(command) ?? new Set<string>();
      for (const key of keysAmong(args, command)) keys.add(key);
      commands.set(command, keys);
    });
    await run(core, staged);
    await admin.echo('the call is over');
    while (!isOver) await delay(1);
    monitor.disconnect();
    return commands;
  }

  /** Gives the user of the calls these rights to commands, at once. */
  const allow = (...rights: string[]) =>
    admin.call('ACL', 'SETUSER', 'bot', 'reset', 'on', 'nopass', '~*', '&*', ...rights);

  const calls = GUILD_KINDS.flatMap((guild) => scriptCalls.map((call) => ({ ...call, guild })));

  it.each(calls)(
    'the script $script of a guild $guild is refused with NOPERM, and changes nothing, whichever key is refused',
    async (call) => {
      const commands = await commandsOf(call.run, await prepare(core, [admin], call.guild));
      expect(commands.size).toBeGreaterThan(0);
      const staged = await prepare(core, [admin], call.guild);
      await allow('+@all');
      const client = new Redis(server.url, { username: 'bot', password: 'x', enableReadyCheck: false });
      onTestFinished(() => client.disconnect());
      const limited = openCore(client, 'gr');
      // The staged members are those of the first connection: its token holds the lock.
      const limitedStaged = Object.assign(Object.create(StagedMembers.prototype), staged, { store: limited });
      for (const [command, keys] of commands) {
        for (const key of keys.size > 0 ? keys : ['no key']) {
          const others = [...keys].filter((other) => kindOf(other) !== kindOf(key));
          const allowed = others.length > 0 ? [`(+${command} ${others.map((other) => `~${other}`).join(' ')})`] : [];
          await allow('+@all', `-${command}`, ...allowed);
          try {
            await expectRefusal([admin], () => call.run(limited, limitedStaged), 'NOPERM');
          } catch (error) {
            throw new Error(`${command} on ${key}: ${(error as Error).message}`, { cause: error });
          }
        }
      }
    },
  );

  it.each(['~week:xp', '~month:xp', '~week:hidden', '~month:hidden'])(
    'a call is refused with WRONGTYPE when gr:{g}%s has another type, and changes nothing',
    async (name) => {
      const key = `gr:{g}${name}`;
      const writer = createWriter(core.client);
      const user = name.endsWith('xp') ? 'a' : 'hidden';
      const attempts = [
        () => writer.award(GUILD, { userId: user, amount: 5 }),
        () => writer.record(GUILD, { userId: user, add: -1 }),
        () => writer.claimDaily(GUILD, { userId: user, reward: 5 }),
        () => writer.setProfiles(GUILD, [{ userId: user, level: 80 }]),
        () => writer.hide(GUILD, ['a']),
        () => writer.unhide(GUILD, ['hidden'], { reason: 'self' }),
        () => writer.remove(GUILD, ['a', 'hidden']),
        ...(user === 'a' ? [() => writer.award(GUILD, { userId: 'new', amount: 5 })] : []),
      ];
      for (const attempt of attempts) {
        await prepare(core, [admin], 'with boards');
        await admin.multi().del(key).rpush(key, 'x').exec();
        await expectRefusal([admin], attempt, 'WRONGTYPE');
      }
    },
  );
});
