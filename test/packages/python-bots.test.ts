import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startChild } from '../../scripts/dev/child-process.ts';
import { needs } from '../support/needs.ts';
import { installPythonKit, PYTHON_KIT, type PythonKit } from '../support/python-kit.ts';
import { repository, runProgram } from '../support/run-command.ts';
import { INSTALLING_MS } from '../support/wait.ts';
import { logAfterOutages, type MessagedBot } from './outages.ts';

const guide = readFileSync(join(repository, 'docs/python.md'), 'utf8');
const [, smallBot = ''] = /^## A whole small bot\n[\s\S]*?```python\n([\s\S]*?)^```/m.exec(guide) ?? [];

/** Calls `on_message` for each line of standard input, as Discord's events come, and logs its errors as discord.py does. */
const LINES = `
import asyncio, json, sys, traceback

async def take_lines(on_message):
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    print("ready", flush=True)
    tasks = []
    async for line in lines:
        tasks.append(asyncio.create_task(logged(on_message(**json.loads(line)))))
    await asyncio.gather(*tasks)

async def logged(handling):
    try:
        await handling
    except Exception:
        traceback.print_exc()
`;

/** Stands for discord.py: it gives the bot the messages of standard input. */
const DISCORD = `
from types import SimpleNamespace
from lines import asyncio, take_lines

class Member(SimpleNamespace):
    async def add_roles(self, *roles): pass
    async def remove_roles(self, *roles): pass

Interaction = Object = SimpleNamespace
Intents = dict

async def send(text): pass

class Client:
    def __init__(self, intents): self.guilds = []
    def event(self, handler): setattr(self, handler.__name__, handler)
    def run(self, token): asyncio.run(self.start())

    async def start(self):
        await self.setup_hook()
        await take_lines(self.take)

    async def take(self, id, userId):
        guild = SimpleNamespace(id="guild")
        author = Member(id=userId, bot=False, guild=guild, roles=[], display_name=userId, mention=userId)
        await self.on_message(SimpleNamespace(id=id, author=author, channel=SimpleNamespace(id=5, category_id=None, send=send)))

class CommandTree:
    def __init__(self, client): pass
    def command(self, description): return lambda command: command
    async def sync(self): pass

app_commands = SimpleNamespace(CommandTree=CommandTree)
`;
const TASKS = `
from types import SimpleNamespace

def loop(minutes): return lambda task: SimpleNamespace(start=lambda: None)
`;

/** Gives the handlers of the example what discord.py gives them. */
const EXAMPLE = `
import sys
from types import SimpleNamespace
from lines import asyncio, take_lines
from bot import handlers_on
from made_up import MadeUpMember

async def main():
    handlers = handlers_on(sys.argv[1])
    async def send(text): pass
    async def on_message(id, userId):
        guild = SimpleNamespace(id="guild", afk_channel=None)
        author = MadeUpMember(int(userId), userId, guild=guild)
        channel = SimpleNamespace(id=5, category=None, send=send)
        await handlers.message(SimpleNamespace(id=id, author=author, channel=channel, content=""))
    await take_lines(on_message)

asyncio.run(main())
`;

