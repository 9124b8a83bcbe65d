import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, type TestContext, vi } from 'vitest';
import { DEMO_VISITOR } from '../../scripts/demo/guilds.ts';
import { startChild } from '../../scripts/dev/child-process.ts';
import { findOnPath, freePort } from '../../scripts/dev/embedded-redis.ts';
import { nodeArguments } from '../support/entry.ts';
import { needs } from '../support/needs.ts';
import { installPythonKit, PYTHON_KIT } from '../support/python-kit.ts';
import { repository, runProgram } from '../support/run-command.ts';
import { INSTALLING_MS, PATIENT, whenServed } from '../support/wait.ts';

/** npm, the demo and its Redis end one after the other. */
const PATIENCE = { ...PATIENT, timeout: 60_000 };

interface RunningDemo {
  readonly npm: ChildProcess;
  readonly output: () => string;
  readonly url: string;
  /** The shell lines that the demo offers to paste. */
  readonly lines: readonly string[];
}

/** Runs `npm run demo` in a process group of its own, as a shell does. Waits until it is ready. The caller ends it. */
async function launchDemo(env: Record<string, string>, host: string): Promise<RunningDemo> {
  const port = await freePort();
  const npm = startChild('npm', ['run', 'demo'], {
    cwd: repository,
    env: { ...process.env, PORT: String(port), ...env },
    detached: true,
  });
  try {
    await npm.waitForOutput('the demo to be ready', () => npm.stdout().includes('Ctrl-C ends the demo'), READY_MS);
  } catch (error) {
    await endDemo(npm.child, 'SIGTERM');
    throw error;
  }
  const lines = npm
    .stdout()
    .split('\n')
    .filter((line) => line.startsWith('  curl '))
    .map((line) => line.trim());
  return { npm: npm.child, output: npm.stdout, url: `http://${host}:${port}`, lines };
}

/** Runs a demo that ends with the test, others run beside it. */
async function startDemo(
  { onTestFinished }: TestContext,
  env: Record<string, string>,
  host: string,
): Promise<RunningDemo> {
  const demo = await launchDemo(env, host);
  onTestFinished(() => endDemo(demo.npm, 'SIGTERM'));
  return demo;
}

/** The first start of a busy machine installs nothing, but loads everything. */
const READY_MS = 90_000;

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-(pid as number), signal);
  } catch {
    return false; // The group is empty.
  }
}

/** Ends the demo in good order: killed, it would leave its Redis behind, which is in a process group of its own. */
async function endDemo(npm: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  signalGroup(npm, signal);
  try {
    await vi.waitUntil(() => !signalGroup(npm, 0), PATIENCE);
  } finally {
    signalGroup(npm, 'SIGKILL');
  }
}

function isListening(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

/** Returns a PATH with Node, npm and a shell only. */
function barePath({ onTestFinished }: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-path-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of ['node', 'npm', 'sh']) symlinkSync(findOnPath([name]) as string, join(folder, name));
  return folder;
}

/** Returns the URL and the headers of a curl line, for a machine without curl. */
function requestOf(line: string): [string, Record<string, string>] {
  const headers = [...line.matchAll(/-H '([^:]+): ([^']*)'/g)].map(([, name, value]) => [name, value]);
  return [/'(http[^']*)'$/.exec(line)?.[1] ?? '', Object.fromEntries(headers)];
}

/** Stops a demo, and expects that neither its processes nor its service nor its Redis is there afterwards. */
async function expectNothingLeft({ npm, output, url }: RunningDemo, stop: () => unknown): Promise<void> {
  const redisUrl = /redis:\/\/127\.0\.0\.1:\d+/.exec(output())?.[0];
  if (redisUrl) expect(await isListening(redisUrl)).toBe(true);
  stop();
  await vi.waitUntil(() => !signalGroup(npm, 0), PATIENCE);
  if (redisUrl) await vi.waitUntil(async () => !(await isListening(redisUrl)), PATIENCE);
  expect(await isListening(url)).toBe(false);
}

