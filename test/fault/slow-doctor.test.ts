import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import type { Finding } from '../../src/cli/doctor/finding.ts';
import { openCore } from '../../src/core/core.ts';
import { runCommand } from '../support/command.ts';
import { needs } from '../support/needs.ts';
import { redisForTest } from '../support/stores.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

/** Whatever answers, the command ends within this time. */
const BOUND_MS = 60_000;

it('doctor ends with exit code 1 and a clear message at a server that replies without end', async () => {
  const flood = (socket: Socket) => {
    while (socket.writable && socket.write(Buffer.alloc(1 << 20)));
  };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}).on('drain', () => flood(socket)));
    socket.write('$9999999999\r\n');
    flood(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const { code, stdout } = await runCommand('doctor', ['--json'], { REDIS_URL: `redis://127.0.0.1:${port}` });
  expect([code, JSON.parse(stdout).findings[0]]).toEqual([
    1,
    expect.objectContaining({ check: 'reachable', detail: expect.stringContaining('sent more than') }),
  ]);
});

/** Starts a Redis with some members behind a proxy. `doctor` asks it through the proxy, and must end in time. */
async function behindProxy() {
  const { port, client } = await redisForTest('--appendonly', 'yes', '--maxmemory', '200mb');
  const { writer } = openCore(client, 'gr');
  for (let n = 1; n <= 30; n++) await writer.record('g', { userId: `${n}`, set: n * 100 });
  const proxy = await startTcpProxy(port);
  onTestFinished(proxy.stop);
  const doctor = async () => {
    const from = performance.now();
    const { code, stdout } = await runCommand('doctor', ['--json'], { REDIS_URL: `redis://127.0.0.1:${proxy.port}` });
    expect(performance.now() - from).toBeLessThan(BOUND_MS);
    const { findings } = JSON.parse(stdout) as { findings: Finding[] };
    return { code, findings, states: Object.fromEntries(findings.map(({ check, state }) => [check, state])) };
  };
  return { client, proxy, doctor };
}

// Both only wait, so they do at once.
it('doctor ends in time at a slow Redis, and at a Redis that stops answering', needs('redis-server'), async () => {
  const slow = await behindProxy();
  slow.proxy.slowBy(110);

  // It is silent from the moment in which doctor asks for the time in a script. By then, the round trip was measured.
  const silent = await behindProxy();
  const monitor = await silent.client.monitor();
  onTestFinished(() => monitor.disconnect());
  monitor.on('monitor', (_time: string, [name]: string[]) => {
    if (name === 'time') silent.proxy.hold('127.0.0.1', 'replies');
  });

  const [ofSlow, ofSilent] = await Promise.all([slow.doctor(), silent.doctor()]);
  expect(ofSlow.code).toBe(1);
  expect(ofSlow.findings.find(({ check }) => check === 'round trip')?.detail).toMatch(
    /median [1-9]\d\d+\.\d\d ms, .*requests get 503/,
  );
  expect(ofSilent).toMatchObject({ code: 1, states: { EVAL: 'problem' } });
  expect(ofSilent.findings.find(({ check }) => check === 'round trip')?.detail).toMatch(/^median \d+\.\d\d ms/);
  expect(Object.keys(ofSilent.states)).toEqual(expect.arrayContaining(['host', 'cost']));
});
