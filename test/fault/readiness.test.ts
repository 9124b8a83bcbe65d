import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { describe, expect, it, type TestContext, vi } from 'vitest';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { parseConfig } from '../../src/config/service.ts';
import { generateKey } from '../../src/core/access/key-format.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { createService } from '../../src/service/service.ts';
import { guildOn } from '../support/guild.ts';
import { needs } from '../support/needs.ts';
import { LONG_REDIS_TIMEOUT, type LogLine } from '../support/process.ts';
import { PATIENT } from '../support/wait.ts';

/** Starts the service on a Redis. Both end with `onTestFinished`. */
async function serve({ onTestFinished }: Pick<TestContext, 'onTestFinished'>, ...options: string[]) {
  const redis: EmbeddedRedis = await startEmbeddedRedis(options);
  onTestFinished(redis.stop);
  const guild = await guildOn(redis.url);
  onTestFinished(guild.close);
  // Opened before the fault: an ACL that refuses everything refuses new connections too.
  const admin = new Redis(redis.url);
  admin.on('error', () => {});
  onTestFinished(() => admin.disconnect());
  const log: LogLine[] = [];
  const logger = createLogger('info', { write: (line) => void log.push(JSON.parse(line) as LogLine) });
  const env = {
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_PORT: '0',
    REDIS_URL: redis.url,
    LOG_REQUESTS: 'off',
    ...LONG_REDIS_TIMEOUT,
    ...guild.env,
  };
  const service = await (await createService(parseConfig(env), { logger })).start();
  onTestFinished(() => service.close());
  const readyz = async () => {
    const response = await fetch(`${service.url}/readyz`);
    return { status: response.status, body: await response.json() };
  };
  const ask = async () => (await fetch(service.url + guild.paths[0], { headers: guild.headers })).status;
  /** The log since the service serves. A start on a busy machine takes long enough for a line of its own. */
  const isOfStart = ({ msg }: LogLine) => String(msg).startsWith('waiting for');
  const news = () =>
    log.filter((line) => Number(line.level) >= 40 && !isOfStart(line)).map(({ msg, code }) => `${msg} ${code}`);
  return { redis, admin, service, log, readyz, ask, news };
}

interface Refusal {
  readonly options?: readonly string[];
  inflict(admin: Redis): Promise<unknown>;
  undo(admin: Redis): Promise<unknown>;
}

const folder = () => mkdtempSync(join(tmpdir(), 'guildrank-ready-'));
const lost = folder();

const refusals: Record<string, Refusal> = {
  READONLY: {
    inflict: (admin) => admin.replicaof('127.0.0.1', 1),
    undo: (admin) => admin.replicaof('NO', 'ONE'),
  },
  OOM: {
    inflict: (admin) => admin.config('SET', 'maxmemory', '1'),
    undo: (admin) => admin.config('SET', 'maxmemory', '0'),
  },
  NOREPLICAS: {
    inflict: (admin) => admin.config('SET', 'min-replicas-to-write', '1'),
    undo: (admin) => admin.config('SET', 'min-replicas-to-write', '0'),
  },
  MISCONF: {
    options: ['--dir', lost, '--save', '3600 1'],
    inflict: async (admin) => {
      rmSync(lost, { recursive: true });
      await admin.bgsave();
      await vi.waitFor(async () => expect(await admin.info()).toContain('rdb_last_bgsave_status:err'), PATIENT);
    },
    undo: (admin) => admin.config('SET', 'stop-writes-on-bgsave-error', 'no'),
  },
  'NOPERM for scripts': {
    inflict: (admin) => admin.call('ACL', 'SETUSER', 'default', '-eval', '-evalsha'),
    undo: (admin) => admin.call('ACL', 'SETUSER', 'default', '+eval', '+evalsha'),
  },
  'NOPERM for counts': {
    inflict: (admin) => admin.call('ACL', 'SETUSER', 'default', '-incrby'),
    undo: (admin) => admin.call('ACL', 'SETUSER', 'default', '+incrby'),
  },
  'NOPERM for reads': {
    inflict: (admin) => admin.call('ACL', 'SETUSER', 'default', '-hmget'),
    undo: (admin) => admin.call('ACL', 'SETUSER', 'default', '+hmget'),
  },
};