/** Signals, addresses and stores do not know each other. */
const DEMOS = [
  {
    store: 'a private Redis',
    bare: false,
    says: /a private (redis|valkey)-server at redis:\/\/127\.0\.0\.1:\d+\./,
    host: '127.0.0.1',
    stop: 'Ctrl-C',
  },
  {
    store: 'ioredis-mock',
    bare: true,
    says: /ioredis-mock in this process, because neither redis-server nor/,
    host: '127.0.0.2',
    stop: 'SIGTERM to npm alone',
  },
];

describe.concurrent.each(DEMOS)('npm run demo on $store at $host', ({ bare, says, host, stop }) => {
  it(`the demo prints its address, its curl lines work, a member gains XP, and ${stop} leaves no process behind`, {
    ...(bare ? {} : needs('redis-server')),
    timeout: 180_000,
  }, async (context) => {
    const demo = await startDemo(context, bare ? { PATH: barePath(context), HOST: host } : {}, host);
    expect(demo.output()).toMatch(says);
    // The page comes first.
    expect(
      demo
        .output()
        .split('\n')
        .find((line) => line.includes('http')),
    ).toBe(`The demo of Guildrank is ready. Open ${demo.url}/`);
    expect(demo.lines).toHaveLength(2);
    const [top, visitor] = demo.lines as [string, string];

    if (findOnPath(['curl'])) {
      const paste = (line: string) => whenServed(async () => JSON.parse((await runProgram('sh', ['-c', line])).stdout));
      const { data, total } = await paste(top);
      expect([data.length, total]).toEqual([10, 400]);
      expect(await paste(visitor)).toMatchObject({ username: 'Sally Ride', xp: expect.any(Number) });
    }

    const ask = async (line: string) => {
      const [url, headers] = requestOf(line);
      return (await whenServed(() => fetch(url, { headers }))).json();
    };
    const xpOfTop = async () =>
      ((await ask(top)) as { data: { xp: number }[] }).data.reduce((sum, { xp }) => sum + xp, 0);
    const before = await xpOfTop();
    await vi.waitUntil(async () => (await xpOfTop()) > before, PATIENCE);

    const keys = [...demo.output().matchAll(/^(free|starter|pro)\t(\d+)\t(\S+)\t(gr_\w{38})$/gm)];
    expect(keys.map(([, plan]) => plan)).toEqual(['pro', 'starter', 'free']);
    for (const [, , quota, guild, key] of keys) {
      const headers = { 'x-api-key': key as string };
      const response = await whenServed(() => fetch(`${demo.url}/api/v1/servers/${guild}/stats`, { headers }));
      expect([response.status, response.headers.get('x-ratelimit-limit')]).toEqual([200, quota]);
      for (const board of ['', '?board=week', '?board=month']) {
        const answer = await whenServed(() => fetch(`${demo.url}/g/${guild}${board}`));
        expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('data-place="3"')]);
        // The demo and the dashboard show it in a frame.
        expect(answer.headers.get('content-security-policy')).toContain('frame-ancestors *');
      }
    }

    const html = await (await fetch(`${demo.url}/`)).text();
    expect(html).toContain('<guild-leaderboard guild="demo-pro" boards="all,week,month"');
    expect(html.includes('keeps its data in memory')).toBe(bare);
    const addresses = [...demo.output().matchAll(/^(?:Public page|API|Dashboard) +(http[^\s,]+)/gm)];
    expect(addresses.map(([, address]) => address)).toEqual(
      ['/g/demo-pro', '/docs', '/dashboard'].map((path) => demo.url + path),
    );
    for (const [, address = ''] of addresses) expect((await whenServed(() => fetch(address))).status).toBe(200);
    const invite = await fetch(`${demo.url}/dashboard`, { redirect: 'manual' });
    expect(invite.headers.get('location')).toContain('/sign-in/');
    expect((await fetch(`${demo.url}/widget.js`)).status).toBe(200);

    await expectNothingLeft(demo, () =>
      stop === 'Ctrl-C' ? signalGroup(demo.npm, 'SIGINT') : demo.npm.kill('SIGTERM'),
    );
  });
});

