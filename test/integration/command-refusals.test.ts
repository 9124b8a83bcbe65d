import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { freePort } from '../../scripts/dev/embedded-redis.ts';
import { withCore } from '../../src/cli/with-core.ts';
import { openCore } from '../../src/core/core.ts';
import { runCommand, testContext } from '../support/command.ts';
import { needs } from '../support/needs.ts';
import { redisForTest } from '../support/stores.ts';
import { PATIENT } from '../support/wait.ts';

/** Returns a Redis whose background saves fail, so that it refuses writes. */
async function cannotSave() {
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-misconf-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const server = await redisForTest('--dir', folder, '--save', '3600 1000000', '--dbfilename', 'dump.rdb');
  await openCore(server.client, 'gr').writer.record('g', { userId: '1', set: 5 });
  // A file cannot replace a folder.
  mkdirSync(join(folder, 'dump.rdb'));
  await server.client.bgsave();
  await vi.waitFor(
    async () => expect(await server.client.info('persistence')).toContain('rdb_last_bgsave_status:err'),
    PATIENT,
  );
  return server;
}

/** Long enough for a server that answers, and for one that never lets a client in. */
const SOON = { connectTimeoutMs: 5000 };

const WRITES = [
  ['keys', ['create', '--guild', 'g']],
  ['guild', ['set', '--guild', 'g', '--plan', 'pro']],
  ['seed', ['--guild', 'g', '--generate', '10', '--plan', 'pro']],
] as const;

