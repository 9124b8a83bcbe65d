import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createPlainServer, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import express, { type RequestHandler } from 'express';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { drain } from '../../../../../src/service/http/server/drain.ts';
import { adminListener, createExpressServer } from '../../../../../src/service/http/server/express-server.ts';
import { listenOn, serverOptions, urlOf } from '../../../../../src/service/http/server/listener.ts';
import { type LimitedServer, ownPort } from '../../../../../src/service/http/server/port.ts';

const servers: LimitedServer[] = [];
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

const observer = { onCut: () => {}, onUnreadable: () => {} };
const port = ownPort('127.0.0.1', 0, 'PORT');

async function listening(
  handler: RequestHandler = (_req, res) => void res.end('ok'),
  options = {},
): Promise<LimitedServer> {
  const server = createExpressServer(express().use(handler), options, 100, observer);
  servers.push(server);
  await listenOn(server, '127.0.0.1', 0, 'PORT');
  return server;
}

async function open(server: Server): Promise<Socket> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

function connections(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}

/** Connects and sends a request when it is told to, says so in the memory it is given, and reports the answer. */
const CLIENT = `
  const { parentPort, workerData } = require('node:worker_threads');
  parentPort.once('message', (sent) => {
    const socket = require('node:net').connect(workerData, '127.0.0.1', () => {
      socket.write('GET / HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n', () => {
        Atomics.store(sent, 0, 1);
        Atomics.notify(sent, 0);
      });
    });
    let text = '';
    socket.on('data', (chunk) => { text += chunk; });
    socket.on('error', (error) => { text += error.message; });
    socket.on('close', () => parentPort.postMessage(text));
  });
  parentPort.postMessage('ready');
`;

/** Sends bytes and reads until the server closes. */
async function exchange(server: Server, bytes: string): Promise<string> {
  const socket = await open(server);
  socket.write(bytes);
  let text = '';
  for await (const chunk of socket) text += chunk;
  return text;
}

it('a listener bounds what a slow client can hold', () => {
  expect(serverOptions).toEqual({
    headersTimeout: 10_000,
    requestTimeout: 10_000,
    keepAliveTimeout: 65_000,
    connectionsCheckingInterval: 1000,
    requireHostHeader: false,
    joinDuplicateHeaders: true,
    optimizeEmptyRequests: true,
  });
});

/** The connections that Linux keeps for any server until it takes them. */
const SOMAXCONN = '/proc/sys/net/core/somaxconn';

describe('listenOn', () => {
  it('an address in use is named with its setting', async () => {
    const first = await listening();
    const { port } = first.address() as AddressInfo;
    const second = createServer();
    await expect(listenOn(second, '127.0.0.1', port, 'ADMIN_PORT')).rejects.toThrow(
      new RegExp(`^Cannot listen on 127\\.0\\.0\\.1 port ${port}: .*EADDRINUSE.*\\. Choose another ADMIN_PORT\\.$`),
    );
  });

  it('a host that does not belong to this machine is named with its setting', async () => {
    await expect(listenOn(createServer(), '192.0.2.1', 0, 'ADMIN_PORT')).rejects.toThrow(
      /^Cannot listen on 192\.0\.2\.1 port 0: .*EADDRNOTAVAIL.*\. Choose another ADMIN_HOST\.$/,
    );
  });

  it('the listener of operators names ADMIN_HOST, because its port has another variable', async () => {
    const observer = { onCut: () => {}, onUnreadable: () => {} };
    const listener = (port: number) => adminListener(express(), '192.0.2.1', port, 'DASHBOARD_HEALTH_PORT', observer);
    await expect(listener(9464).open()).rejects.toThrow(/EADDRNOTAVAIL.*\. Choose another ADMIN_HOST\.$/);
    expect(await listener(0).open()).toBeUndefined();
  });

  it('a listener drops no connection of many that come in one moment', async () => {
    const accepted: (number | undefined)[] = [];
    const server = createPlainServer((socket) => accepted.push(socket.remotePort));
    await listenOn(server, '127.0.0.1', 0, 'PORT');
    const arrive = () => connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
    const limit = existsSync(SOMAXCONN) ? Number(readFileSync(SOMAXCONN, 'utf8')) : 128;
    const crowd = Array.from({ length: Math.min(700, limit) }, arrive);
    try {
      // Clients whose connection was dropped try again a second later: after the one that comes now.
      await once(server, 'connection');
      const late = arrive();
      await expect.poll(() => accepted.includes(late.localPort)).toBe(true);
      expect(accepted).toHaveLength(crowd.length + 1);
      late.destroy();
    } finally {
      for (const socket of crowd) socket.destroy();
      server.close();
    }
  });

  it.each(['Expect: 100-continue', 'Expect: miracles'])(
    'a request with %s gets a response like any other',
    async (header) => {
      const server = await listening();
      const text = await exchange(server, `GET / HTTP/1.1\r\nHost: x\r\n${header}\r\nConnection: close\r\n\r\n`);
      expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
      expect(text).toMatch(/ok/);
    },
  );
});

