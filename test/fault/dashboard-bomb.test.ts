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
