import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import { afterEach, expect, it, vi } from 'vitest';
import { watchSentinels } from '../../../src/redis/sentinel-watch.ts';
import { PATIENT } from '../../support/wait.ts';

/** Connections that end before the Sentinel replies: more than the retries after which ioredis gives up its own commands. */
const LOST = 22;

const client = new Redis({ lazyConnect: true });
let sentinel: Server | undefined;
const sockets = new Set<Socket>();
afterEach(() => {
  client.disconnect();
  for (const socket of sockets) socket.destroy();
  sentinel?.close();
});

it('subscribes again when connections to a Sentinel break before it has replied', async () => {
  let connections = 0;
  const commands: string[] = [];
  sentinel = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    if (++connections <= LOST) {
      socket.once('data', () => socket.end());
      return;
    }
    socket.on('data', (data) => {
      commands.push(String(data));
      for (const _ of String(data).match(/^\*/gm) ?? []) socket.write('+OK\r\n');
    });
  }).listen(0, '127.0.0.1');
  await once(sentinel, 'listening');
  const { port } = sentinel.address() as AddressInfo;
  watchSentinels(client, 'mymaster', [{ host: '127.0.0.1', port }], {});
  await vi.waitFor(() => expect(commands.join('')).toContain('+switch-master'), PATIENT);
});
