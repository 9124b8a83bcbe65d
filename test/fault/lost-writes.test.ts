import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { deleteGuild } from '../../src/core/guilds/delete.ts';
import { guildSuite } from '../support/guild.ts';
import { needs } from '../support/needs.ts';
import { LONG_REDIS_TIMEOUT, type ServiceProcess, startServiceProcess } from '../support/process.ts';
import { PATIENT } from '../support/wait.ts';

const STATS = 'gr:{guild}:stats';
const XP = 'gr:{guild}:xp';

/** A raw writer that raises the revision by a fixed number gives a revision a second time; the service must not show the old page for it. */
describe('a revision that a raw writer gives a second time', needs('redis-server'), () => {
  const suite = guildSuite();
  let service: ServiceProcess;

  beforeAll(async () => {
    service = await startServiceProcess({ ...LONG_REDIS_TIMEOUT, ...suite.guild.env, REDIS_URL: suite.redis.url });
  });
  afterAll(() => service?.stop());

  const first = async () => {
    const response = await fetch(`${service.url}/api/v1/servers/guild/leaderboard?limit=1`, {
      headers: suite.guild.headers,
    });
    return response.status === 200
      ? ((await response.json()) as { data: { xp: number }[] }).data[0]?.xp
      : response.status;
  };
  const write = (xp: number, revision: number) =>
    suite.guild.store.client.multi().zadd(XP, xp, 'u49').hset(STATS, 'rev', revision).exec();

  it('a page with a repeated revision shows the new content after Redis came back without a write', async () => {
    const { port } = suite.redis;
    await write(1_000_001, 1000);
    expect(await first()).toBe(1_000_001);
    await suite.redis.stop();
    suite.redis = await startEmbeddedRedis(['--port', String(port)]);
    await vi.waitFor(() => suite.guild.refill(), PATIENT);
    await write(1_000_002, 1000);
    await vi.waitFor(async () => expect(await first()).not.toBe(503), PATIENT);
    expect(await first()).toBe(1_000_002);
  });

  it('a page with a repeated revision shows the new content after the guild was deleted and started again', async () => {
    await write(1_000_003, 2000);
    expect(await first()).toBe(1_000_003);
    await deleteGuild(suite.guild.store, 'guild');
    await suite.guild.refill();
    await write(1_000_004, 2000);
    await vi.waitFor(async () => expect(await first()).not.toBe(401), PATIENT);
    expect(await first()).toBe(1_000_004);
  });
});