describe('urlOf', () => {
  it('IPv4 and IPv6 addresses are written as URLs write them', () => {
    const at = (address: AddressInfo) => urlOf({ address: () => address } as Server);
    expect(at({ address: '127.0.0.1', family: 'IPv4', port: 80 })).toBe('http://127.0.0.1:80');
    expect(at({ address: '::1', family: 'IPv6', port: 81 })).toBe('http://[::1]:81');
  });
});

describe('drain', () => {
  it('a drain has nothing to do for a server that does not listen', async () => {
    await drain(createExpressServer(express(), {}, 10, observer), port, 60_000);
  });

  it('a drain lets a request in flight finish, and refuses new connections', async () => {
    let finish = () => {};
    const arrived = new Promise<void>((resolve) => {
      servers.length = 0;
      void listening((_req, res) => {
        finish = () => res.end('done');
        resolve();
      });
    });
    await expect.poll(() => servers[0]?.listening).toBe(true);
    const server = servers[0] as LimitedServer;
    const { port: taken } = server.address() as AddressInfo;
    const answer = exchange(server, 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    await arrived;
    let drained = false;
    const draining = drain(server, port, 60_000).then(() => {
      drained = true;
    });
    await expect.poll(() => server.listening).toBe(false);
    const refused = connect(taken, '127.0.0.1');
    await expect(once(refused, 'connect')).rejects.toThrow('ECONNREFUSED');
    expect(drained).toBe(false);
    finish();
    expect(await answer).toMatch(/done/);
    await draining;
    expect(drained).toBe(true);
  });

  it('a drain does not wait for a connection that has never sent a byte', async () => {
    const server = await listening(undefined, serverOptions);
    const socket = await open(server);
    const closed = once(socket.resume(), 'close');
    // Far longer than a test may take: only a drain that ends such a connection passes.
    await drain(server, port, 600_000);
    await closed;
  });

  it('a drain serves a request that comes on an open connection just after it has begun', async () => {
    const server = await listening();
    const socket = await open(server);
    socket.write('GET /1 HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'data');
    const draining = drain(server, port, 60_000);
    socket.write('GET /2 HTTP/1.1\r\nHost: x\r\n\r\n');
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/200 OK/);
    const ended = once(socket, 'close');
    await draining;
    await ended;
  });

  it('a drain lets a slow request finish as long as there is time', async () => {
    let finish = () => {};
    const server = await listening((_req, res) => {
      finish = () => res.end('done');
    });
    const looked = vi.spyOn(server, 'closeIdleConnections');
    const answer = exchange(server, 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    await expect.poll(async () => (await connections(server)) > 0).toBe(true);
    const draining = drain(server, port, 60_000);
    await expect.poll(() => looked.mock.calls.length).toBeGreaterThan(3);
    finish();
    expect(await answer).toMatch(/done/);
    await draining;
  });

  it('a drain serves what had reached the machine before, though the process had no time to take it in', async () => {
    const server = await listening();
    const client = new Worker(CLIENT, { eval: true, workerData: (server.address() as AddressInfo).port });
    await once(client, 'message');
    const answer = once(client, 'message');
    const sent = new Int32Array(new SharedArrayBuffer(4));
    client.postMessage(sent);
    // Nothing is taken in while this thread waits for the other one to have sent its request.
    Atomics.wait(sent, 0, 0, 10_000);
    await drain(server, port, 60_000);
    expect(await answer).toEqual([expect.stringMatching(/^HTTP\/1\.1 200 OK/)]);
    await client.terminate();
  });

  it('a drain waits for the port no longer than its time', async () => {
    const server = await listening();
    await drain(server, { close: () => new Promise(() => {}) }, 50);
  });

  it('a drain tells that the port is closed only once connections are refused', async () => {
    const server = await listening();
    let isListening: boolean | undefined;
    await drain(server, port, 60_000, () => {
      isListening = server.listening;
    });
    expect(isListening).toBe(false);
  });

  it('a drain cuts what is still busy when its time is up', async () => {
    let arrived = () => {};
    const busy = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const server = await listening(() => arrived());
    const answer = exchange(server, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n').catch(() => '');
    await busy;
    await drain(server, port, 50);
    expect(await answer).toBe('');
  });
});
