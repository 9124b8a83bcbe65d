import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedRedis, freePort, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { needs } from '../support/needs.ts';
import { startService, type TestService } from '../support/service.ts';

const MAX = 64 * 1024 * 1024;

describe('the memory of Redis in /metrics', needs('redis-server'), () => {
  let redis: EmbeddedRedis;
  let admin: Redis;
  const clients: Redis[] = [];
  const services: TestService[] = [];

  beforeAll(async () => {
    redis = await startEmbeddedRedis(['--maxmemory', String(MAX)]);
    admin = new Redis(redis.url);
  });
  afterAll(async () => {
    for (const service of services) await service.close();
    for (const client of [admin, ...clients]) client.disconnect();
    await redis.stop();
  });

  async function serviceWith(options: { username?: string; password?: string } = {}): Promise<TestService> {
    const connect = () => {
      const client = new Redis(redis.url, { ...options, enableReadyCheck: false });
      clients.push(client);
      return client;
    };
    const service = await startService({ connect }, { ADMIN_PORT: String(await freePort()) });
    services.push(service);
    return service;
  }
  /** Returns the samples of the memory by their names. */
  async function scrape({ adminUrl }: TestService): Promise<Record<string, number>> {
    const text = await (await fetch(`${adminUrl}/metrics`)).text();
    const samples = [...text.matchAll(/^(guildrank_redis_memory_\w+) (\S+)$/gm)];
    return Object.fromEntries(samples.map(([, name, value]) => [name, Number(value)]));
  }
  const infos = async () => Number(/cmdstat_info:calls=(\d+)/.exec(await admin.info('commandstats'))?.[1] ?? 0);

  it('/metrics has the memory that Redis uses, and its maxmemory', async () => {
    const { guildrank_redis_memory_bytes: used, ...others } = await scrape(await serviceWith());
    expect(used).toBeGreaterThan(500_000);
    expect(used).toBeLessThan(MAX);
    expect(others).toEqual({ guildrank_redis_memory_max_bytes: MAX });
  });

  it('/metrics has the memory of the machine where Redis has no maxmemory', async () => {
    await admin.config('SET', 'maxmemory', '0');
    const { guildrank_redis_memory_max_bytes: max } = await scrape(await serviceWith());
    expect(max).toBeGreaterThan(MAX);
    await admin.config('SET', 'maxmemory', String(MAX));
  });

  it('/metrics sends one INFO in 15 seconds, however often it is read, and none when nobody reads it', async () => {
    const service = await serviceWith();
    const before = await infos();
    service.advance(3_600_000);
    // Each look is an INFO too.
    expect(await infos()).toBe(before + 1);
    for (let i = 0; i < 5; i++) await scrape(service);
    service.advance(14_999);
    await scrape(service);
    expect(await infos()).toBe(before + 3);
    service.advance(1);
    await scrape(service);
    expect(await infos()).toBe(before + 5);
  });

  it('/metrics has no memory where the user may not use INFO, and counts no error', async () => {
    await admin.call('ACL', 'SETUSER', 'blind', 'on', '>secret', 'allkeys', 'allchannels', '+@all', '-info');
    const service = await serviceWith({ username: 'blind', password: 'secret' });
    expect(await scrape(service)).toEqual({});
    const text = await service.registry.metrics();
    expect(text).not.toMatch(/guildrank_redis_command_errors_total\{command="info"\}/);
  });
});