describe('readiness', needs('redis-server'), () => {
  // They wait for checks, of which there is one a second, so they do at once.
  it.concurrent.for(Object.entries(refusals))(
    'readiness is lost while Redis refuses requests: %s',
    async ([name, fault], test) => {
      const { admin, readyz, log, news, ask } = await serve(test, ...(fault.options ?? []));
      expect(await readyz()).toEqual({ status: 200, body: { status: 'ok' } });
      expect(await ask()).toBe(200);
      await fault.inflict(admin);
      const cause = name.split(' ')[0];
      // No request has to fail first.
      await vi.waitFor(async () => {
        expect(await readyz()).toEqual({ status: 503, body: { status: 'unavailable', reason: 'redis', cause } });
      }, PATIENT);
      // Redis answers PING with MISCONF, and with PONG in all other cases.
      expect(await admin.ping().catch((error: Error) => error.message)).toMatch(/^(PONG|MISCONF)/);
      for (let i = 0; i < 10; i++) expect(await ask()).toBe(503);
      await fault.undo(admin);
      await vi.waitFor(async () => expect((await readyz()).status).toBe(200), PATIENT);
      expect(await ask()).toBe(200);
      expect(news()).toEqual([expect.stringMatching(new RegExp(`^requests fail at the Redis at .* ${cause}$`))]);
      expect(log.filter(({ msg }) => String(msg).startsWith('back: the Redis at '))).toHaveLength(1);
    },
  );

  it('the metrics show why requests fail, with and without requests', async (test) => {
    const { redis, service, ask } = await serve(test);
    expect(await ask()).toBe(200);
    const value = async (series: string) => {
      const line = (await service.registry.metrics()).split('\n').find((each) => each.startsWith(`${series} `));
      return Number(line?.split(' ')[1] ?? 0);
    };
    const errors = (command: string) => value(`guildrank_redis_command_errors_total{command="${command}"}`);
    expect(await value('guildrank_redis_ready')).toBe(1);
    await vi.waitFor(async () => expect(await value('guildrank_subscription_ready')).toBe(1), PATIENT);
    expect(await value('guildrank_workers{state="ready"}')).toBe(1);
    expect(await value('guildrank_key_lookups_total{result="found"}')).toBe(1);
    expect(await value('guildrank_connections')).toBeGreaterThan(0);
    await redis.stop();
    // The check fails although nobody asks.
    await vi.waitFor(async () => expect(await errors('probe')).toBeGreaterThan(0), PATIENT);
    await vi.waitFor(async () => expect(await value('guildrank_redis_ready')).toBe(0), PATIENT);
    await vi.waitFor(async () => expect(await value('guildrank_subscription_ready')).toBe(0), PATIENT);
    expect(await value('guildrank_workers{state="unready"}')).toBe(1);
    expect(await ask()).toBe(503);
    expect(await errors('batch')).toBe(1);
    const unknown = { 'x-api-key': generateKey() };
    const path = '/api/v1/servers/guild/stats';
    expect((await fetch(service.url + path, { headers: unknown })).status).toBe(503);
    expect(await errors('hgetall')).toBe(1);
    expect(await value('guildrank_key_lookups_total{result="failed"}')).toBe(1);
    expect(await value('guildrank_unavailable_total{reason="unreachable"}')).toBe(2);
    expect(await value('guildrank_requests_in_flight')).toBe(0);
  });

  it('the service asks Redis once a period, not once for each probe of readiness, and leaves nothing in Redis', async (test) => {
    const { admin, readyz } = await serve(test);
    const commands = async () => Number(/total_commands_processed:(\d+)/.exec(await admin.info('stats'))?.[1]);
    const keys = async () => (await admin.keys('*')).sort();
    const changes = async () => /rdb_changes_since_last_save:\d+/.exec(await admin.info('persistence'))?.[0];
    const before = await commands();
    const held = await keys();
    const changed = await changes();
    const start = performance.now();
    for (let i = 0; i < 500; i++) expect((await readyz()).status).toBe(200);
    const seconds = (performance.now() - start) / 1000;
    // A check is ROLE, and one EVALSHA with six commands for each of two guilds.
    expect((await commands()) - before).toBeLessThan(16 * (seconds + 2));
    expect(await keys()).toEqual(held);
    expect(await changes()).toBe(changed);
  });
});
