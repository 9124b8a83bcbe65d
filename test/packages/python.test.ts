import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { foldText } from '../../src/core/reads/fold-text.ts';
import { type Refusals, tell } from '../../src/core/refusals.ts';
import { scriptNames, scriptSource } from '../../src/core/store/scripts.ts';
import { startCluster } from '../support/cluster.ts';
import { needs } from '../support/needs.ts';
import { installPythonKit, PYTHON_KIT, type PythonKit } from '../support/python-kit.ts';
import { repository, runProgram } from '../support/run-command.ts';
import { startSentinelSet } from '../support/sentinel.ts';
import { ALL_VARIANTS, someCases } from '../support/variants.ts';
import { INSTALLING_MS } from '../support/wait.ts';

const TESTS = join(repository, 'python/tests');
const BOT = join(repository, 'examples/discord-py');
const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));

describe('the kit for Python', needs('redis-server', ...PYTHON_KIT), () => {
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-python-'));
  /** The cases of all scripts, and those of them that these tests have. The first tier has all, in JavaScript. */
  const written = join(repository, 'conformance');
  const cases = join(folder, 'conformance');
  let kit: PythonKit;
  let redis: EmbeddedRedis;
  let replica: EmbeddedRedis;
  beforeAll(async () => {
    kit = await installPythonKit(join(folder, 'kit'));
    mkdirSync(cases);
    for (const name of readdirSync(written).filter((each) => each.endsWith('.json'))) {
      const suite = JSON.parse(readFileSync(join(written, name), 'utf8'));
      const some = suite.cases ? { ...suite, cases: someCases(suite.cases) } : suite;
      writeFileSync(join(cases, name), JSON.stringify(some));
    }
    redis = await startEmbeddedRedis(['--repl-diskless-sync-delay', '0']);
    replica = await startEmbeddedRedis();
  }, INSTALLING_MS);
  afterAll(async () => {
    await redis?.stop();
    await replica?.stop();
    rmSync(folder, { recursive: true });
  });

  it('the wheel has this version, its types, its license, and the scripts of the kit for JavaScript', async () => {
    const lua = join(kit.folder, 'lua');
    const scripts = readdirSync(lua).map((name) => [name, readFileSync(join(lua, name), 'utf8')]);
    expect(new Map(scripts as [string, string][])).toEqual(
      new Map(scriptNames().map((name) => [`${name}.lua`, scriptSource(name)])),
    );
    expect(readdirSync(kit.folder)).toContain('py.typed');
    const about = join(kit.folder, `../guildrank-${version}.dist-info`);
    const license = readFileSync(join(repository, 'LICENSE'), 'utf8');
    expect(readFileSync(join(about, 'licenses/LICENSE'), 'utf8')).toBe(license);
    const code =
      'import guildrank, importlib.metadata; print(guildrank.__version__, importlib.metadata.version("guildrank"))';
    const { stdout } = await runProgram(kit.python, ['-c', code]);
    expect(stdout).toBe(`${version} ${version}\n`);
  });

  it('a refusal has the words of the kit for JavaScript', async () => {
    const params = {
      ...{
        index: 0,
        guild: 'G',
        archive: 'G.1',
        user: '7 "',
        list: 'gr:{G}:xp',
        seconds: 9,
        left: 3,
        ranked: 9,
        share: 33.3,
      },
      ...{ maxShare: 20, max_share: 20 },
    };
    const code = `import json, sys; from guildrank import RefusedError; from guildrank.refusals import SENTENCES
params = json.loads(sys.argv[1])
print(json.dumps({code: RefusedError(code, params).tell() for code in SENTENCES}))`;
    const { stdout, stderr } = await runProgram(kit.python, ['-c', code, JSON.stringify(params)]);
    expect(stderr).toBe('');
    const told: Record<string, string> = JSON.parse(stdout);
    expect(Object.keys(told)).toHaveLength(18);
    for (const [code, sentence] of Object.entries(told)) {
      const own = tell(code as keyof Refusals, params as never, {});
      const inPython = own.replace('maxShare', 'max_share').replaceAll('eventId', 'event_id');
      expect(sentence).toBe(inPython);
    }
  });

  it('a search takes each character for what the kit for JavaScript takes it for', async () => {
    const file = join(folder, 'folded.json');
    const folded: Record<string, string> = {};
    for (let code = 0; code < 0x20000; code++) {
      const character = String.fromCodePoint(code);
      if (!/[\p{Cn}\p{Cs}]/u.test(character)) folded[character] = foldText(`x ${character}Ä`);
    }
    writeFileSync(file, JSON.stringify(folded));
    // A version of Python can lack characters that this one of Node knows.
    const code = `import json, sys, unicodedata; from guildrank.name_search import fold_text
folded = json.load(open(sys.argv[1], encoding="utf-8"))
print([c for c, text in folded.items() if unicodedata.category(c) != "Cn" and fold_text(f"x {c}Ä") != text], len(folded) > 50000)`;
    const { stdout, stderr } = await runProgram(kit.python, ['-c', code, file]);
    expect([stdout, stderr]).toEqual(['[] True\n', '']);
  });

  let databases = 0;
  /** Runs a program of Python with the wheel. @param database numbers one that no other run uses; by default an empty one. */
  const run = (cwd: string, args: readonly string[], database = databases++) => {
    const env = {
      TEST_REDIS_URL: `${redis.url}/${database}`,
      TEST_REPLICA_URL: `${replica.url}/${database}`,
      PYTHONPATH: TESTS,
      PYTHONDONTWRITEBYTECODE: '1',
    };
    return runProgram(kit.python, [...args, ...(args[0] === 'conformance.py' ? [env.TEST_REDIS_URL] : [])], {
      cwd,
      env,
    });
  };
  const conformance = ['conformance.py', cases];

  it.concurrent('the kit gets the reply and the data of the cases in conformance, and computes those of rules', {
    timeout: 300_000,
  }, async () => {
    const result = await run(TESTS, conformance);
    expect(result).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d{4,} cases, 0 failed\n$/), stderr: '' });
  });

  const succeeds = async (cwd: string, file: string) => {
    const result = await run(cwd, [file]);
    expect(result, result.stderr).toMatchObject({ code: 0 });
    expect(result.stderr).toMatch(/^\.+\n-+\nRan [1-9]/m);
  };
  it.concurrent.each([
    ['the kit reads members, counters, cards and rules', TESTS, 'test_reads.py'],
    ['the kit names what is wrong in rules', TESTS, 'test_rules.py'],
    ['the kit stores what a bot tells of its guild', TESTS, 'test_description.py'],
    ['the handlers of examples/discord-py do what a levelling bot does', BOT, 'test_handlers.py'],
    ['the commands of examples/discord-py answer their callers', BOT, 'test_commands.py'],
  ])('%s', { timeout: 300_000 }, (_name, cwd, file) => succeeds(cwd, file));

  // All of these share python/tests/scratch.py.
  const furtherKit = ALL_VARIANTS ? ['reads', 'boards', 'season', 'failures'] : [];
  const furtherBot = ALL_VARIANTS ? ['commands'] : [];
  it.concurrent.each([
    ...['writer', ...furtherKit].map((name): [string[], string] => [[`test_${name}.py`], TESTS]),
    ...['handlers', ...furtherBot].map((name): [string[], string] => [[`test_${name}.py`], BOT]),
    [conformance, TESTS],
  ])('%s refuses a database that is not empty, and leaves it as it was', async (args, cwd) => {
    const database = databases++;
    const client = new Redis(`${redis.url}/${database}`);
    try {
      await client.set('of a bot', '1');
      const { code, stderr } = await run(cwd, args, database);
      expect(code).not.toBe(0);
      expect(stderr).toContain('The database has 1 keys, which these tests would delete: give them one that is empty.');
      expect(await client.keys('*')).toEqual(['of a bot']);
    } finally {
      await client.del('of a bot');
      client.disconnect();
    }
  });

  it.concurrent('mypy accepts the kit and its tests by its strict checks', {
    ...needs('mypy'),
    timeout: 300_000,
  }, async () => {
    const args = ['--strict', '--cache-dir', join(folder, 'strict'), 'src/guildrank', 'tests'];
    const checked = await runProgram('mypy', args, {
      cwd: join(repository, 'python'),
      env: { MYPYPATH: 'src:tests' },
    });
    expect(checked).toMatchObject({ code: 0, stderr: '' });
  });

  it.concurrent('mypy checks a bot by the types of the wheel, and finds a wrong one', {
    ...needs('mypy'),
    timeout: 300_000,
  }, async () => {
    const check = (...args: string[]) =>
      runProgram(
        'mypy',
        ['--strict', '--cache-dir', join(folder, 'wheel'), '--python-executable', kit.python, ...args],
        {
          cwd: BOT,
        },
      );
    expect(await check('handlers.py')).toMatchObject({ code: 0, stderr: '' });
    const wrong = join(folder, 'wrong.py');
    writeFileSync(wrong, 'from guildrank import plain_text\nplain_text(5)\n');
    expect((await check(wrong)).stdout).toContain('Argument 1 to "plain_text" has incompatible type "int"');
  });

  // mypy reads all types of discord.py, which takes ten seconds.
  if (ALL_VARIANTS)
    it('mypy accepts the whole bot of examples/discord-py', {
      ...needs('mypy', 'python3-discord'),
      timeout: 300_000,
    }, async () => {
      const cache = ['--cache-dir', join(folder, 'cache')];
      const args = ['--config-file', '../mypy.ini', '--python-executable', kit.python, ...cache, 'bot.py'];
      expect(await runProgram('mypy', args, { cwd: BOT })).toMatchObject({ code: 0, stderr: '' });
    });

  it.concurrent('the bot of examples/discord-py asks for a token', needs('python3-discord'), async () => {
    const bot = await runProgram(kit.python, ['-B', 'bot.py'], { cwd: BOT, env: { DISCORD_TOKEN: '' } });
    expect(bot).toEqual({ code: 1, stdout: '', stderr: 'Set DISCORD_TOKEN to the token of your bot.\n' });
  });

  describe('on other connections', () => {
    /** Awards XP for an event ten times, records, ends a season and reads. */
    const CALLS = `
import asyncio, sys
from redis.asyncio import RedisCluster
from redis.asyncio.sentinel import Sentinel
from guildrank import connection_options, create_reader, create_writer
options = {**connection_options(), "socket_connect_timeout": 60, "socket_timeout": 60}
addresses = [(host, int(port)) for host, port in (address.rsplit(":", 1) for address in sys.argv[2].split(","))]
def connection():
    if sys.argv[1] == "sentinel":
        return Sentinel(addresses, sentinel_kwargs=options).master_for(sys.argv[3], **options)
    return RedisCluster(*addresses[0])
async def main():
    client = connection()
    writer, reader = create_writer(client), create_reader(client)
    for guild in "abcdefgh":
        for _ in range(10):
            await writer.award(guild, "1", 20, event_id="message")
        await writer.record(guild, "2", add=5)
    page = await reader.page("h")
    stats = [(await reader.stats(guild)).total_xp for guild in "abcdefgh"]
    print([(row.user_id, row.xp) for row in page.data], stats, (await writer.reset_season("a", archive_as="a.1")).archived)
    await client.close()
asyncio.run(main())
`;
    const told = "[('1', 20), ('2', 5)] [25, 25, 25, 25, 25, 25, 25, 25] 2\n";

    it('the kit writes, reads and ends a season through the servers of a Cluster', async () => {
      const cluster = await startCluster();
      onTestFinished(cluster.stop);
      const ended = await runProgram(kit.python, ['-c', CALLS, 'cluster', cluster.addresses]);
      expect(ended).toEqual({ code: 0, stdout: told, stderr: '' });
    });

    it('the kit writes, reads and ends a season on the master that a Sentinel names', async () => {
      const set = await startSentinelSet(1);
      onTestFinished(set.stop);
      const ended = await runProgram(kit.python, ['-c', CALLS, 'sentinel', set.addresses, set.name]);
      expect(ended).toEqual({ code: 0, stdout: told, stderr: '' });
    });
  });

  // These watch the whole server, change its settings, or make the replica follow it.
  it.each([
    ['the kit records one member and many, hides and shows them', 'test_writer.py'],
    ['the kit reads boards, and gives scripts their keys', 'test_boards.py'],
    ['the kit ends a season, after an interruption too', 'test_season.py'],
    ['the kit names each failure of Redis', 'test_failures.py'],
  ])('%s', { timeout: 300_000 }, (_name, file) => succeeds(TESTS, file));
});
