import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../scripts/dev/embedded-redis.ts';
import { needs } from '../support/needs.ts';
import { PATIENT } from '../support/wait.ts';
import { type ProxyExample, proxies, type RunningProxy, startProxy } from './proxies.ts';

const FORGED = {
  'x-forwarded-for': '203.0.113.9',
  'x-forwarded-host': 'forged.example',
  'x-request-id': 'forged',
  'x-api-key': 'key',
  'if-none-match': '"tag"',
};

for (const proxy of proxies) {
  describe(`${proxy.name} in front of an instance`, needs(proxy.program, 'openssl'), () => tests(proxy));
}

function tests(proxy: ProxyExample): void {
  let backend: Server;
  let running: RunningProxy;

  beforeAll(async () => {
    // It answers with the headers that it got. The second instance does not run.
    backend = createServer((req, res) => res.end(JSON.stringify(req.headers))).listen(0, '127.0.0.1');
    await once(backend, 'listening');
    const { port } = backend.address() as { port: number };
    running = await startProxy(proxy, [port, await freePort()]);
    await vi.waitFor(async () => {
      expect((await running.get('/readyz')).status, running.output()).toBe(200);
    }, PATIENT);
  });
  afterAll(async () => {
    await running.stop();
    backend.close();
  });

  it(`${proxy.name} passes on no address, host or id that the client made up, and all that the API needs`, async () => {
    const seen: IncomingHttpHeaders[] = [];
    for (let i = 0; i < 2; i++) {
      // A proxy sends nothing to an instance that a busy machine has kept from answering its checks.
      await vi.waitFor(async () => {
        const { status, body } = await running.get('/x', FORGED);
        expect(status, body).toBe(200);
        seen[i] = JSON.parse(body);
      }, PATIENT);
    }
    const { host } = new URL(running.url);
    for (const headers of seen) {
      expect(headers).toMatchObject({
        host,
        'x-forwarded-for': '127.0.0.1',
        'x-api-key': 'key',
        'if-none-match': '"tag"',
      });
      expect([undefined, host]).toContain(headers['x-forwarded-host']);
      // The form that Guildrank takes.
      expect(headers['x-request-id']).toMatch(/^[\w.:=+/-]{16,128}$/);
    }
    expect(new Set(seen.map((headers) => headers['x-request-id'])).size).toBe(2);
  });

  it(`${proxy.name} gives no answer without TLS`, async () => {
    const plain = await fetch(running.url.replace('https:', 'http:')).catch(() => undefined);
    expect([undefined, 400]).toContain(plain?.status);
  });
}
