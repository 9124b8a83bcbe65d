import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { freePort, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { needs } from '../support/needs.ts';
import { startServiceProcess } from '../support/process.ts';
import { repository, runProgram } from '../support/run-command.ts';
import { PATIENT } from '../support/wait.ts';

describe('the health check of the image', needs('redis-server'), () => {
  it('passes while silent clients hold all connections, and while Redis is away, and fails without the service', async () => {
    const [, text = '[]'] =
      /^HEALTHCHECK .* CMD (\[.*\])$/m.exec(readFileSync(join(repository, 'Dockerfile'), 'utf8')) ?? [];
    const [, ...command] = JSON.parse(text) as string[];
    const redis = await startEmbeddedRedis();
    onTestFinished(redis.stop);
    const ports = { PORT: String(await freePort()), ADMIN_PORT: String(await freePort()) };
    const service = await startServiceProcess({ REDIS_URL: redis.url, MAX_CONNECTIONS: '30', ...ports });
    onTestFinished(service.stop);
    const check = async (env = ports) => (await runProgram(process.execPath, command, { env })).code;
    expect(await check()).toBe(0);

    const silent: Socket[] = [];
    onTestFinished(() => {
      for (const socket of silent) socket.destroy();
    });
    for (let n = 0; n < 30; n++) silent.push(connect(Number(ports.PORT), '127.0.0.1').on('error', () => {}));
    await vi.waitFor(async () => {
      const text = await (await fetch(`${service.adminUrl}/metrics`)).text();
      expect(text).toContain('guildrank_connections 30\n');
      expect(text).toContain('guildrank_connections_max 30\n');
    }, PATIENT);
    await expect(fetch(`${service.url}/livez`)).rejects.toThrow();
    expect(await check()).toBe(0);
    for (const socket of silent) socket.destroy();

    await redis.stop();
    await vi.waitFor(async () => expect((await fetch(`${service.adminUrl}/readyz`)).status).toBe(503), PATIENT);
    expect(await check()).toBe(0);
    expect(await check({ ...ports, ADMIN_PORT: '0' })).toBe(0);
    await service.stop();
    expect(await check()).toBe(1);
  });
});
