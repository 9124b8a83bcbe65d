import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config/service.ts';
import { generateKey } from '../../src/core/access/key-format.ts';
import { recordFigure } from '../support/figures.ts';
import { guildSuite } from '../support/guild.ts';
import { needs } from '../support/needs.ts';
import { type ServiceProcess, startServiceProcess } from '../support/process.ts';
import { sendPipelined } from './pipelined.ts';

/** HOARD_REQUESTS=100000 is the full number. The headers of fewer requests would fit into the bounds. */
const HOARD = Number(process.env.HOARD_REQUESTS ?? 6000);
const MB = 1024 * 1024;
const MEMBERS = 20_000;
/** Some four times what the cache holds. */
const LARGE_PAGES = 5000;
/** The heap that Node takes by itself in a container of 256 MiB. With more, it collects garbage late. */
const NODE_OPTIONS = '--max-old-space-size=256 --max-semi-space-size=1';
const CACHE_MAX_BYTES = parseConfig({}).cacheMaxBytes;
/** As long as Discord allows, in characters of four bytes. */
const LONG_NAME = '🦊'.repeat(32);

describe('the memory of a service under many different requests', {
  ...needs('redis-server'),
  timeout: 300_000,
}, () => {
  const suite = guildSuite();
  let service: ServiceProcess;

  afterAll(() => service?.stop());
  beforeEach(async () => {
    await service?.stop();
    service = await startServiceProcess({
      ...{ NODE_OPTIONS, REDIS_URL: suite.redis.url, TRUST_PROXY: '1', LOG_REQUESTS: 'off', ...suite.guild.env },
      // A busy machine must not keep the pages from coming.
      REDIS_TIMEOUT_MS: '10000',
    });
    // After this many, the code is compiled and the heap has its working size.
    await sendPipelined(service.url, 3000, () => get(suite.guild.paths[2] as string));
  });

  const get = (path: string, key = suite.guild.key, headers = ''): string =>
    `GET ${path} HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\n${headers}\r\n`;
  const growthDuring = async (name: string, work: () => Promise<unknown>): Promise<number> => {
    const before = service.rss();
    await work();
    const growth = service.rss() - before;
    recordFigure(name, { growthMb: Math.round(growth / MB), rssMb: Math.round(service.rss() / MB) });
    return growth;
  };
  const addressOf = (n: number) => `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;

  it(`memory stays bounded under ${HOARD} addresses and texts that are no address, each at the end of a long X-Forwarded-For, with a made-up key`, async () => {
    const forwarded = `X-Forwarded-For: ${'192.0.2.1, '.repeat(1300)}`;
    const growth = await growthDuring('long X-Forwarded-For', async () => {
      const counts = await sendPipelined(service.url, HOARD, (n) => {
        const last = n % 10 ? addressOf(n) : `a text that is no address ${n}`;
        return get(`/api/v1/servers/g${n}/stats`, generateKey(), `${forwarded}${last}\r\n`);
      });
      // All texts that are no address have one limit, which the full number exceeds.
      expect(Number(counts[401]) + (counts[429] ?? 0)).toBe(HOARD);
      expect(counts[401]).toBeGreaterThanOrEqual(HOARD * 0.9);
    });
    expect(growth).toBeLessThan(60 * MB);
  });

  it(`memory stays bounded under ${HOARD} IPv6 networks, made-up keys and paths of a valid key`, async () => {
    const growth = await growthDuring('networks and paths', async () => {
      await sendPipelined(service.url, HOARD, (n) =>
        n % 2
          ? get(`/api/v1/servers/guild/members/m${n}?${'x'.repeat(100)}`)
          : get('/api/v1/servers/guild/stats', generateKey(), `X-Forwarded-For: 2001:db8:${n >> 8}:${n & 255}::1\r\n`),
      );
    });
    expect(growth).toBeLessThan(80 * MB);
  });

  it(`memory stays bounded under ${LARGE_PAGES} different large pages of one guild`, async () => {
    const members = Array.from({ length: MEMBERS }, (_, i) => ({
      userId: `1234567890123${i}`,
      set: 1_000_000 + i,
      username: LONG_NAME,
    }));
    for (let i = 0; i < MEMBERS; i += 1000)
      await suite.guild.store.writer.recordMany('guild', members.slice(i, i + 1000));
    const paths: string[] = [];
    for (let limit = 100; paths.length < LARGE_PAGES; limit--) {
      for (let page = 1; page * limit <= MEMBERS && paths.length < LARGE_PAGES; page++)
        paths.push(`/api/v1/servers/guild/leaderboard?limit=${limit}&page=${page}`);
    }
    const growth = await growthDuring('large pages', async () => {
      const counts = await sendPipelined(service.url, LARGE_PAGES, (n) => get(paths[n] as string));
      expect(counts).toEqual({ 200: LARGE_PAGES });
    });
    expect(growth).toBeLessThan(CACHE_MAX_BYTES + 60 * MB);
  });
});
