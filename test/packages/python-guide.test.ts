import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { xpForLevel } from '../../src/core/ranking/curves.ts';
import { snippetsOf } from '../support/guide-snippets.ts';
import { needs } from '../support/needs.ts';
import { PYTHON, PYTHON_KIT } from '../support/python-kit.ts';
import { repository, runProgram } from '../support/run-command.ts';
import { INSTALLING_MS, PATIENT } from '../support/wait.ts';

const read = (path: string) => readFileSync(join(repository, path), 'utf8');
const guide = read('docs/python.md');

/** The snippets of the guide in their order, each with its heading. */
const snippets = snippetsOf(guide);
const [install] = snippets;
/** This one runs by itself: test/packages/python-bots.test.ts. */
const SMALL_BOT = 'A whole small bot';

/** The objects of discord.py that the snippets use, made up. Member 42 does all; 43 talks; 50 to 54 have XP, and 54 left. */
const BEFORE = `
import json, subprocess
from types import SimpleNamespace
guild_id, user_id = "123456789012345678", "42"
afk_channel = SimpleNamespace(id=8)
events = []

class Person:
    def __init__(self, id, *role_ids, bot=False, **voice):
        self.id, self.bot, self.display_name, self.mention = int(id), bot, "Amber", f"<@{id}>"
        self.guild = SimpleNamespace(id=int(guild_id), afk_channel=afk_channel)
        self.roles = [SimpleNamespace(id=role) for role in role_ids]
        states = dict.fromkeys(("deaf", "self_deaf", "mute", "self_mute"), False)
        self.voice = SimpleNamespace(**{**states, **voice})
    async def add_roles(self, *roles): events.extend(["add", str(role.id)] for role in roles)
    async def remove_roles(self, *roles): events.extend(["remove", str(role.id)] for role in roles)

async def send(text): events.append(text)
def channel_of(id, *members): return SimpleNamespace(id=id, category_id=None, members=members, send=send)
guild = SimpleNamespace(icon=SimpleNamespace(key="a_" + "0" * 32), members=[Person(id) for id in ("42", "43", "44", "50", "51", "52", "53")])
def sh(source): subprocess.run(["sh", "-ec", source], cwd=os.environ["HERE"], check=True, stdout=subprocess.DEVNULL)
def tell(*values): print(json.dumps(values, default=lambda value: vars(value) if hasattr(value, "__dict__") else str(value)))
`;

