import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, type TestContext, vi } from 'vitest';
import { startChild } from '../../scripts/dev/child-process.ts';
import { findOnPath, freePort } from '../../scripts/dev/embedded-redis.ts';
import { nodeArguments } from '../support/entry.ts';
import { needs } from '../support/needs.ts';
import { repository, runProgram } from '../support/run-command.ts';
import { PATIENT } from '../support/wait.ts';

/** npm, the demo and its Redis end one after the other. */
const PATIENCE = { ...PATIENT, timeout: 60_000 };

interface RunningDemo {
  readonly npm: ChildProcess;
  readonly output: () => string;
  readonly url: string;
  /** The shell lines that the demo offers to paste. */
  readonly lines: readonly string[];
}

/** Runs `npm run demo` in a process group of its own, as a shell does. Waits until it is ready. It ends with the test, others run beside it. */
async function startDemo(
  { onTestFinished }: TestContext,
  env: Record<string, string>,
  host: string,
): Promise<RunningDemo> {
  const port = await freePort();
  const npm = startChild('npm', ['run', 'demo'], {
    cwd: repository,
    env: { ...process.env, PORT: String(port), ...env },
    detached: true,
  });
  onTestFinished(() => endDemo(npm.child, 'SIGTERM'));
  await npm.waitForOutput('the demo to be ready', () => npm.stdout().includes('Ctrl-C ends the demo'), READY_MS);
  const lines = npm
    .stdout()
    .split('\n')
    .filter((line) => line.startsWith('  curl '))
    .map((line) => line.trim());
  return { npm: npm.child, output: npm.stdout, url: `http://${host}:${port}`, lines };
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
  it(`prints its address, its curl lines work, a member gains XP, and ${stop} leaves no process behind`, {
    ...(bare ? {} : needs('redis-server')),
    timeout: 180_000,
  }, async (context) => {
    const demo = await startDemo(context, bare ? { PATH: barePath(context), HOST: host } : {}, host);
    expect(demo.output()).toMatch(says);
    expect(demo.output()).toMatch(`Guildrank is on ${demo.url},`);
    expect(demo.lines).toHaveLength(4);
    const [page, member, stats, unchanged] = demo.lines as [string, string, string, string];

    if (findOnPath(['curl'])) {
      const paste = async (line: string) => (await runProgram('sh', ['-c', line])).stdout;
      const { data, total } = JSON.parse(await paste(page));
      expect([data.length, total]).toEqual([10, 400]);
      expect(JSON.parse(await paste(member))).toMatchObject({ rank: expect.any(Number), xp: expect.any(Number) });
      expect(JSON.parse(await paste(stats))).toMatchObject({ total_members: 400, xp_multiplier: 1.5 });
      expect(await paste(unchanged)).toMatch(/^HTTP\/1\.1 304 /);
    }

    const ask = async (line: string) => {
      const [url, headers] = requestOf(line);
      return fetch(url, { headers });
    };
    expect((await ask(unchanged)).status).toBe(304);
    const xp = async () => ((await (await ask(member)).json()) as { xp: number }).xp;
    const before = await xp();
    await vi.waitUntil(async () => (await xp()) > before, PATIENCE);

    const keys = [...demo.output().matchAll(/^(free|starter|pro)\t(\d+)\t(\S+)\t(gr_\w{38})$/gm)];
    expect(keys.map(([, plan]) => plan)).toEqual(['free', 'starter', 'pro']);
    for (const [, , quota, guild, key] of keys) {
      const response = await fetch(`${demo.url}/api/v1/servers/${guild}/stats`, {
        headers: { 'x-api-key': key as string },
      });
      expect([response.status, response.headers.get('x-ratelimit-limit')]).toEqual([200, quota]);
    }

    expect(demo.output()).toContain(`Open ${demo.url}/ for the widget`);
    const html = await (await fetch(`${demo.url}/`)).text();
    const proKey = keys.at(-1)?.[4];
    expect(html).toContain(`<guild-leaderboard guild="demo-pro" api-key="${proKey}" refresh="2">`);
    expect([...html.matchAll(/<option value="(demo-\w+)"/g)].map(([, guild]) => guild)).toEqual([
      'demo-pro',
      'demo-starter',
      'demo-free',
    ]);
    expect((await fetch(`${demo.url}/widget.js`)).status).toBe(200);

    expect(html).toContain('<a href="g/demo-pro">Public page</a>');
    const [, publicPage = ''] = /^Open (\S+) for its public page,/m.exec(demo.output()) ?? [];
    for (const board of ['', '?board=week', '?board=month']) {
      const answer = await fetch(publicPage + board);
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('data-place="3"')]);
      // The dashboard shows a preview of the page.
      expect(answer.headers.get('content-security-policy')).toContain('frame-ancestors *');
    }

    await expectNothingLeft(demo, () =>
      stop === 'Ctrl-C' ? signalGroup(demo.npm, 'SIGINT') : demo.npm.kill('SIGTERM'),
    );
  });
});

it.concurrent('the demo reports in one line that the port is taken and how to choose another', async ({
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
