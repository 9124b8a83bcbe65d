import { describe, expect, it } from 'vitest';
import { freePort } from '../../scripts/dev/embedded-redis.ts';
import { runCommand } from '../support/command.ts';
import { needs } from '../support/needs.ts';
import { redisForTest } from '../support/stores.ts';

const GUILD = ['--guild', 'nosuch'];
/** Every command that works on a Redis, on a guild of which nothing is stored. */
const COMMANDS: readonly (readonly [name: string, args: readonly string[], onNothing: number])[] = [
  ['doctor', [], 1],
  ['keys', ['list', ...GUILD], 0],
  ['keys', ['revoke', ...GUILD, 'nokey'], 3],
  ['keys', ['rotate', ...GUILD, 'nokey'], 3],
  ['guild', ['show', '--guild', 'nosuch'], 3],
  ['guild', ['sign-out', '--guild', 'nosuch'], 3],
  ['guild', ['delete', '--guild', 'nosuch', '--yes'], 0],
  ['guild', ['export', '--guild', 'nosuch', '--paused'], 3],
  ['stats', ['check', '--guild', 'nosuch'], 3],
  ['stats', ['rebuild', '--guild', 'nosuch'], 3],
  ['member', ['show', ...GUILD, 'nobody'], 3],
  ['member', ['export', ...GUILD, 'nobody'], 3],
  ['member', ['rename', ...GUILD, 'nobody', 'x'], 3],
  ['member', ['hide', ...GUILD, 'nobody'], 3],
  ['member', ['remove', ...GUILD, 'nobody', '--yes'], 3],
  ['season', ['reset', ...GUILD, '--archive', 'nosuch.s1', '--yes'], 3],
  ['export', [...GUILD], 3],
];

describe('the exit code of every command', () => {
  it.each(COMMANDS)('%s %j ends with 2 for wrong options or settings, and tries nothing', async (name, args) => {
    const wrong = await runCommand(name, [...args, '--no-such-option']);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("unknown option '--no-such-option'")]);
    const settings = await runCommand(name, args, { REDIS_MODE: 'wrong' });
    expect([settings.code, settings.stderr]).toEqual([2, expect.stringContaining('REDIS_MODE must be one of')]);
  });

  it.each([
    ['keys', []],
    ['guild', []],
  ])('%s %j ends with 2 when the rest is missing, and shows what there is', async (name, args) => {
    const { code, stdout, stderr } = await runCommand(name, args);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(/^Usage: .*Commands:/s)]);
  });

  it.each([
    ['keyz', [], 'keys'],
    ['stats', ['chek', ...GUILD], 'check'],
    ['guild', ['show', ...GUILD, '--jsno'], '--json'],
    ['stats', ['check', '--gild', 'nosuch'], '--guild'],
    ['season', ['reset', ...GUILD, '--archiv', 'nosuch.s1'], '--archive'],
    ['help', ['keyz'], 'keys'],
    ['keys', ['creat', '--help'], 'create'],
  ])('%s %j ends with 2, and names the word that was meant', async (name, args, meant) => {
    const { code, stderr } = await runCommand(name, args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`(Did you mean ${meant}?)`)]);
  });

  it('a command ends with 2 without an option that it needs, and names the option', async () => {
    const { code, stderr } = await runCommand('season', ['reset', ...GUILD]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("required option '--archive <id>' not specified")]);
  });

  it('help keys create ends with 0, and prints what keys create --help does', async () => {
    const help = await runCommand('help', ['keys', 'create']);
    const option = await runCommand('keys', ['create', '--help']);
    expect(help).toEqual(option);
    expect([help.code, help.stdout]).toEqual([0, expect.stringContaining('--expires')]);
    expect((await runCommand('help', ['help'])).stdout).toContain('Usage: guildrank <command>');
  });

  it('help with options ends with 0, and runs nothing', async () => {
    const { code, stdout } = await runCommand('help', ['guild', 'delete', '--yes', '--guild']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('guild -- delete')]);
  });

  it.each(COMMANDS)('%s %j ends with 1 when Redis is away', async (name, args) => {
    const env = { REDIS_URL: `redis://127.0.0.1:${await freePort()}` };
    expect((await runCommand(name, args, env, { connectTimeoutMs: 200 })).code).toBe(1);
  });

  it(
    'a command ends with 3, and says so, where a guild that does not exist would pass otherwise',
    needs('redis-server'),
    async () => {
      const { url, client } = await redisForTest();
      for (const [name, args, onNothing] of COMMANDS) {
        const { code, stderr } = await runCommand(name, args, { REDIS_URL: url });
        expect([name, ...args, code]).toEqual([name, ...args, onNothing]);
        if (code === 3)
          expect(stderr).toMatch(
            /^(error: )?(Guild nosuch (does not exist|has)|Nothing is stored|These are not members of guild)/,
          );
      }
      expect(await client.keys('*:{nosuch}:xp')).toEqual([]);
    },
  );
});
