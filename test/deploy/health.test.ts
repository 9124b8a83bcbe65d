import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, type TestContext, vi } from 'vitest';
import { freePort, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { needs } from '../support/needs.ts';
import { runScript, startServiceProcess } from '../support/process.ts';
import { repository, runProgram } from '../support/run-command.ts';
import { PATIENT } from '../support/wait.ts';

/** The command of the image's HEALTHCHECK, without the binary of Node. */
const [, text = '[]'] =
  /^HEALTHCHECK .* CMD (\[.*\])$/m.exec(readFileSync(join(repository, 'Dockerfile'), 'utf8')) ?? [];
const [, ...command] = JSON.parse(text) as string[];

/** A request, and then a form whose fields never come: when the first has its answer, the dashboard waits for the fields. */
const unfinishedForm = (port: string) =>
  [
    'GET /livez HTTP/1.1',
    'Host: dashboard',
    '',
    'POST /sign-in HTTP/1.1',
    'Host: dashboard',
    `Origin: http://127.0.0.1:${port}`,
    'Content-Type: application/x-www-form-urlencoded',
    'Content-Length: 99',
    '\r\n',
  ].join('\r\n');

/** Opens connections that say nothing, until the test ends. The server has them before any that is opened afterwards. */
async function silentConnections({ onTestFinished }: TestContext, port: string, count: number): Promise<Socket[]> {
  const silent: Socket[] = [];
  onTestFinished(() => {
    for (const socket of silent) socket.destroy();
  });
  for (let n = 0; n < count; n++) silent.push(connect(Number(port), '127.0.0.1').on('error', () => {}));
  await Promise.all(silent.map((socket) => once(socket, 'connect')));
  return silent;
}

/** Waits until a server has closed a connection, to which it must have said nothing. */
async function expectRefused(port: string): Promise<void> {
  const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
  let said = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await once(socket, 'close');
  expect(said).toBe('');
}

describe.concurrent('the health check of the image', needs('redis-server'), () => {
  it('the health check passes while unfinished requests hold all connections of the dashboard, and fails without the dashboard', async (context) => {
    const { onTestFinished } = context;
    const redis = await startEmbeddedRedis();
    onTestFinished(redis.stop);
    const port = String(await freePort());
    const health = String(await freePort());
    const env = { REDIS_URL: redis.url, DASHBOARD_PORT: port, DASHBOARD_HEALTH_PORT: health };
    const dashboard = runScript(['src/cli/main.ts', 'dashboard'], env);
    onTestFinished(dashboard.stop);
    await dashboard.line((line) => typeof line.url === 'string');
    const silent = await silentConnections(context, port, 500);
    for (const socket of silent) socket.write(unfinishedForm(port));
    await Promise.all(silent.map((socket) => once(socket, 'data')));
    await expectRefused(port);
    const check = async () => (await runProgram(process.execPath, command, { env: { ADMIN_PORT: health } })).code;
    expect(await check()).toBe(0);
    await dashboard.stop();
    expect(await check()).toBe(1);
  });

  it('the health check passes while silent clients hold all connections, and while Redis is away, and fails without the service', async (context) => {
    const { onTestFinished } = context;
    const redis = await startEmbeddedRedis();
    onTestFinished(redis.stop);
    const ports = { PORT: String(await freePort()), ADMIN_PORT: String(await freePort()) };
    const service = await startServiceProcess({ REDIS_URL: redis.url, MAX_CONNECTIONS: '30', ...ports });
    onTestFinished(service.stop);
    const check = async (env = ports) => (await runProgram(process.execPath, command, { env })).code;
    expect(await check()).toBe(0);

    let silent: Socket[] = [];
    const expectFull = async () => {
      // The service closes a connection that says nothing after ten seconds, which pass on a busy machine.
      for (const socket of silent) socket.destroy();
      silent = await silentConnections(context, ports.PORT, 30);
      const text = await (await fetch(`${service.adminUrl}/metrics`)).text();
      expect(text).toContain('guildrank_connections 30\n');
      expect(text).toContain('guildrank_connections_max 30\n');
      await expectRefused(ports.PORT);
    };
    await vi.waitFor(expectFull, { ...PATIENT, timeout: 90_000 });
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
