import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { watchSentinels } from '../../../../src/core/store/sentinel-watch.ts';
import { PATIENT } from '../../../support/wait.ts';

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

it('the watch subscribes again when connections to a Sentinel break before it has replied', async () => {
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
  watchSentinels(client, 'mymaster', [{ host: '127.0.0.1', port }], () => ({}));
  await vi.waitFor(() => expect(commands.join('')).toContain('+switch-master'), PATIENT);
});

it('the watch keeps the connection to a master that a Sentinel names by its host, and closes the connection to another server', async () => {
  const opened: Socket[] = [];
  const received: string[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    const index = opened.push(socket) - 1;
    socket.on('error', () => {});
    socket.on('data', (data) => {
      received[index] = (received[index] ?? '') + String(data);
      for (const _ of String(data).match(/^\*/gm) ?? []) socket.write('+OK\r\n');
    });
  }).listen(0, '127.0.0.1');
  sentinel = server;
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const master = new Redis({ host: '127.0.0.1', port, enableReadyCheck: false, retryStrategy: () => 10 });
  onTestFinished(() => master.disconnect());
  master.on('error', () => {});
  await once(master, 'ready');
  const closed = vi.fn();
  master.on('close', closed);
  watchSentinels(master, 'mymaster', [{ host: '127.0.0.1', port }], () => ({}));
  await vi.waitFor(() => expect(opened).toHaveLength(2), PATIENT);
  const announce = (host: string) => {
    const message = `mymaster 192.0.2.1 1 ${host} ${port}`;
    opened[1]?.write(`*3\r\n$7\r\nmessage\r\n$14\r\n+switch-master\r\n$${message.length}\r\n${message}\r\n`);
  };
  await vi.waitFor(() => expect(received[1]).toContain('+switch-master'), PATIENT);
  announce('localhost');
  announce('127.0.0.1');
  for (let i = 0; i < 5; i++) await lookup('localhost');
  expect(closed).not.toHaveBeenCalled();
  announce('192.0.2.9');
  await vi.waitFor(() => expect(closed).toHaveBeenCalledOnce(), PATIENT);
});
