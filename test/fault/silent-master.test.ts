import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { connectionOptions, createWriter } from '../../src/kit/writer.ts';
import { needs } from '../support/needs.ts';
import { PATIENT } from '../support/wait.ts';

/** An address that leads to one server, and after `move` to another: open connections then carry nothing any more, and are never closed. */
async function movingAddress(firstPort: number) {
  let port = firstPort;
  let generation = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const own = generation;
    const upstream = connect(port, '127.0.0.1');
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {});
      one.on('data', (chunk) => {
        if (own === generation) other.write(chunk);
      });
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const move = (to: number) => {
    generation++;
    port = to;
  };
  return { port: (server.address() as AddressInfo).port, move };
}

describe('the connection that the kit advises', needs('redis-server'), () => {
  it('the connection that the kit advises leaves a master that died without closing it, and writes to the new master', async () => {
    const old = await startEmbeddedRedis();
    const next = await startEmbeddedRedis();
    onTestFinished(() => Promise.all([old.stop(), next.stop()]).then(() => {}));
    const address = await movingAddress(Number(new URL(old.url).port));
    const redis = new Redis(address.port, connectionOptions());
    redis.on('error', () => {});
    onTestFinished(() => redis.disconnect());
    const writer = createWriter(redis);
    await vi.waitFor(() => writer.award('g', { userId: '1', amount: 5 }), PATIENT);

    address.move(Number(new URL(next.url).port));
    await expect(writer.award('g', { userId: '1', amount: 5 })).rejects.toMatchObject({ isOutage: true });
    // With its event it counts once, also when a busy machine holds up a reply for so long that it is sent again.
    await vi.waitFor(() => writer.award('g', { userId: '1', amount: 7, eventId: 'e' }), PATIENT);
    const admin = new Redis(next.url);
    onTestFinished(() => admin.disconnect());
    expect(await admin.zscore('gr:{g}:xp', '1')).toBe('7');
  });
});
