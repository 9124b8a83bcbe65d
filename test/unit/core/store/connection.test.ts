import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import type { Cluster, Redis } from 'ioredis';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { parseConfig } from '../../../../src/config/service.ts';
import type { RedisClient } from '../../../../src/core/store/client.ts';
import { connect, describeRedis } from '../../../../src/core/store/connection.ts';
import { PATIENT } from '../../../support/wait.ts';

const clients: RedisClient[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.disconnect();
});

/** A port on which nobody listens. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function open(env: Record<string, string>): RedisClient {
  const client = connect(parseConfig(env).redis);
  client.on('error', () => {});
  clients.push(client);
  return client;
}

describe('a connection to one Redis', () => {
  it('one Redis is reached by host, credentials, database and TLS of the URL', async () => {
    const port = await closedPort();
    const { options } = open({ REDIS_URL: `rediss://us%40er:p%3Aw@127.0.0.1:${port}/3` }) as Redis;
    expect(options).toMatchObject({ host: '127.0.0.1', port, username: 'us@er', password: 'p:w', db: 3, tls: {} });
  });

  it('one Redis is reached by the socket of a path or a unix URL', () => {
    const socket = { path: '/nowhere/redis.sock' };
    expect((open({ REDIS_URL: '/nowhere/redis.sock' }) as Redis).options).toMatchObject(socket);
    const { options } = open({ REDIS_URL: 'unix:///nowhere/redis.sock?db=2' }) as Redis;
    expect(options).toMatchObject({ ...socket, db: 2 });
  });

  it('a connection to one Redis asks for nothing that the URL does not name', async () => {
    const { options } = open({ REDIS_URL: `redis://[::1]:${await closedPort()}` }) as Redis;
    expect(options).toMatchObject({ host: '::1', db: 0 });
    expect(options.tls).toBeUndefined();
    expect(options.password).toBeFalsy();
  });
});

it('a Cluster is reached by its nodes, with the credentials and the database of the URL', async () => {
  const port = await closedPort();
  const env = { REDIS_MODE: 'cluster', REDIS_NODES: `127.0.0.1:${port}`, REDIS_URL: 'redis://user:pw@ignored:1/5' };
  const { options } = open(env) as Cluster;
  expect(options.redisOptions).toMatchObject({ username: 'user', password: 'pw', db: 5 });
  expect(options.redisOptions).not.toHaveProperty('host');
});

it('a Sentinel set is asked for its master, and every Sentinel is listened to', async () => {
  let connections = 0;
  const sentinel = createTcpServer((socket) => {
    connections++;
    socket.on('error', () => {}).on('close', () => connections--);
    socket.resume();
  });
  await new Promise<void>((resolve) => sentinel.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = sentinel.address() as AddressInfo;
    const env = { REDIS_MODE: 'sentinel', REDIS_NODES: `127.0.0.1:${port}`, REDIS_SENTINEL_NAME: 'main' };
    const client = open({ ...env, REDIS_URL: 'redis://user:pw@ignored:1/5' }) as Redis;
    expect(client.options).toMatchObject({ name: 'main', sentinels: [{ host: '127.0.0.1', port }], db: 5 });
    expect(client.options.host).not.toBe('ignored');
    // One asks for the master, one listens.
    await expect.poll(() => connections).toBe(2);
  } finally {
    sentinel.close();
  }
});

it.each([
  [{ REDIS_URL: 'redis://user:secret@db.example:7000' }, 'the Redis at db.example:7000'],
  [{ REDIS_URL: 'redis://db.example' }, 'the Redis at db.example:6379'],
  [{ REDIS_URL: 'redis://db.example:7000/0' }, 'the Redis at db.example:7000'],
  [{ REDIS_URL: 'redis://db.example:7000/5' }, 'the Redis at db.example:7000 (database 5)'],
  [{ REDIS_URL: 'redis://db.example:7000?db=5' }, 'the Redis at db.example:7000 (database 5)'],
  [{ REDIS_URL: 'unix:///run/redis.sock' }, 'the Redis on socket /run/redis.sock'],
  [{ REDIS_URL: 'unix:///run/redis.sock?db=2' }, 'the Redis on socket /run/redis.sock (database 2)'],
  [{ REDIS_MODE: 'cluster', REDIS_NODES: 'a:1,b:2' }, 'the Redis Cluster at a:1, b:2'],
  [
    { REDIS_MODE: 'cluster', REDIS_NODES: 'a:1', REDIS_URL: 'redis://unused/3' },
    'the Redis Cluster at a:1 (database 3)',
  ],
  [
    { REDIS_MODE: 'sentinel', REDIS_NODES: 'a:1', REDIS_SENTINEL_NAME: 'main' },
    'the Redis master "main" known to the Sentinels at a:1',
  ],
])('%j is described without credentials', (env, text) => {
  expect(describeRedis(parseConfig(env as Record<string, string>).redis)).toBe(text);
});

/** Starts a server that answers each chunk as told. @returns its port, and what came. */
async function startListener(answer: (chunk: Buffer) => string = () => '') {
  const received: Buffer[] = [];
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      received.push(chunk);
      socket.write(answer(chunk));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, text: () => Buffer.concat(received).toString('latin1') };
}

describe('the handshake of TLS', () => {
  it('the handshake of TLS names the host, which a host that serves many by one address needs', async () => {
    const { port, text } = await startListener();
    open({ REDIS_URL: `rediss://localhost:${port}` });
    await vi.waitFor(() => expect(text()).toContain('localhost'), PATIENT);
  });

  it('the handshake of TLS names the name that is set instead of the host', async () => {
    const { port, text } = await startListener();
    open({ REDIS_URL: `rediss://localhost:${port}`, REDIS_TLS_SERVERNAME: 'redis.example' });
    await vi.waitFor(() => expect(text()).toContain('redis.example'), PATIENT);
    expect(text()).not.toContain('localhost');
  });

  it('the handshake of TLS names each node of a Cluster by its host', async () => {
    const { port, text } = await startListener();
    open({ REDIS_MODE: 'cluster', REDIS_NODES: `localhost:${port}`, REDIS_URL: 'rediss://ignored' });
    await vi.waitFor(() => expect(text()).toContain('localhost'), PATIENT);
  });

  it('the handshake of TLS names the master that a Sentinel names', async () => {
    const master = await startListener();
    const address = `*2\r\n$9\r\nlocalhost\r\n$${String(master.port).length}\r\n${master.port}\r\n`;
    const sentinel = await startListener((chunk) => {
      const commands = String(chunk);
      if (commands.includes('subscribe')) return '';
      return [...commands.matchAll(/^\*/gm)].map(() => (commands.includes('get-master') ? address : '*0\r\n')).join('');
    });
    open({
      REDIS_MODE: 'sentinel',
      REDIS_NODES: `127.0.0.1:${sentinel.port}`,
      REDIS_SENTINEL_NAME: 'main',
      REDIS_URL: 'rediss://ignored',
    });
    await vi.waitFor(() => expect(master.text()).toContain('localhost'), PATIENT);
  });
});
