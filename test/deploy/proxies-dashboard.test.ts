import { once } from 'node:events';
import { createServer } from 'node:http';
import { request } from 'node:https';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { freePort } from '../../scripts/dev/embedded-redis.ts';
import { startTestDashboard, type TestDashboard, type Visitor } from '../support/dashboard.ts';
import { needs } from '../support/needs.ts';
import { PATIENT } from '../support/wait.ts';
import { DASHBOARD_HOST, type ProxyExample, proxies, type RunningProxy, startProxy } from './proxies.ts';

const GUILD = 'guild';
const MB = 1024 * 1024;
/** Longer than the API may take. */
const SLOW_MS = 4000;

/** Sends a request for the dashboard through a proxy. @returns its status; 0 when the connection broke. */
function send(
  { url, tls }: RunningProxy,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body: Uint8Array | string = '',
): Promise<{ status: number; text: string }> {
  return new Promise((resolve) => {
    const all = { ...headers, host: DASHBOARD_HOST, 'content-length': Buffer.byteLength(body) };
    const req = request(`${url}${path}`, { ...tls, method, headers: all, agent: false }, (res) => {
      let text = '';
      res.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      res.on('end', () => resolve({ status: res.statusCode ?? 0, text }));
    });
    req.on('error', (error) => resolve({ status: 0, text: error.message }));
    req.end(body);
  });
}

for (const proxy of proxies) {
  describe(`${proxy.name} in front of the dashboard`, needs(proxy.program, 'openssl', 'redis-server'), () =>
    tests(proxy),
  );
}

function tests(proxy: ProxyExample): void {
  let dashboard: TestDashboard;
  let running: RunningProxy;
  let owner: Visitor;

  beforeAll(async () => {
    dashboard = await startTestDashboard({
      DASHBOARD_URL: `https://${DASHBOARD_HOST}`,
      TRUST_PROXY: '127.0.0.1',
    });
    await dashboard.store.guildConfig.update(GUILD, { plan: 'pro' });
    running = await startProxy(proxy, [await freePort(), await freePort()], Number(new URL(dashboard.localUrl).port));
    await vi.waitFor(async () => expect((await send(running, 'GET', '/livez')).status).toBe(200), PATIENT);
    owner = await dashboard.signIn(GUILD);
  });
  afterAll(async () => {
    await running?.stop();
    await dashboard?.close();
  });

  it(`${proxy.name} lets a file of 45 MB through, and the dashboard reads it`, async () => {
    const row = (n: number) => `10000000000${n},${n},${'x'.repeat(220)}\n`;
    const rows = Math.floor((45 * MB) / row(100_000).length);
    const file = `user_id,xp,note\n${Array.from({ length: rows }, (_, n) => row(100_000 + n)).join('')}`;
    const boundary = 'the-end-of-a-part';
    const part = (name: string, value: string) =>
      `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const token = await owner.tokenOf(`/guilds/${GUILD}/import`);
    const body =
      part('_token', token) +
      `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="members.csv"\r\n\r\n${file}\r\n--${boundary}--\r\n`;
    const headers = {
      origin: `https://${DASHBOARD_HOST}`,
      cookie: owner.cookie,
      'content-type': `multipart/form-data; boundary=${boundary}`,
    };
    expect((await send(running, 'POST', `/guilds/${GUILD}/import`, headers, body)).status).toBe(303);
    const { text } = await send(running, 'GET', `/guilds/${GUILD}/import`, { cookie: owner.cookie });
    expect(text).toContain(rows.toLocaleString('en'));
  });

  it(`${proxy.name} lets the dashboard refuse a file that is too large in its own words`, async () => {
    const headers = {
      origin: `https://${DASHBOARD_HOST}`,
      cookie: owner.cookie,
      'content-type': 'multipart/form-data; boundary=x',
    };
    const { status, text } = await send(running, 'POST', `/guilds/${GUILD}/import`, headers, new Uint8Array(60 * MB));
    expect(status, text).toBe(413);
    expect(text).toContain('An upload has 50 MB at most here');
  });

  it(`${proxy.name} waits for a response of the dashboard longer than for a response of the API, and sends the request once`, async () => {
    let requests = 0;
    const backend = createServer((_req, res) => {
      requests++;
      setTimeout(() => res.end('done'), SLOW_MS);
    }).listen(0, '127.0.0.1');
    const slow = await proxyTo(backend);
    expect(await send(slow, 'POST', '/x', {}, 'a=1')).toEqual({ status: 200, text: 'done' });
    expect(requests).toBe(1);
  });

  it(`${proxy.name} does not send a change again when the dashboard breaks the connection`, async () => {
    let requests = 0;
    const backend = createServer((req) => {
      requests++;
      req.socket.destroy();
    }).listen(0, '127.0.0.1');
    const broken = await proxyTo(backend);
    const { status } = await send(broken, 'POST', '/x', {}, 'a=1');
    expect([0, 502, 503]).toContain(status);
    expect(requests).toBe(1);
  });

  /** Starts a second proxy, in front of a server that stands for the dashboard. Both end with the test. */
  async function proxyTo(backend: ReturnType<typeof createServer>): Promise<RunningProxy> {
    onTestFinished(() => {
      backend.closeAllConnections();
      backend.close();
    });
    if (!backend.listening) await once(backend, 'listening');
    const { port } = backend.address() as { port: number };
    const other = await startProxy(proxy, [await freePort(), await freePort()], port);
    onTestFinished(other.stop);
    await vi.waitFor(async () => expect((await other.get('/')).status, other.output()).toBeGreaterThan(0), PATIENT);
    return other;
  }
}