describe('bots in Python', needs('redis-server', 'python3-discord', ...PYTHON_KIT), () => {
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-python-bots-'));
  let kit: PythonKit;
  beforeAll(async () => {
    kit = await installPythonKit(join(folder, 'kit'));
    for (const made of ['small', 'small/discord', 'small/discord/ext', 'example']) mkdirSync(join(folder, made));
    writeFileSync(join(folder, 'small/discord/__init__.py'), DISCORD);
    writeFileSync(join(folder, 'small/discord/ext/tasks.py'), TASKS);
    writeFileSync(join(folder, 'small/lines.py'), LINES);
    writeFileSync(join(folder, 'small/bot.py'), smallBot);
    writeFileSync(join(folder, 'example/lines.py'), LINES);
    writeFileSync(join(folder, 'example/run.py'), EXAMPLE);
  }, INSTALLING_MS);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function start(args: readonly string[], env: Readonly<Record<string, string>>): Promise<MessagedBot> {
    const cwd = join(repository, 'examples/discord-py');
    const bot = startChild(kit.python, ['-B', ...args], { cwd, env: { ...process.env, ...env }, stdin: 'pipe' });
    await bot.waitForOutput('ready', () => bot.stdout().includes('ready'));
    return {
      send: (message) => void bot.child.stdin?.write(`${JSON.stringify(message)}\n`),
      log: bot.stderr,
      isRunning: bot.isRunning,
      stop: async () => void (await bot.stop()),
    };
  }

  /** Expects a line, and a further one for each minute since the begin at most: a busy machine can make Redis late before it is away. */
  function expectLineEachMinute(lines: readonly string[], line: RegExp, begun: number): void {
    expect(lines.filter((each) => !line.test(each))).toEqual([]);
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.length).toBeLessThanOrEqual(1 + Math.floor((performance.now() - begun) / 60_000));
  }

  it('the small bot of docs/python.md loses no award in an outage, a restart and a change of the master, and logs one line', async () => {
    const servers = join(folder, 'small/servers');
    mkdirSync(servers);
    const begun = performance.now();
    const lines = await logAfterOutages(servers, (url) =>
      start([join(folder, 'small/bot.py')], {
        REDIS_URL: url,
        DISCORD_TOKEN: 'token',
        PYTHONPATH: join(folder, 'small'),
      }),
    );
    expectLineEachMinute(lines, /^Redis is away: .*(onnect|closed|Timeout)/, begun);
  });

  it('the small bot of docs/python.md logs its line about an outage, and no traceback, when it gives awards up', async () => {
    const code = `import runpy, sys, time
begun, monotonic = time.monotonic(), time.monotonic
time.monotonic = lambda: begun + (monotonic() - begun) * 100
runpy.run_path(sys.argv[1])`;
    const bot = startChild(kit.python, ['-B', '-c', code, join(folder, 'small/bot.py')], {
      env: {
        ...process.env,
        REDIS_URL: 'redis://127.0.0.1:1',
        DISCORD_TOKEN: 'token',
        PYTHONPATH: join(folder, 'small'),
      },
      stdin: 'pipe',
    });
    onTestFinished(bot.stop);
    for (const id of ['1', '2', '3']) bot.child.stdin?.write(`${JSON.stringify({ id, userId: id })}\n`);
    bot.child.stdin?.end();
    expect((await bot.waitForEnd()).code).toBe(0);
    const lines = bot.stderr().trim().split('\n');
    expect(lines.filter((line) => !line.startsWith('Redis is away: '))).toEqual([]);
    expect(lines.length).toBeGreaterThan(0);
  });

  it('the bot of examples/discord-py loses no award in an outage, a restart and a change of the master, and logs one line', async () => {
    const servers = join(folder, 'example/servers');
    mkdirSync(servers);
    const paths = [join(folder, 'example'), join(repository, 'examples/discord-py'), join(repository, 'python/tests')];
    const begun = performance.now();
    const lines = await logAfterOutages(servers, (url) =>
      start([join(folder, 'example/run.py'), url], { PYTHONPATH: paths.join(':') }),
    );
    expectLineEachMinute(lines, /^Redis: .*(onnect|closed|Timeout)/, begun);
  });

  it('the small bot of docs/python.md is one that discord.py takes', async () => {
    const code = `import discord, sys
discord.Client.run = lambda self, token: print(token, self.on_message.__name__, self.setup_hook.__name__)
exec(compile(open(sys.argv[1]).read(), "bot.py", "exec"))`;
    const env = { REDIS_URL: 'redis://127.0.0.1:1', DISCORD_TOKEN: 'token' };
    const ended = await runProgram(kit.python, ['-c', code, join(folder, 'small/bot.py')], { env });
    expect(ended).toEqual({ code: 0, stdout: 'token on_message setup_hook\n', stderr: '' });
  });
});
