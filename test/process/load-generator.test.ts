import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { runLoad } from '../../scripts/bench/load.ts';

const requests = ['/a', '/b', '/c'].map((path) => Buffer.from(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`));

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** A load of one connection without settle time. */
const plan = { requests, from: 0, connections: 1, settleSeconds: 0, seconds: 0.2 };

it('sends the requests in their order from the given index, and repeats them', async () => {
  const seen: (string | undefined)[] = [];
  const port = await serve((req, res) => {
    seen.push(req.url);
    res.end('ok');
  });
  const { answered, failures } = await runLoad(port, { ...plan, from: 4, seconds: 0.5 });
  expect(seen.slice(0, 4)).toEqual(['/b', '/c', '/a', '/b']);
  expect(answered).toBeGreaterThan(4);
  expect(failures).toEqual({});
});

it('joins an answer that comes in pieces, larger than a read', async () => {
  const port = await serve((_req, res) => res.end('x'.repeat(200_000)));
  const { answered, failures } = await runLoad(port, plan);
  expect(answered).toBeGreaterThan(0);
  expect(failures).toEqual({});
});

it('counts an answer with an error status as a failure and not as throughput', async () => {
  const sent = { good: 0, bad: 0 };
  const port = await serve((req, res) => {
    res.statusCode = req.url === '/a' ? 503 : req.url === '/b' ? 304 : 200;
    sent[req.url === '/a' ? 'bad' : 'good']++;
    res.end();
  });
  const { answered, failures, latency } = await runLoad(port, plan);
  expect(Object.keys(failures)).toEqual(['503']);
  // The last answer can come after the measured time, and the first ones before it.
  expect([sent.bad, sent.bad - 1]).toContain(failures['503']);
  expect(answered).toBeGreaterThan(0);
  expect(answered).toBeLessThanOrEqual(sent.good);
  expect(latency.count).toBe(answered);
});

it('counts a request whose connection ends without an answer as lost', async () => {
  const port = await serve((_req, res) => res.destroy());
  const { answered, failures } = await runLoad(port, { ...plan, connections: 3, seconds: 0.1 });
  expect([answered, failures]).toEqual([0, { lost: 3 }]);
});

it('times a request until its answer', async () => {
  const port = await serve((_req, res) => void setTimeout(() => res.end('ok'), 50));
  const { latency } = await runLoad(port, { ...plan, seconds: 0.4 });
  expect(latency.min / 1e6).toBeGreaterThan(45);
});

it('counts the requests after the settle time', async () => {
  let received = 0;
  const port = await serve((_req, res) => {
    received++;
    res.end('ok');
  });
  let before = 0;
  const load = { ...plan, connections: 2, settleSeconds: 0.5, seconds: 1 };
  const { answered, latency } = await runLoad(port, load, (edge) => {
    if (edge === 'start') before = received;
  });
  expect(before).toBeGreaterThan(0);
  expect(answered).toBeGreaterThan(0);
  expect(answered).toBeLessThanOrEqual(received - before);
  expect(latency.count).toBe(answered);
});

it('sends at a rate, and counts from when a request was due', async () => {
  const port = await serve((_req, res) => void setTimeout(() => res.end('ok'), 50));
  // Twenty connections take 400 requests a second, one takes 20.
  const wide = await runLoad(port, { ...plan, connections: 20, seconds: 0.5, rate: 100 });
  expect(wide.answered).toBeLessThanOrEqual(50);
  expect(wide.answered).toBeGreaterThan(20);
  const narrow = await runLoad(port, { ...plan, seconds: 0.5, rate: 100 });
  expect(narrow.answered).toBeLessThan(11);
  expect(narrow.latency.max / 1e6).toBeGreaterThan(200);
});