describe('a Redis that refuses', needs('redis-server'), () => {
  it.each([
    ['READONLY', 'connect to its master', ['--replicaof', '127.0.0.1', '1']],
    ['NOREPLICAS', 'min-replicas-to-write', ['--min-replicas-to-write', '1']],
  ] as const)('%s is named by every command that writes, with the fix', async (code, fix, options) => {
    const { url } = await redisForTest(...options);
    for (const [name, args] of WRITES) {
      const { code: exit, stderr } = await runCommand(name, args, { REDIS_URL: url });
      expect(exit).toBe(1);
      expect(stderr).toMatch(new RegExp(`^error: Redis refused: ${code} .*${fix}.*\\n$`));
    }
  });

  it('the refusal OOM is named, with the fix', async () => {
    const { url, client } = await redisForTest();
    await client.config('SET', 'maxmemory', '1');
    const { code, stderr } = await runCommand('keys', ['create', '--guild', 'g'], { REDIS_URL: url });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: Redis refused: OOM .*raise its maxmemory.*\n$/)]);
  });

  it('the refusal MISCONF is named by commands that write, and commands that read run', async () => {
    const { url } = await cannotSave();
    const run = (name: string, ...args: string[]) => runCommand(name, args, { REDIS_URL: url });
    expect(await run('stats', 'check', '--guild', 'g')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^exact: 1 member /),
    });
    expect(await run('guild', 'show', '--guild', 'g')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1 ranked'),
    });
    expect(await run('keys', 'list', '--guild', 'g')).toMatchObject({ code: 0 });
    for (const [name, args] of WRITES) {
      const { code, stderr } = await run(name, ...args);
      expect([name, code]).toEqual([name, 1]);
      expect(stderr).toMatch(/^error: Redis refused: MISCONF .*make room on the disk.*\n$/);
    }
  });

  it('the refusal NOPERM is named, with the list of permissions', async () => {
    const { port } = await redisForTest('--user', 'u', 'on', '>p', '~*', '&*', '+@all', '-hset');
    const { code, stderr } = await runCommand('keys', ['create', '--guild', 'g'], {
      REDIS_URL: `redis://u:p@127.0.0.1:${port}`,
    });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: Redis refused: NOPERM .*users\.acl.*\n$/)]);
  });

  it.each([
    ['WRONGPASS', 'redis://:wrong@', /Correct the user and the password in REDIS_URL/],
    ['NOAUTH', 'redis://', /put the user and the password into REDIS_URL/],
  ])('the refusal %s is not told as a failure to reach Redis', async (code, url, fix) => {
    const { port } = await redisForTest('--requirepass', 'right');
    const result = await runCommand('keys', ['list', '--guild', 'g'], { REDIS_URL: `${url}127.0.0.1:${port}` });
    expect(result.code).toBe(1);
    expect(result.stderr).toMatch(
      new RegExp(`^error: Cannot use the Redis at 127\\.0\\.0\\.1:${port}: ${code} .*\\n$`),
    );
    expect(result.stderr).toMatch(fix);
    expect(result.stderr).not.toContain('wrong@');
  });

  it.each([
    ['BUSY', /end it with SCRIPT KILL/],
    ['MASTERDOWN', /bring the master back/],
  ])('the refusal %s at the start is named, with the fix', async (code, fix) => {
    const replica = ['--replicaof', '127.0.0.1', '1', '--replica-serve-stale-data', 'no'];
    const { url, client } = await redisForTest(...(code === 'BUSY' ? ['--busy-reply-threshold', '10'] : replica));
    if (code === 'BUSY') {
      const endless = client.eval('while true do end', 0).catch(() => {});
      onTestFinished(async () => void (await endless));
      // A ready check would be refused too.
      const other = new Redis(url, { enableReadyCheck: false });
      onTestFinished(async () => {
        await other.script('KILL');
        other.disconnect();
      });
      await vi.waitFor(() => expect(other.ping()).rejects.toThrow('BUSY'), PATIENT);
    }
    const result = await runCommand('keys', ['list', '--guild', 'g'], { REDIS_URL: url }, SOON);
    expect(result.code).toBe(1);
    expect(result.stderr).toMatch(new RegExp(`^error: Cannot use the Redis at .*: ${code} .*\\n$`));
    expect(result.stderr).toMatch(fix);
  });

  it('an incomplete Cluster is named, with the command that shows the hole', async () => {
    const { port, client } = await redisForTest('--cluster-enabled', 'yes', '--cluster-port', String(await freePort()));
    await client.call('CLUSTER', 'ADDSLOTSRANGE', 1, 16_383);
    const env = { REDIS_MODE: 'cluster', REDIS_NODES: `127.0.0.1:${port}` };
    const { code, stderr } = await runCommand('keys', ['list', '--guild', 'g'], env, SOON);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^error: Cannot reach the Redis Cluster at .*CLUSTER INFO.*\n$/),
    ]);
  });

  it('a server that accepts connections and says nothing is told as one that does not answer', async () => {
    const silent = createServer((socket) => socket.on('error', () => {}).resume()).listen(0, '127.0.0.1');
    onTestFinished(() => void silent.close());
    await vi.waitFor(() => expect(silent.address()).toBeTruthy(), PATIENT);
    const { port } = silent.address() as { port: number };
    const env = { REDIS_URL: `redis://127.0.0.1:${port}` };
    const { code, stderr } = await runCommand('keys', ['list', '--guild', 'g'], env, SOON);
    expect([code, stderr]).toEqual([
      1,
      `error: Cannot reach the Redis at 127.0.0.1:${port}: it does not answer; a firewall may drop the packets, or another program may listen there. Start Redis, or correct REDIS_URL.\n`,
    ]);
  });
});

it('a value of the wrong type is named by guild export, with the fix', needs('redis-server'), async () => {
  const { url, client } = await redisForTest();
  await openCore(client, 'gr').writer.record('g', { userId: '1', set: 5 });
  await client.set('gr:{g}~week:xp', 'x');
  const { code, stderr } = await runCommand('guild', ['export', '--guild', 'g', '--paused'], { REDIS_URL: url });
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^error: Redis refused: WRONGTYPE .*delete or rename the key\n$/),
  ]);
});

it('a Redis that hangs is left 60 s after its last reply, with the cause', needs('redis-server'), async () => {
  const { url, process } = await redisForTest();
  onTestFinished(() => void process.kill('SIGCONT'));
  // The connection counts ticks of this timer alone.
  vi.useFakeTimers({ toFake: ['setInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  await withCore(testContext({ env: { REDIS_URL: url } }), async ({ client }) => {
    process.kill('SIGSTOP');
    const reply = client.get('gr:x').catch((error: unknown) => error);
    // The command must be on its way.
    await new Promise(setImmediate);
    vi.advanceTimersByTime(59_000);
    expect(client.status).toBe('ready');
    vi.advanceTimersByTime(1500);
    expect(await reply).toMatchObject({ reason: 'the connection broke before the reply' });
  });
});
