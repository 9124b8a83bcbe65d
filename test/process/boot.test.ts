import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { freePort, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { parseConfig } from '../../src/config/service.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { createService, type RunningService } from '../../src/service/service.ts';
import { startCluster } from '../support/cluster.ts';
import { needs } from '../support/needs.ts';
import { LONG_REDIS_TIMEOUT, type LogLine, spawnService, type TestProcess } from '../support/process.ts';
import { redisForTest } from '../support/stores.ts';
import { PATIENT } from '../support/wait.ts';

function boot(
  env: Record<string, string>,
  bootTimeoutMs: number,
): { log: LogLine[]; running: Promise<RunningService> } {
  const log: LogLine[] = [];
  const logger = createLogger('info', { write: (line) => void log.push(JSON.parse(line) as LogLine) });
  const config = parseConfig({ HOST: '127.0.0.1', PORT: '0', ADMIN_PORT: '0', ...LONG_REDIS_TIMEOUT, ...env });
  const running = createService(config, { logger, bootTimeoutMs }).then((service) => service.start());
  onTestFinished(() =>
    running.then(
      (server) => server.close(),
      () => {},
    ),
  );
  return { log, running };
}

function bootProcess(env: Record<string, string>): TestProcess {
  const service = spawnService(env);
  onTestFinished(service.stop);
  return service;
}

/** How long a start waits for a Redis that says nothing: longer than a busy machine holds up a process. */
const BOOT_TIMEOUT_MS = 5000;

const GIVEN_UP = (line: LogLine) => line.msg === 'could not start';

describe('the start of the service', needs('redis-server'), () => {
  it('a start waits for a Redis that starts later, says so once, and answers 503 meanwhile', async () => {
    const redisPort = await freePort();
    const port = await freePort();
    const env = { REDIS_URL: `redis://127.0.0.1:${redisPort}`, PORT: String(port) };
    const { log, running } = boot(env, 30_000);
    const waiting = (line: LogLine) => line.msg === `waiting for the Redis at 127.0.0.1:${redisPort}`;
    await vi.waitFor(() => expect(log.some(waiting), 'it says that it waits').toBe(true), PATIENT);
    const status = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
    // It listens half a second after its start.
    await vi.waitFor(async () => expect(await status('/readyz')).toBe(503), PATIENT);
    expect(await status('/livez')).toBe(200);

    await redisForTest('--port', String(redisPort));
    const { url } = await running;
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect(log.filter(waiting)).toHaveLength(1);
  });

  it('a start says in words that it waits for a Redis that accepts the connection and says nothing', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as { port: number };
    const { log, running } = boot({ REDIS_URL: `redis://127.0.0.1:${port}` }, 6000);
    await expect(running).rejects.toThrow('it does not answer');
    expect(log.find(({ msg }) => msg === `waiting for the Redis at 127.0.0.1:${port}`)).toMatchObject({
      reason: 'there is no connection to Redis',
    });
  });

  it('a start gives up on a Redis that never starts, in one line with the address and the error', async () => {
    const port = await freePort();
    const { running } = boot({ REDIS_URL: `redis://127.0.0.1:${port}` }, 3000);
    await expect(running).rejects.toThrow(
      new RegExp(
        `^Cannot reach the Redis at 127\\.0\\.0\\.1:${port}: connect ECONNREFUSED.*\\. Start Redis, or correct REDIS_URL\\.$`,
      ),
    );
  });

  it('a start gives up on a Cluster that never starts, and names the variable of its address', async () => {
    const port = await freePort();
    const { running } = boot({ REDIS_MODE: 'cluster', REDIS_NODES: `127.0.0.1:${port}` }, 200);
    await expect(running).rejects.toThrow(
      new RegExp(
        `^Cannot reach the Redis Cluster at 127\\.0\\.0\\.1:${port}: .*\\. Start Redis, or correct REDIS_NODES\\.$`,
      ),
    );
  });

  it('a start gives up on Sentinels that never start, and names the variable of their addresses', async () => {
    const port = await freePort();
    const env = { REDIS_MODE: 'sentinel', REDIS_NODES: `127.0.0.1:${port}`, REDIS_SENTINEL_NAME: 'guilds' };
    await expect(boot(env, 200).running).rejects.toThrow(
      /^Cannot reach the Redis master "guilds" known to the Sentinels at .*: .*\. Start Redis, or correct REDIS_NODES\.$/,
    );
  });

  it('a start waits for a Redis that loads its data, however long, and says so', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'guildrank-boot-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const durable = ['--dir', folder, '--appendonly', 'yes', '--appendfsync', 'always'];
    const first = await startEmbeddedRedis(durable);
    const admin = new Redis(first.url);
    await admin.mset(Array.from({ length: 60_000 }, (_, i) => [`filler:${i}`, 'x']).flat());
    await admin.call('BGREWRITEAOF');
    await vi.waitFor(async () => expect(await admin.info()).toContain('aof_rewrite_in_progress:0'), PATIENT);
    admin.disconnect();
    await first.stop();
    // Its keys take a minute to load, until the test lets it be faster.
    const slow = ['--key-load-delay', '1000', '--loading-process-events-interval-bytes', '1024'];
    const starting = redisForTest('--port', String(first.port), ...durable, ...slow);
    starting.catch(() => {});
    const loading = new Redis(first.url, { enableReadyCheck: false });
    loading.on('error', () => {});
    onTestFinished(() => loading.disconnect());
    await vi.waitFor(() => expect(loading.ping()).rejects.toThrow('LOADING'), PATIENT);
    const port = await freePort();
    const { log, running } = boot({ REDIS_URL: first.url, PORT: String(port) }, BOOT_TIMEOUT_MS);
    const waiting = ({ reason }: LogLine) => String(reason).startsWith('LOADING');
    await vi.waitFor(() => expect(log.some(waiting), 'it says that Redis loads').toBe(true), PATIENT);
    await vi.waitFor(async () => {
      const readyz = await fetch(`http://127.0.0.1:${port}/readyz`);
      expect(await readyz.json()).toEqual({ status: 'unavailable', reason: 'redis', cause: 'LOADING' });
    }, PATIENT);
    await delay(BOOT_TIMEOUT_MS + 1000);
    await loading.config('SET', 'key-load-delay', '0');
    const { url } = await running;
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect(log.filter(({ msg }) => String(msg).startsWith('waiting for')).length).toBeLessThanOrEqual(2);
    expect(log.filter(({ level }) => Number(level) >= 50)).toEqual([]);
    await starting;
  });

  it.each([
    ['allkeys-lru', 'members, API keys and counts of quotas'],
    ['volatile-ttl', 'counts of quotas'],
  ])('a start warns of a Redis that evicts by %s', async (policy, victims) => {
    const { url, port } = await redisForTest('--maxmemory-policy', policy);
    const { log, running } = boot({ REDIS_URL: url }, 30_000);
    await running;
    // A start on a busy machine takes long enough for a line of its own.
    const warnings = log.filter(({ level, msg }) => Number(level) === 40 && !String(msg).startsWith('waiting for'));
    expect(warnings.map(({ msg }) => msg)).toEqual([
      `the Redis at 127.0.0.1:${port}: maxmemory-policy ${policy} lets Redis delete ${victims}: set noeviction`,
    ]);
  });

  it('a start ends on a server without scripts, in one line that says so', async () => {
    const { url } = await redisForTest('--rename-command', 'EVALSHA', '');
    await expect(boot({ REDIS_URL: url }, 30_000).running).rejects.toThrow(
      /^Cannot use the Redis at .*: ERR unknown command 'evalsha'.* Guildrank needs EVAL and EVALSHA \(Redis 7\.0 or later, or Valkey\)\.$/,
    );
  });

  it('a start serves on a server without INFO', async () => {
    const { url } = await redisForTest('--rename-command', 'INFO', '');
    const { running } = boot({ REDIS_URL: url }, 30_000);
    expect((await fetch(`${(await running).url}/readyz`)).status).toBe(200);
  });

  it('a start warns of a server without TIME', async () => {
    const { url } = await redisForTest('--rename-command', 'TIME', '');
    const { log, running } = boot({ REDIS_URL: url }, 30_000);
    await running;
    expect(log.map(({ msg }) => String(msg)).join()).toContain('the command TIME is missing');
  });

  it('a start with a wrong or missing password ends at once with exit code 1 and one line, which does not show the password', async () => {
    const { port } = await redisForTest('--requirepass', 'right');
    const reasonOn = (code: string) => `Cannot use the Redis at 127.0.0.1:${port}: ${code}`;
    // A busy machine may keep the connection from opening for a while.
    const waitsFor = (lines: readonly Record<string, unknown>[], code: string) =>
      lines.filter(({ msg, reason }) => String(msg).startsWith('waiting') && String(reason).includes(code));
    const service = bootProcess({ REDIS_URL: `redis://:wrong@127.0.0.1:${port}` });
    const line = await service.line(GIVEN_UP);
    expect(line.reason).toContain(reasonOn('WRONGPASS'));
    expect(await service.waitForEnd()).toEqual({ code: 1, signal: null });
    expect(waitsFor(service.lines(), 'WRONGPASS')).toEqual([]);
    expect(service.output()).not.toMatch(/:wrong@|right/);
    const { log, running } = boot({ REDIS_URL: `redis://127.0.0.1:${port}` }, 60_000);
    await expect(Promise.race([running, after(30_000)])).rejects.toThrow(reasonOn('NOAUTH'));
    expect(waitsFor(log, 'NOAUTH')).toEqual([]);
  });

  it('a start ends at once on a Cluster that refuses the password', async () => {
    const cluster = await startCluster();
    onTestFinished(cluster.stop);
    for (const { admin } of cluster.nodes) await admin.config('SET', 'requirepass', 'right');
    const env = { REDIS_MODE: 'cluster', REDIS_NODES: cluster.addresses, REDIS_URL: 'redis://:wrong@unused' };
    // Far below the time that it waits for a Cluster that is down.
    await expect(Promise.race([boot(env, 60_000).running, after(30_000)])).rejects.toThrow('WRONGPASS');
  });

  it('a start ends with exit code 1 and one line that names PORT or ADMIN_PORT when its port is taken', async () => {
    const { url } = await redisForTest();
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as { port: number };
    const reasonOf = (name: string) =>
      `Cannot listen on 127.0.0.1 port ${port}: listen EADDRINUSE: address already in use 127.0.0.1:${port}. Choose another ${name}.`;
    const service = bootProcess({ REDIS_URL: url, PORT: String(port) });
    expect((await service.line(GIVEN_UP)).reason).toBe(reasonOf('PORT'));
    expect(await service.waitForEnd()).toEqual({ code: 1, signal: null });
    await expect(boot({ REDIS_URL: url, ADMIN_PORT: String(port) }, 30_000).running).rejects.toThrow(
      reasonOf('ADMIN_PORT'),
    );
    const workers = bootProcess({ REDIS_URL: url, WORKERS: '2', ADMIN_PORT: String(port) });
    expect((await workers.line(GIVEN_UP)).reason).toBe(reasonOf('ADMIN_PORT'));
    expect(await workers.waitForEnd()).toEqual({ code: 1, signal: null });
    expect(workers.output().trim().split('\n')).toHaveLength(1);
  });

  it('a start ends with exit code 1, and names every wrong variable at once', async () => {
    const service = bootProcess({ PORT: 'x', WORKERS: '0' });
    expect(await service.waitForEnd()).toEqual({ code: 1, signal: null });
    expect(service.output()).toMatch(/^Invalid configuration:\n {2}PORT must .*\n {2}WORKERS must .*\n$/);
  });
});

async function after(ms: number): Promise<never> {
  await delay(ms, undefined, { ref: false });
  throw new Error(`nothing within ${ms} ms`);
}
