import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startChild } from '../../scripts/dev/child-process.ts';
import { type EmbeddedRedis, freePort, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { createInvite } from '../../src/core/access/invites.ts';
import { openCore } from '../../src/core/core.ts';
import { copyBuild } from '../support/copied-build.ts';
import { needs } from '../support/needs.ts';
import { LONG_REDIS_TIMEOUT } from '../support/process.ts';

describe('a process whose files are being replaced by a build', needs('redis-server'), () => {
  let redis: EmbeddedRedis;
  let client: Redis;
  beforeAll(async () => {
    redis = await startEmbeddedRedis();
    client = new Redis(redis.url);
  });
  afterAll(async () => {
    client?.disconnect();
    await redis?.stop();
  });

  /** Starts a command of a build, and then removes the build. */
  const withoutFiles = async (args: string[], env: Record<string, string>, test: () => Promise<void>) => {
    const { folder, remove } = copyBuild();
    const variables = {
      ...LONG_REDIS_TIMEOUT,
      PATH: process.env.PATH,
      REDIS_URL: redis.url,
      HOST: '127.0.0.1',
      ...env,
    };
    const child = startChild(process.execPath, ['dist/guildrank.cjs', ...args], { cwd: folder, env: variables });
    try {
      await child.waitForOutput('the start', () => /"msg":"(serving|dashboard on)/.test(child.stdout()));
      rmSync(join(folder, 'dist'), { recursive: true });
      await test();
    } finally {
      await child.stop();
      remove();
    }
  };

  it('the service answers its first requests, of the API and of a public page, while a build replaces its files', async () => {
    const core = openCore(client, 'gr');
    const { key } = await core.apiKeys.create('g', 'test', null);
    await client.hset('gr:{g}:config', 'public_page', 'on');
    const port = String(await freePort());
    await withoutFiles(['serve'], { PORT: port, ADMIN_PORT: '0', PUBLIC_PAGES: '1' }, async () => {
      for (const path of ['/api/v1/servers/g/leaderboard', '/api/v1/servers/g/stats', '/g/g', '/g/none', '/docs']) {
        const { status } = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'x-api-key': key } });
        expect(status, path).toBe(path === '/g/none' ? 404 : 200);
      }
    });
  });

  it('the dashboard shows its first pages while a build replaces its files', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    await withoutFiles(['dashboard'], { DASHBOARD_PORT: String(port) }, async () => {
      const invite = await createInvite(openCore(client, 'gr'), url, { guildId: 'g', userId: '' });
      expect((await fetch(url)).status).toBe(401);
      expect((await fetch(invite)).status).toBe(200);
    });
  });
});
