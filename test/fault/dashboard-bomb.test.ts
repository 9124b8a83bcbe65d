import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startTestDashboard } from '../support/dashboard.ts';
import { needs } from '../support/needs.ts';
import { PATIENT } from '../support/wait.ts';

const MEMBER = '{"players":[{"id":"1","xp":1},';

it.each([
  ['line.csv.gz', 'user_id,xp\n', '1'],
  ['nested.json.gz', MEMBER, '['],
  ['string.json.gz', `${MEMBER}"`, 'x'],
])(
  '%s, uploaded to the dashboard, takes bounded memory and time, and other pages answer meanwhile',
  {
    ...needs('redis-server'),
    timeout: 120_000,
  },
  async (name, head, byte) => {
    const dashboard = await startTestDashboard();
    onTestFinished(dashboard.close);
    const bomb = gzipSync(Buffer.concat([Buffer.from(head), Buffer.alloc(60 * 1024 * 1024, byte)]));
    const owner = await dashboard.signIn('own');
    // Connections that were idle while this process compressed can have ended.
    await vi.waitFor(() => owner.get('/guilds/own'), PATIENT);
    const body = new FormData();
    body.append('_token', await owner.tokenOf('/guilds/own'));
    for (const field of ['format', 'curve']) body.append(field, '');
    body.append('file', new Blob([bomb]), name);
    const before = process.memoryUsage().rss;
    let isOver = false;
    const headers = { origin: dashboard.url, cookie: owner.cookie };
    const checking = fetch(`${dashboard.localUrl}/guilds/own/import`, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
    });
    void checking.finally(() => {
      isOver = true;
    });
    let answers = 0;
    while (!isOver) {
      expect((await owner.get('/guilds/own')).status).toBe(200);
      answers++;
    }
    expect([303, 400]).toContain((await checking).status);
    expect(answers).toBeGreaterThan(0);
    expect(process.memoryUsage().rss - before).toBeLessThan(250 * 1024 * 1024);
    expect((await owner.get('/guilds/own/import')).text).not.toContain('Load the members');
  },
);

it('connections without a session that send requests and read no answer are cut, and other people are served', {
  ...needs('redis-server'),
  timeout: 120_000,
}, async () => {
  const dashboard = await startTestDashboard();
  onTestFinished(dashboard.close);
  const { port } = new URL(dashboard.localUrl);
  const requests = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(5000);
  const before = process.memoryUsage().rss;
  const sockets = Array.from({ length: 60 }, () => connect(Number(port), '127.0.0.1').pause());
  onTestFinished(() => sockets.forEach((socket) => void socket.destroy()));
  await Promise.all(
    sockets.map(
      (socket) => new Promise<void>((resolve) => socket.on('error', resolve).write(requests, () => resolve())),
    ),
  );
  const owner = await dashboard.signIn('own');
  expect((await owner.get('/guilds/own')).status).toBe(200);
  expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
  // Their ends are seen by reading.
  await Promise.all(sockets.map((socket) => socket.closed || once(socket.resume(), 'close')));
});
