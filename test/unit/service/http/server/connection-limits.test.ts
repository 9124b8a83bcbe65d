import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { RequestHandler } from 'express';
import { afterEach, expect, it, vi } from 'vitest';
import {
  MAX_PIPELINED,
  MAX_PIPELINED_IN_ALL,
  STALL_MS,
} from '../../../../../src/service/http/server/connection-limits.ts';
import { PATIENT } from '../../../../support/wait.ts';
import { type AppServer, appServer } from './app-server.ts';

let running: AppServer | undefined;
afterEach(() => {
  vi.useRealTimers();
  running?.close();
});

async function start(handler: RequestHandler, maxConnections?: number): Promise<AppServer> {
  running = await appServer(handler, maxConnections === undefined ? {} : { maxConnections });
  return running;
}

const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const LAST = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
const ok: RequestHandler = (_req, res) => void res.end('ok');
const never: RequestHandler = () => {};
/** More than the kernel buffers for a client that does not read. */
const LARGE = Buffer.alloc(16 * 1024 * 1024);

it('a connection answers as many pipelined requests as may wait', async () => {
  const { exchange, cuts } = await start(ok);
  const text = await exchange(REQUEST.repeat(MAX_PIPELINED) + LAST);
  expect(text.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(MAX_PIPELINED + 1);
  expect(cuts).toEqual([]);
});

it('a connection with more waiting requests is cut before any of them but the first is served', async () => {
  let served = 0;
  const { exchange, cuts } = await start(() => void served++);
  expect(await exchange(REQUEST.repeat(MAX_PIPELINED + 2))).toBe('');
  expect(cuts).toEqual(['pipelined']);
  expect(served).toBe(1);
});

const BODY = 'Content-Length: 1\r\n\r\na';
it.each([
  ['have bodies', `POST / HTTP/1.1\r\nHost: x\r\n${BODY}`],
  ['have bodies in chunks', 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n'],
  ['have many headers', `GET / HTTP/1.1\r\nHost: x\r\n${'a: b\r\n'.repeat(70)}\r\n`],
  ['have many headers and bodies', `POST / HTTP/1.1\r\nHost: x\r\n${'a: b\r\n'.repeat(70)}${BODY}`],
])('a connection on which requests wait that %s is cut in the middle of what was read', async (_, waiting) => {
  const { exchange, cuts } = await start((req, res) => void (req.url === '/' || res.end('now')));
  const now = 'GET /now HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
  // Node uses the parser of a closed connection again.
  for (let n = 1; n <= 5; n++) {
    expect(await exchange(REQUEST + waiting.repeat(1000)).catch(() => '')).toBe('');
    expect(cuts).toEqual(Array(n).fill('pipelined'));
    expect(await exchange(now)).toMatch(/now$/);
  }
});

it('a server that reads bodies and has no place left closes the oldest connection without a request', async () => {
  running = await appServer((req, res) => void (req.url === '/never' || res.end('ok')), {
    maxConnections: 3,
    readsBodies: true,
  });
  const { open, exchange, cuts } = running;
  const busy = await open();
  busy.write('GET /never HTTP/1.1\r\nHost: x\r\n\r\n');
  const idle = [await open(), await open()];
  const closed = once((idle[0] as Socket).resume(), 'close');
  expect(await exchange(LAST)).toMatch(/ok$/);
  await closed;
  expect(cuts).toEqual(['connections']);
  expect([busy.destroyed, idle[1]?.destroyed]).toEqual([false, false]);
});

it('only requests without a response count as waiting', async () => {
  const { exchange, cuts } = await start(ok);
  const text = await exchange(REQUEST.repeat(5000) + LAST).catch(() => '');
  // Each piece that is read is answered before the next: it is the size of one that counts.
  expect(cuts.length === 1 || text.match(/HTTP\/1\.1 200 OK/g)?.length === 5001).toBe(true);
});

it('a connection is cut when too many requests wait on all, and clients that do not pipeline are served', async () => {
  const waiting: (() => void)[] = [];
  const { open, exchange, cuts } = await start((req, res) => {
    if (req.url === '/now') res.end('now');
    else waiting.push(() => res.end());
  });
  const full = Math.floor(MAX_PIPELINED_IN_ALL / MAX_PIPELINED);
  for (let i = 0; i < full; i++) (await open()).write(REQUEST.repeat(MAX_PIPELINED + 1));
  await vi.waitFor(() => expect(waiting).toHaveLength(full * (MAX_PIPELINED + 1)), PATIENT);
  expect(cuts).toEqual([]);
  expect(await exchange(REQUEST + REQUEST)).toBe('');
  expect(cuts).toEqual(['pipelined']);
  const now = 'GET /now HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
  expect(await exchange(now)).toMatch(/now$/);
  for (const answer of waiting) answer();
  const pair = `GET /now HTTP/1.1\r\nHost: x\r\n\r\n${now}`;
  await vi.waitFor(async () => expect((await exchange(pair)).match(/now/g)).toHaveLength(2), PATIENT);
});

it('a server has room again when connections with waiting requests close', async () => {
  const { open, exchange, cuts } = await start((req, res) => void (req.url === '/' || res.end('now')));
  const full = Math.floor(MAX_PIPELINED_IN_ALL / MAX_PIPELINED);
  const sockets = await Promise.all(Array.from({ length: full }, open));
  for (const socket of sockets) socket.write(REQUEST.repeat(MAX_PIPELINED + 1));
  const now = 'GET /now HTTP/1.1\r\nHost: x\r\n';
  const pair = `${now}\r\n${now}Connection: close\r\n\r\n`;
  await vi.waitFor(async () => {
    await exchange(pair);
    expect(cuts).toContain('pipelined');
  }, PATIENT);
  for (const socket of sockets) socket.destroy();
  await vi.waitFor(async () => expect((await exchange(pair)).match(/now/g)).toHaveLength(2), PATIENT);
});

it.each([
  ['does not read its answer', ((_req, res) => void res.end(LARGE)) as RequestHandler],
  ['waits for an answer that never comes', never],
])('a client that %s is cut after its time', async (_name, handler) => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { open, cuts } = await start(handler);
  const socket = await open();
  const arrived = once((running as AppServer).server, 'request');
  socket.write(REQUEST);
  await arrived;
  vi.advanceTimersByTime(STALL_MS - 1000);
  expect(cuts).toEqual([]);
  vi.advanceTimersByTime(1000);
  expect(cuts).toEqual(['stalled']);
  socket.resume();
  await once(socket, 'close');
});

it('a client that takes one response after the other keeps its connection, however many there are', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const answers: (() => void)[] = [];
  const { exchange, cuts } = await start((_req, res) => void answers.push(() => res.end('ok')));
  const text = exchange(REQUEST + REQUEST + LAST);
  await vi.waitFor(() => expect(answers).toHaveLength(3), PATIENT);
  for (const answer of answers) {
    vi.advanceTimersByTime(STALL_MS - 1000);
    answer();
    await new Promise(setImmediate);
  }
  expect((await text).match(/200 OK/g)).toHaveLength(3);
  expect(cuts).toEqual([]);
});

