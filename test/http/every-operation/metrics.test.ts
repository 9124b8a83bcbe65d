import { describe, expect, it } from 'vitest';
import { freePort } from '../../../scripts/dev/embedded-redis.ts';
import { generateKey } from '../../../src/core/access/key-format.ts';
import { mockStore } from '../../support/stores.ts';
import { serviceSuite, setPlan } from '../../support/suite.ts';

const adminPort = await freePort();

describe('GET /metrics on the admin port', () => {
  const suite = serviceSuite(mockStore, { ADMIN_PORT: String(adminPort), PLAN_QUOTAS: 'free=2,pro=50' });
  const metrics = async () => (await fetch(`${suite.service.adminUrl}/metrics`)).text();
  const value = (text: string, series: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${series} `))
        ?.split(' ')
        .at(-1),
    );

  it('the metrics count requests by method, route and status, decisions by plan, and the uses of the cache', async () => {
    for (let i = 0; i < 3; i++) await suite.get('/servers/guild/leaderboard');
    await setPlan(suite, 'guild', 'pro');
    await expect.poll(async () => (await suite.get('/servers/guild/stats')).status).toBe(200);
    // The second response is cached, the third comes from the cache.
    for (let i = 0; i < 2; i++) await suite.get('/servers/guild/stats').expect(200);
    await suite.get('/no/such/path').expect(404);
    const text = await metrics();
    const leaderboard = (status: number) =>
      `http_request_duration_seconds_count{method="GET",route="/servers/:guild_id/leaderboard",status="${status}"}`;
    expect(value(text, leaderboard(200))).toBe(2);
    expect(value(text, leaderboard(429))).toBe(1);
    expect(value(text, 'http_request_duration_seconds_count{method="GET",route="unmatched",status="404"}')).toBe(1);
    expect(value(text, 'guildrank_quota_decisions_total{plan="free",decision="allowed"}')).toBe(2);
    expect(value(text, 'guildrank_quota_decisions_total{plan="free",decision="denied"}')).toBeGreaterThanOrEqual(1);
    expect(value(text, 'guildrank_quota_decisions_total{plan="pro",decision="allowed"}')).toBeGreaterThanOrEqual(2);
    expect(value(text, 'guildrank_page_cache_requests_total{result="hit"}')).toBeGreaterThanOrEqual(1);
    expect(value(text, 'guildrank_redis_command_duration_seconds_count{command="batch"}')).toBeGreaterThanOrEqual(4);
    expect(text).toMatch(/^guildrank_redis_ready [01]$/m);
    expect(text).toMatch(/guildrank_build_info\{version="\d+\.\d+\.\d+",node="v\d+[^"]*"\} 1/);
    expect(text).toContain('nodejs_eventloop_lag_p99_seconds');
  });

  it('the metrics name no guild and no key, and made-up methods add no series', async () => {
    await suite.get('/servers/guild/members/someone');
    const { request } = await import('node:http');
    await new Promise((resolve) => {
      request(suite.service.url, { method: 'PROPFIND', path: '/api/v1/servers/guild/stats' }, (res) =>
        res.resume().on('end', resolve),
      ).end();
    });
    const text = await metrics();
    expect(text).toContain('method="other"');
    expect(text).not.toMatch(/PROPFIND|someone|"guild"|gr_/);
  });

  it('the metrics count the requests that are held back', async () => {
    const held = 'guildrank_held_back_requests_total';
    const before = value(await metrics(), held);
    for (let i = 0; i < 700; i++) {
      await fetch(`${suite.service.url}/api/v1/servers/guild/stats`, { headers: { 'x-api-key': generateKey() } });
    }
    expect(value(await metrics(), held)).toBeGreaterThan(before + 50);
    expect(value(await metrics(), 'guildrank_key_lookups_total{result="unknown"}')).toBeGreaterThan(10);
  });

  it('the public port answers /metrics with 404', async () => {
    expect((await fetch(`${suite.service.url}/metrics`)).status).toBe(404);
  });
});