/** Code that runs after the snippets of a heading, and the values that it tells. */
const CHECKS: Record<string, readonly [code: string, ...told: unknown[]]> = {
  // Of two messages at once, one has the level-up: roles come first, then words. Its repeat has it again, and the
  // other one came within the cooldown. Bots and webhooks have none.
  'Rules and rewards': [
    `await writer.record_many(guild_id, [XpRecord(id, set=1) for id in ("50", "51", "52", "53", "54")])
await writer.record(guild_id, user_id, set=${xpForLevel('standard', 5) - 1})
def message_of(id, author, webhook_id=None):
    return SimpleNamespace(id=id, author=author, channel=channel_of(1), content="Hello", webhook_id=webhook_id, guild=guild)
await asyncio.gather(*(on_message(message_of(id, Person(42, 7))) for id in ("m1", "m2")))
await on_message(message_of("m3", Person(61, bot=True)))
await on_message(message_of("m4", Person(62), webhook_id=1))
await on_message(SimpleNamespace(id="m0", author=SimpleNamespace(id=63, bot=False), webhook_id=None, guild=None))
await on_message(message_of("m5", Person(60, 400000000000000001)))
repeats = [await writer.award(guild_id, user_id, 1, event_id=id) for id in ("m1", "m2")]
levels_up = sorted([repeat.level - repeat.level_before, repeat.repeated] for repeat in repeats)
tell(*events, levels_up, (await reader.page(guild_id)).total)
events.clear()
await give_roles(Person(42, 7, 400000000000000005), 5)
await give_roles(Person(42, 7, 400000000000000005), 4)
tries = 0
async def lost():
    global tries
    tries += 1
    if tries < 3:
        raise StoreUnavailableError("lost", "unreachable")
    return tries
async def kind_of_failure(call):
    try:
        await call()
    except Exception as error:
        return type(error).__name__
tell(await retried(lost), await kind_of_failure(lambda: retried(lambda: writer.award(guild_id, "a b", 1))), *events)
tries = -9
tell(await kind_of_failure(lambda: retried(lost, 0)), tries)`,
    [
      ['add', '400000000000000005'],
      '<@42> is now level 5!',
      [
        [0, false],
        [1, true],
      ],
      6,
    ],
    [3, 'InvalidInputError', ['remove', '400000000000000005']],
    ['StoreUnavailableError', -8],
  ],
  'Roles of all members': ['tell(levels)', [{ 42: 5, 50: 0, 51: 0, 52: 0, 53: 0 }]],
  'Voice ticks': [
    `speaker = Person(43, mute=True)
talk = channel_of(1, speaker, Person(44, self_deaf=True), Person(48, bot=True))
rooms = SimpleNamespace(voice_channels=[talk, channel_of(2, Person(45)), afk_channel], afk_channel=afk_channel)
afk_channel.members, afk_channel.category_id = [Person(46), Person(47)], None
for minute in (1, 1, 2):
    await on_tick(rooms, minute)
tell((await reader.member(guild_id, "43")).xp, (await reader.page(guild_id)).total)`,
    [20, 7],
  ],
  Boards: [
    `await gain_xp(Person(43), channel_of(1), "m6", amount=7)
tell(week.data, [[row.user_id, row.xp] for row in (await reader.page(guild_id, 1, 10, board="week")).data])`,
    [[], [['43', 7]]],
  ],
  'Change XP': [
    `tell(await reader.member(guild_id, user_id), (await reader.member(guild_id, "44")).username)`,
    [expect.objectContaining({ level: 10, xp: 4775, username: 'Ann', daily_streak: 1 }), 'Cy'],
  ],
  'Hide members': [
    `tell(hidden, (await reader.card(guild_id, "54")).hidden, (await reader.page(guild_id)).total)`,
    [[{ user_id: '42', reasons: ['self'] }], ['left'], 5],
  ],
  'Names of the server': ['tell((await redis.hget("gr:{" + guild_id + "}:about", "name")).decode())', ['Quiet Hours']],
  'Pictures of members': [
    'tell((await reader.card(guild_id, user_id)).xp, await redis.exists("gr:{" + guild_id + "}:avatars"))',
    [4790, 0],
  ],
  'Rank card': ['tell(card.hidden, card.level, card.above)', [['self'], 10, null]],
  'Names in messages': ['tell(line)', [String.raw`\[Free Nitro\]\(https\:\/\/evil\.example\)`]],
  Read: [
    'tell(total, member, near, curve.a, levels, names)',
    [
      5,
      null,
      null,
      10,
      [10, xpForLevel('standard', 11), { level: 10, gained: 25, needed: expect.any(Number) }],
      ['1. Amber'],
    ],
  ],
  'Dashboard link': ['tell(link)', [expect.stringMatching(/^https:\/\/dash\.example\.com\/sign-in\/[\w-]{43}$/)]],
  Seasons: [
    `archived = await reader.card(f"{guild_id}.2026-s1", user_id)
tell(archived.xp, (await reader.card(guild_id, user_id)).xp)`,
    [4790, 0],
  ],
  Failover: ['tell((await reader.card(guild_id, user_id)).xp)', [15]],
};

/** Runs a text as `python3 -m asyncio` does: `await` stands outside of functions. */
const RUNNER = `
import ast, asyncio, inspect, sys
source = open(sys.argv[1]).read()
code = compile(source, sys.argv[1], "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
async def main():
    running = eval(code, {"__name__": "__main__"})
    if inspect.isawaitable(running):
        await running
asyncio.run(main())
`;
/** Stand for the programs that install the package: Debian has what they would fetch. */
const DEBIAN = `python3() { ${PYTHON} "$@" --system-site-packages; }
pip() { command pip "$@" --no-index --no-build-isolation; }
`;
/** Stands for `npm run -s NAME -- ARGUMENTS`: test/process/printed-commands.test.ts runs one by npm. */
const NPM_RUN = 'npm() { name=$3; shift 4; node dist/guildrank.cjs "$name" "$@"; }\n';

