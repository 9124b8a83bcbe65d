import { gzipSync } from 'node:zlib';
import { expect, it, vi } from 'vitest';
import { startTestDashboard } from '../support/dashboard.ts';
import { needs } from '../support/needs.ts';
import { PATIENT } from '../support/wait.ts';

it('an upload to the dashboard that unpacks to far more than it has takes bounded memory and time, and other pages answer meanwhile', {
  ...needs('redis-server'),
  timeout: 120_000,
}, async ({ onTestFinished }) => {
  const dashboard = await startTestDashboard();
  onTestFinished(dashboard.close);
  const bomb = gzipSync(Buffer.concat([Buffer.from('user_id,xp\n'), Buffer.alloc(100 * 1024 * 1024, '\n')]));
  const owner = await dashboard.signIn('own');
  // Connections that were idle while this process compressed can have ended.
  await vi.waitFor(() => owner.get('/guilds/own'), PATIENT);
  const body = new FormData();
  body.append('_token', await owner.tokenOf('/guilds/own'));
  for (const name of ['format', 'curve']) body.append(name, '');
  body.append('file', new Blob([bomb]), 'bomb.csv.gz');
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
  expect(answers).toBeGreaterThan(3);
  expect(process.memoryUsage().rss - before).toBeLessThan(250 * 1024 * 1024);
  expect((await owner.get('/guilds/own/import')).text).not.toContain('Load the members');
});