it('a server that reads bodies keeps a client that waits, and a client that takes a large response slowly', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const file = () => Readable.from(Array.from({ length: 512 }, () => Buffer.alloc(64 * 1024)));
  running = await appServer((req, res) => void (req.url === '/never' || file().pipe(res)), { readsBodies: true });
  const { open, cuts, server } = running;
  const sockets: Socket[] = [];
  server.on('connection', (socket: Socket) => sockets.push(socket));
  const waiting = await open();
  const slow = await open();
  let arrived = 0;
  server.on('request', () => arrived++);
  waiting.write(REQUEST.replace('/', '/never'));
  slow.write(REQUEST);
  await vi.waitFor(() => expect(arrived).toBe(2), PATIENT);
  const bytesSent = () => {
    const { bytesWritten, writableLength } = sockets[1] as Socket;
    return bytesWritten - writableLength;
  };
  for (let part = 0; part < 3; part++) {
    vi.advanceTimersByTime(STALL_MS - 1000);
    const before = bytesSent();
    // Reads until more of it has left the server, which the kernel's buffers delay.
    await new Promise<void>((resolve) => {
      slow.on('data', function take() {
        if (bytesSent() === before) return;
        slow.off('data', take).pause();
        resolve();
      });
      slow.once('close', resolve).resume();
    });
  }
  expect(cuts).toEqual([]);
  vi.advanceTimersByTime(2 * STALL_MS);
  expect(cuts).toEqual(['stalled']);
});

it('a connection without a waiting request stays open', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { open, cuts } = await start(ok);
  const socket = await open();
  const answer = async () => {
    socket.write(REQUEST);
    socket.resume();
    const [data] = await once(socket, 'data');
    return String(data);
  };
  expect(await answer()).toMatch(/200 OK/);
  vi.advanceTimersByTime(3 * STALL_MS);
  expect(cuts).toEqual([]);
  expect(await answer()).toMatch(/200 OK/);
});

it('a connection ends without a second response when an answered request has a wrong body', async () => {
  const { exchange, unreadable, cuts } = await start(ok);
  const text = await exchange('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nwrong\r\n\r\n');
  expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
  expect(text).toMatch(/^HTTP\/1\.1 200 OK/);
  expect([unreadable, cuts]).toEqual([[], []]);
});

it('a timer runs only while there are connections', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { server, open } = await start(ok);
  expect([server.openConnections(), vi.getTimerCount()]).toEqual([0, 0]);
  const socket = await open();
  await vi.waitFor(() => expect([server.openConnections(), vi.getTimerCount()]).toEqual([1, 1]), PATIENT);
  socket.destroy();
  await vi.waitFor(() => expect([server.openConnections(), vi.getTimerCount()]).toEqual([0, 0]), PATIENT);
});

it('the server closes the connection of a refused CONNECT when the client does not', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { server, open, unreadable, cuts } = await start(ok);
  const socket = await open();
  socket.write('CONNECT h:1 HTTP/1.1\r\nHost: h\r\n\r\n');
  await vi.waitFor(() => expect(unreadable).toEqual([405]), PATIENT);
  vi.advanceTimersByTime(STALL_MS);
  const connections = () => new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
  await vi.waitFor(async () => expect(await connections()).toBe(0), PATIENT);
  expect(cuts).toEqual([]);
});

it('connections beyond the limit are closed at once, and others are taken when there is room', async () => {
  const { open, exchange, cuts } = await start(ok, 2);
  const first = await open();
  await open();
  expect(await exchange(LAST)).toBe('');
  expect(cuts).toEqual(['connections']);
  first?.destroy();
  await vi.waitFor(async () => expect(await exchange(LAST)).toMatch(/ok$/), PATIENT);
});