describe('docs/python.md', needs('redis-server', 'python3-discord', ...PYTHON_KIT), () => {
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-python-guide-'));
  const here = join(folder, 'guildrank');
  const bot = join(folder, 'bot');
  const python = join(bot, '.venv/bin/python');
  let master: EmbeddedRedis | undefined;
  let replica: EmbeddedRedis | undefined;
  beforeAll(async () => {
    const options = ['--repl-diskless-sync-delay', '0'];
    [master, replica] = await Promise.all([startEmbeddedRedis(options), startEmbeddedRedis(options)]);
    const admin = new Redis(master.url);
    const follower = new Redis(replica.url);
    await follower.replicaof('127.0.0.1', master.port);
    await vi.waitFor(async () => expect(await admin.info('replication')).toContain('state=online'), PATIENT);
    for (const client of [admin, follower]) client.disconnect();
    for (const made of [here, bot]) mkdirSync(made);
    for (const name of ['dist', 'python']) symlinkSync(join(repository, name), join(here, name));
    const installed = await runProgram('sh', ['-ec', DEBIAN + install?.source], { cwd: here });
    expect(installed.code, installed.stderr).toBe(0);
    writeFileSync(join(bot, 'run.py'), RUNNER);
  }, INSTALLING_MS);
  afterAll(async () => {
    await Promise.all([master?.stop(), replica?.stop()]);
    rmSync(folder, { recursive: true });
  });

  const run = (file: string) => {
    const env = { REDIS_URL: master?.url ?? '', HERE: here };
    return runProgram(python, [join(bot, 'run.py'), join(bot, file)], { cwd: bot, env });
  };

  it('the snippets of docs/python.md run as printed, in their order', { timeout: INSTALLING_MS }, async () => {
    const [, rules = ''] = /^## Rules\n[\s\S]*?```json\n([\s\S]*?)```/m.exec(read('docs/guilds.md')) ?? [];
    writeFileSync(join(here, 'rules.json'), rules);
    const code: Record<string, (source: string) => string> = {
      python: (source) => source,
      sh: (source) => `sh(${JSON.stringify(NPM_RUN + source)})`,
    };
    const parts = snippets
      .slice(1)
      .filter(({ heading }) => heading !== SMALL_BOT)
      .map(({ heading, language, source }, index, { [index + 1]: next }) => {
        const check = next?.heading === heading ? '' : (CHECKS[heading]?.[0] ?? '');
        return `${code[language]?.(source)}\n${check}`;
      });
    writeFileSync(join(bot, 'guide.py'), `from guildrank import XpRecord\nimport os\n${BEFORE}${parts.join('\n')}`);
    const { stdout, ...ended } = await run('guide.py');
    expect(ended).toEqual({ code: 0, stderr: '' });
    const told = stdout.trim().split('\n');
    expect(told.map((line) => JSON.parse(line))).toEqual(Object.values(CHECKS).flatMap(([, ...values]) => values));
  });

  it('the command of docs/python.md makes a wheel in the folder of the bot', { timeout: INSTALLING_MS }, async () => {
    const [command = ''] = /(?<=`)pip wheel [^`]+(?=`)/.exec(guide) ?? [];
    const script = `. .venv/bin/activate\n${DEBIAN}${command}`;
    const made = await runProgram('sh', ['-ec', script], { cwd: bot });
    expect(made.code, made.stderr).toBe(0);
    expect(readdirSync(bot)).toContainEqual(expect.stringMatching(/^guildrank-.*-py3-none-any\.whl$/));
  });

  it('docs/python.md names the classes of errors as the package does', async () => {
    const named = [...guide.matchAll(/^\| .*$/gm)].flatMap(([row]) => row.match(/\b[A-Z]\w+Error\b/g) ?? []);
    const code = 'import guildrank; print(*sorted(name for name in guildrank.__all__ if name.endswith("Error")))';
    const { stdout } = await runProgram(python, ['-c', code]);
    expect([...new Set(named)].filter((name) => name !== 'ValueError').sort()).toEqual(stdout.trim().split(' '));
  });

  it('the program in python/README.md gives XP as printed', async () => {
    const [, printed = ''] = /^```python\n([\s\S]*?)^```/m.exec(read('python/README.md')) ?? [];
    writeFileSync(join(bot, 'readme.py'), printed);
    const ended = await runProgram(python, ['readme.py'], { cwd: bot, env: { REDIS_URL: `${master?.url}/1` } });
    expect(ended).toEqual({ code: 0, stderr: '', stdout: 'level 1\n' });
  });
});