it.concurrent('the demo says in one line that its port is taken and how to choose another port', async ({
  onTestFinished,
}) => {
  const taken = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void taken.close());
  await vi.waitUntil(() => taken.listening, PATIENCE);
  const { port } = taken.address() as { port: number };
  const args = nodeArguments(['scripts/demo/main.ts']);
  const { code, stdout, stderr } = await runProgram(process.execPath, args, { env: { PORT: String(port) } });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(
    new RegExp(`^error: Port ${port} is taken: choose another, such as PORT=\\d+ npm run demo\\n$`),
  );
});

describe('the code that the page of the demo offers to copy', needs('redis-server'), () => {
  let demo: RunningDemo;
  let folder: string;

  beforeAll(async () => {
    demo = await launchDemo({}, '127.0.0.1');
    folder = mkdtempSync(join(tmpdir(), 'guildrank-award-'));
    symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
  });
  afterAll(async () => {
    await endDemo(demo.npm, 'SIGTERM');
    rmSync(folder, { recursive: true });
  });

  /** Returns the text of an element, as a browser copies it. */
  async function copied(id: string): Promise<string> {
    const html = await (await fetch(`${demo.url}/`)).text();
    const [, text = ''] = new RegExp(`<pre id="${id}"[^>]*>([^<]*)</pre>`).exec(html) ?? [];
    const characters: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', '#39': "'" };
    return text.replace(/&(lt|gt|amp|quot|#39);/g, (_all, name) => characters[name] ?? '');
  }

  const xpOfVisitor = async (): Promise<number> => {
    const data = await whenServed(() => fetch(`${demo.url}/g/demo-pro/m/${DEMO_VISITOR.id}/data.json`));
    return ((await data.json()) as { member: { xp: number } }).member.xp;
  };

  /** Saves the code in a file, as the page says, runs it, and expects that the member has gained the XP that it gives, times the multiplier. */
  async function expectAward(id: string, program: string, name: string): Promise<void> {
    const before = await xpOfVisitor();
    writeFileSync(join(folder, name), await copied(id));
    const { stdout, stderr } = await runProgram(program, [join(folder, name)]);
    const xp = await xpOfVisitor();
    expect({ stdout, stderr, gained: xp - before }).toEqual({
      stdout: expect.stringMatching(new RegExp(`^Sally Ride has ${xp} XP and level \\d+\n$`)),
      stderr: '',
      gained: 7500,
    });
  }

  it('the JavaScript code on the page of the demo gives XP to the visitor', () =>
    expectAward('award-javascript', process.execPath, 'award.mjs'));

  it('the Python code on the page of the demo gives XP to the visitor', {
    ...needs(...PYTHON_KIT),
    timeout: INSTALLING_MS,
  }, async () => {
    const { python } = await installPythonKit(join(folder, 'python'));
    await expectAward('award-python', python, 'award.py');
  });

  it('the README names addresses that the demo serves', async () => {
    const readme = readFileSync(join(repository, 'README.md'), 'utf8');
    const [, part = ''] = /^## Run it\n([\s\S]*?)^## /m.exec(readme) ?? [];
    const paths = [...part.matchAll(/^- <http:\/\/127\.0\.0\.1:8080(\S*)>/gm)].map(([, path = '']) => path);
    expect(paths).toEqual(['/', '/g/demo-pro', '/docs', '/dashboard']);
    for (const path of paths) expect((await whenServed(() => fetch(demo.url + path))).status, path).toBe(200);
  });

  it('the curl line on the page of the demo reads the first three members', needs('curl'), async () => {
    const line = await copied('curl');
    const page = await whenServed(async () => {
      const { code, stdout } = await runProgram('sh', ['-c', line]);
      expect(code).toBe(0);
      return JSON.parse(stdout);
    });
    expect(page.data).toHaveLength(3);
  });
});
