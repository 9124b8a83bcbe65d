import { Agent, get } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedRedis, freePort, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { needs } from '../support/needs.ts';
import { LONG_REDIS_TIMEOUT, type ServiceProcess, startServiceProcess } from '../support/process.ts';
import { rawExchange } from '../support/raw-http.ts';

describe('a request that does not reach the application', needs('redis-server'), () => {
  let redis: EmbeddedRedis;
  let service: ServiceProcess;
  const portOf = (url: string | undefined) => Number(new URL(url as string).port);

  beforeAll(async () => {
    redis = await startEmbeddedRedis();
    service = await startServiceProcess({
      ...LONG_REDIS_TIMEOUT,
      REDIS_URL: redis.url,
      ADMIN_PORT: String(await freePort()),
    });
  });
  afterAll(async () => {
    await service?.stop();
    await redis?.stop();
  });

  it.each([
    ['GET http://[::1 HTTP/1.1', 400],
    ['GET http://h:1x/api/v1/servers/g/stats?key=gr_secret HTTP/1.1', 400],
    ['nonsense', 400],
    ['CONNECT elsewhere:443 HTTP/1.1', 405],
  ])('the line "%s" gets %i on both ports, a line in the log and a count, and prints nothing', async (line, status) => {
    const counted = async () => {
      const text = await (await fetch(`${service.adminUrl}/metrics`)).text();
      return Number(/^guildrank_other_requests_total\{kind="unreadable"\} (\d+)$/m.exec(text)?.[1]);
    };
    const before = await counted();
    const logged = () => service.lines().filter((it) => it.route === 'unreadable' && it.status === status).length;
    const loggedBefore = logged();
    for (const url of [service.url, service.adminUrl]) {
      const [answer] = await rawExchange(portOf(url), Buffer.from(`${line}\r\nHost: x\r\n\r\n`), false);
      expect(answer?.status).toBe(status);
      expect(JSON.parse(answer?.body ?? '')).toMatchObject({ status, request_id: 'none' });
    }
    expect(await counted()).toBe(before + 2);
    await expect.poll(logged).toBe(loggedBefore + 2);
    expect(service.stderr()).toBe('');
    expect(service.stdout()).not.toContain('gr_secret');
  });

  it('pages, OPTIONS and probes are counted', async () => {
    const agent = new Agent({ keepAlive: true });
    const ask = (method: string, path: string) =>
      new Promise((resolve, reject) => {
        get(`${service.url}${path}`, { agent, method }, (res) => res.resume().on('end', resolve)).on('error', reject);
      });
    await ask('GET', '/docs');
    await ask('GET', '/widget.js');
    await ask('OPTIONS', '/api/v1/servers/g/stats');
    await ask('GET', '/livez');
    agent.destroy();
    const text = await (await fetch(`${service.adminUrl}/metrics`)).text();
    expect(text).toContain('guildrank_other_requests_total{kind="page"} 2\n');
    expect(text).toContain('guildrank_other_requests_total{kind="options"} 1\n');
    expect(text).toContain('guildrank_other_requests_total{kind="probe"} 1\n');
    expect(text).toContain('guildrank_connections_cut_total{reason="pipelined"} 0\n');
  });
});
