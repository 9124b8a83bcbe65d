import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../scripts/dev/embedded-redis.ts';
import { guildOn, type TestGuild } from '../support/guild.ts';
import { needs } from '../support/needs.ts';
import { LONG_REDIS_TIMEOUT, spawnService, type TestProcess } from '../support/process.ts';
import { realStore, type TestStore } from '../support/stores.ts';
import { PATIENT } from '../support/wait.ts';

describe('WORKERS=2', needs('redis-server'), () => {
  let testStore: TestStore;
  let guild: TestGuild;
  let service: TestProcess;
  let url: string;
  let adminUrl: string;

  beforeEach(async () => {
    testStore = await realStore.start();
    guild = await guildOn(testStore.url as string);
    const [port, adminPort] = [await freePort(), await freePort()];
    url = `http://127.0.0.1:${port}`;
    adminUrl = `http://127.0.0.1:${adminPort}`;
    service = spawnService({
      ...LONG_REDIS_TIMEOUT,
      ...guild.env,
      REDIS_URL: testStore.url as string,
      PORT: `${port}`,
      ADMIN_PORT: `${adminPort}`,
      WORKERS: '2',
    });
    await vi.waitFor(() => expect(serving(), 'workers that serve').toBe(2), PATIENT);
  });
  afterEach(async () => {
    await service.stop();
    guild.close();
    await testStore.stop();
  });

  const serving = () => service.lines().filter(({ msg }) => String(msg).startsWith('serving from')).length;
  const ask = () => fetch(url + guild.paths[0], { headers: { ...guild.headers, connection: 'close' } });

  it('serves from both workers, adds up their metrics, and ends both on SIGTERM with exit code 0', async () => {
    for (let i = 0; i < 20; i++) expect((await ask()).status).toBe(200);
    const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
    const counts = [...metrics.matchAll(/^http_request_duration_seconds_count\{.*leaderboard.*\} (\d+)$/gm)];
    expect(counts.reduce((sum, [, n]) => sum + Number(n), 0)).toBe(20);
    expect(metrics).toMatch(/^guildrank_redis_ready 1$/m);
    expect((await fetch(`${adminUrl}/readyz`)).status).toBe(200);
    const { pids } = await service.line((line) => Array.isArray(line.pids));
    service.kill('SIGTERM');
    expect(await service.waitForEnd()).toEqual({ code: 0, signal: null });
    for (const pid of pids as number[]) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});

describe('WORKERS=2 with a port that is taken', needs('redis-server'), () => {
  it('ends with one clear line instead of trying again without end', async () => {
    const testStore = await realStore.start();
    const port = await freePort();
    const taken = createServer().listen(port, '127.0.0.1');
    await once(taken, 'listening');
    const service = spawnService({
      ...LONG_REDIS_TIMEOUT,
      REDIS_URL: testStore.url as string,
      PORT: `${port}`,
      WORKERS: '2',
    });
    expect((await service.waitForEnd()).code).toBe(1);
    expect(service.output()).toContain('Choose another PORT');
    taken.close();
    await testStore.stop();
  });
});
