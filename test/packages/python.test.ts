import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { scriptNames, scriptSource } from '../../src/core/store/scripts.ts';
import { needs } from '../support/needs.ts';
import { repository, runProgram } from '../support/run-command.ts';
import { ALL_VARIANTS, someCases } from '../support/variants.ts';

/** The Python that Debian installs python3-redis and python3-discord for. */
const python = '/usr/bin/python3';

describe('in Python', needs('redis-server', 'python3-redis'), () => {
  const lua = mkdtempSync(join(tmpdir(), 'guildrank-lua-'));
  /** The cases of all scripts, and those of them that these tests have. The first tier has all, in JavaScript. */
  const [written, cases] = [join(repository, 'conformance'), join(lua, 'conformance')];
  const examples = join(repository, 'examples');
  let redis: EmbeddedRedis;
  let replica: EmbeddedRedis;
  beforeAll(async () => {
    for (const name of scriptNames()) writeFileSync(join(lua, `${name}.lua`), scriptSource(name));
    mkdirSync(cases);
    for (const name of readdirSync(written).filter((each) => each.endsWith('.json'))) {
      const suite = JSON.parse(readFileSync(join(written, name), 'utf8'));
      const some = suite.cases ? { ...suite, cases: someCases(suite.cases) } : suite;
      writeFileSync(join(cases, name), JSON.stringify(some));
    }
    redis = await startEmbeddedRedis(['--repl-diskless-sync-delay', '0']);
    replica = await startEmbeddedRedis();
  });
  afterAll(async () => {
    await redis?.stop();
    await replica?.stop();
    rmSync(lua, { recursive: true });
  });
  let databases = 0;
  /** Runs a program of Python in a folder of examples. @param database numbers one that no other run uses; by default an empty one. */
  const run = (folder: string, args: readonly string[], database = databases++) => {
    const env = {
      TEST_REDIS_URL: `${redis.url}/${database}`,
      TEST_REPLICA_URL: `${replica.url}/${database}`,
      LUA: lua,
      PYTHONPATH: join(examples, 'python'),
      PYTHONDONTWRITEBYTECODE: '1',
    };
    return runProgram(python, [...args, ...(args[0] === 'conformance.py' ? [env.TEST_REDIS_URL] : [])], {
      cwd: join(examples, folder),
      env,
    });
  };
  const conformance = ['conformance.py', cases, lua];

  it.concurrent('the kit gets the reply and the data of cases in conformance, and computes those of rules', {
    timeout: 300_000,
  }, async () => {
    const result = await run('python', conformance);
    expect(result).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d{4,} cases, 0 failed\n$/), stderr: '' });
  });

  const succeeds = async (folder: string, file: string) => {
    const result = await run(folder, [file]);
    expect(result, result.stderr).toMatchObject({ code: 0 });
    expect(result.stderr).toMatch(/^\.+\n-+\nRan [1-9]/m);
  };
  it.concurrent.each([
    ['the kit reads members, counters, cards and rules', 'python', 'test_reads.py'],
    ['the kit names what is wrong in rules', 'python', 'test_rules.py'],
    ['the handlers of examples/discord-py do what a levelling bot does', 'discord-py', 'test_handlers.py'],
    ['the commands of examples/discord-py answer their callers', 'discord-py', 'test_commands.py'],
  ])('%s', { timeout: 120_000 }, (_name, folder, file) => succeeds(folder, file));

  // All of these share examples/python/scratch.py.
  const furtherKit = ALL_VARIANTS ? ['reads', 'boards', 'season'] : [];
  const furtherBot = ALL_VARIANTS ? ['commands'] : [];
  it.concurrent.each([
    ...['guildrank', ...furtherKit].map((name): [string, string[]] => ['python', [`test_${name}.py`]]),
    ...['handlers', ...furtherBot].map((name): [string, string[]] => ['discord-py', [`test_${name}.py`]]),
    ['python', conformance],
  ])('tests of the folder %s refuse a database that is not empty, and leave it as it was: %s', async (folder, args) => {
    const database = databases++;
    const client = new Redis(`${redis.url}/${database}`);
    try {
      await client.set('of a bot', '1');
      const { code, stderr } = await run(folder, args, database);
      expect(code).not.toBe(0);
      expect(stderr).toContain('The database has 1 keys, which these tests would delete: give them one that is empty.');
      expect(await client.keys('*')).toEqual(['of a bot']);
    } finally {
      await client.del('of a bot');
      client.disconnect();
    }
  });

  it.concurrent('the kit and the handlers of the bot have right types, by the strict checks of mypy without further settings', {
    ...needs('mypy'),
    timeout: 300_000,
  }, async () => {
    const args = ['--strict', '--cache-dir', join(lua, 'strict'), 'python', 'discord-py/handlers.py'];
    const checked = await runProgram('mypy', args, { cwd: examples, env: { MYPYPATH: 'python:discord-py' } });
    expect(checked).toMatchObject({ code: 0, stderr: '' });
  });

  // mypy reads all types of discord.py, which takes ten seconds.
  if (ALL_VARIANTS)
    it('the bot has right types', { ...needs('mypy', 'python3-discord'), timeout: 300_000 }, async () => {
      const cache = ['--cache-dir', join(lua, 'cache')];
      const args = ['--config-file', 'mypy.ini', '--python-executable', python, ...cache, 'discord-py/bot.py'];
      const checked = await runProgram('mypy', args, { cwd: examples, env: { MYPYPATH: 'python:discord-py' } });
      expect(checked).toMatchObject({ code: 0, stderr: '' });
    });

  it.concurrent('the bot asks for a token', needs('python3-discord'), async () => {
    const bot = await runProgram(python, ['-B', 'bot.py'], {
      cwd: join(examples, 'discord-py'),
      env: { DISCORD_TOKEN: '' },
    });
    expect(bot).toEqual({ code: 1, stdout: '', stderr: 'Set DISCORD_TOKEN to the token of your bot.\n' });
  });

  // These watch the whole server, or make the replica follow it.
  it.each([
    ['the kit records one member and many, hides and shows them', 'test_guildrank.py'],
    ['the kit reads boards, and gives scripts their keys', 'test_boards.py'],
    ['the kit ends a season, after an interruption too', 'test_season.py'],
  ])('%s', { timeout: 120_000 }, (_name, file) => succeeds('python', file));
});
