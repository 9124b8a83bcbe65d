import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../scripts/dev/embedded-redis.ts';
import { sharedChromium } from '../../tools/browser.ts';
import { makeCertificates } from '../support/certificates.ts';
import { startTestDashboard, type TestDashboard } from '../support/dashboard.ts';
import { needs } from '../support/needs.ts';
import { watchPage } from './engines.ts';

describe('the dashboard behind a proxy with TLS, in Chromium', needs('chromium', 'redis-server', 'openssl'), () => {
  let dashboard: TestDashboard;
  const ends: (() => unknown)[] = [];

  beforeAll(async () => {
    const { server: files, remove } = await makeCertificates('localhost');
    ends.push(remove);
    const port = await freePort();
    dashboard = await startTestDashboard({ DASHBOARD_URL: `https://localhost:${port}`, TRUST_PROXY: '1' });
    ends.push(dashboard.close);
    const tls = { cert: readFileSync(files.cert), key: readFileSync(files.key) };
    const proxy = createServer(tls, (req, res) => {
      const headers = { ...req.headers, 'x-forwarded-for': req.socket.remoteAddress, 'x-forwarded-proto': 'https' };
      const onward = request(dashboard.localUrl + req.url, { method: req.method, headers }, (answer) => {
        res.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(res);
      });
      req.pipe(onward);
    }).listen(port, 'localhost');
    await once(proxy, 'listening');
    ends.push(() => proxy.close().closeAllConnections());
  });
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  });

  it('the dashboard keeps its session in a cookie of this host and of TLS alone, and takes forms', async () => {
    await dashboard.store.writer.record('g', { userId: 'a', set: 5 });
    const context = await (await sharedChromium()).newContext({ ignoreHTTPSErrors: true });
    try {
      const page = await context.newPage();
      const watch = watchPage(page, dashboard.url);
      await page.goto(await dashboard.link('g'));
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.waitForURL(`${dashboard.url}/guilds/g`);
      const attributes = { domain: 'localhost', path: '/', secure: true, httpOnly: true, sameSite: 'Lax' };
      const names = ['__Host-guildrank', '__Host-guildrank-server'];
      const cookies = await context.cookies();
      expect(cookies.map(({ name }) => name).sort()).toEqual(names);
      for (const cookie of cookies) expect(cookie).toMatchObject(attributes);
      await page.getByRole('link', { name: 'XP and rewards', exact: true }).click();
      await page.getByRole('link', { name: 'Multipliers', exact: true }).click();
      await page.getByLabel('XP multiplier').fill('2');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page
        .getByText(/^Saved\./)
        .first()
        .waitFor();
      expect(await dashboard.store.client.hget('gr:{g}:config', 'xp_multiplier')).toBe('2');
      await page.getByRole('button', { name: 'Sign out', exact: true }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect((await context.cookies()).map(({ name }) => name)).toEqual(['__Host-guildrank-server']);
      expect(watch.elsewhere).toEqual([]);
      expect(watch.complaints.filter((line) => !/status of 401/.test(line))).toEqual([]);
    } finally {
      await context.close();
    }
  });
});
