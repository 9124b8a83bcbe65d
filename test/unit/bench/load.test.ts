import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { percentileMs } from '../../../scripts/bench/latency.ts';
import { runLoad } from '../../../scripts/bench/load.ts';

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

it('sends the requests in their order from the given index, and repeats them', async () => {
  const seen: (string | undefined)[] = [];
  const port = await serve((req, res) => {
    seen.push(req.url);
    res.end('ok');
  });
  const { answered, failures } = await runLoad({ port, requests, from: 4, connections: 1, seconds: 0.5 });
  expect(seen.slice(0, 4)).toEqual(['/b', '/c', '/a', '/b']);
  expect(answered).toBeGreaterThan(4);
  expect(failures).toEqual({});
});

it('counts an answer with an error status as a failure and not as throughput', async () => {
  const port = await serve((req, res) => {
    res.statusCode = req.url === '/a' ? 503 : req.url === '/b' ? 304 : 200;
    res.end();
  });
  const { answered, failures, latency } = await runLoad({ port, requests, from: 0, connections: 1, seconds: 0.2 });
  expect(Object.keys(failures)).toEqual(['503']);
  expect(Math.abs(answered - 2 * (failures['503'] ?? 0))).toBeLessThanOrEqual(2);
  expect(latency.count).toBe(answered);
});

it('counts a request whose connection ends without an answer as lost', async () => {
  const port = await serve((_req, res) => res.destroy());
  const { answered, failures } = await runLoad({ port, requests, from: 0, connections: 3, seconds: 0.1 });
  expect([answered, failures]).toEqual([0, { lost: 3 }]);
});

it('sends at the given rate, even if the answers are fast', async () => {
  const port = await serve((_req, res) => res.end('ok'));
  const { answered, seconds } = await runLoad({ port, requests, from: 0, connections: 50, seconds: 0.5, rate: 200 });
  expect(answered).toBeGreaterThan(0);
  expect(answered).toBeLessThanOrEqual(200 * seconds);
});

it('times a request that waits for a connection from when it fell due', async () => {
  const port = await serve((_req, res) => void setTimeout(() => res.end('ok'), 50));
  const load = { port, requests, from: 0, connections: 1, seconds: 0.4, rate: 100 };
  const { answered, latency, failures } = await runLoad(load);
  // Each answer takes 50 ms and waits for all before it; a request falls due each 10 ms.
  expect(answered).toBeGreaterThan(6);
  expect(percentileMs(latency, 100)).toBeGreaterThan(answered * 45 - 400);
  expect(failures).toEqual({});
});

it('leaves out requests that fell due while the generator itself did not run', async () => {
  let most = 0;
  let open = 0;
  const port = await serve((_req, res) => {
    most = Math.max(most, ++open);
    setTimeout(() => {
      open--;
      res.end('ok');
    }, 5);
  });
  const load = runLoad({ port, requests, from: 0, connections: 100, seconds: 0.4, rate: 500 });
  const sleep = setInterval(() => {
    for (const until = performance.now() + 100; performance.now() < until; );
    clearInterval(sleep);
  }, 150);
  expect((await load).failures).toEqual({});
  // In 100 ms 50 requests fall due at this rate; only those of 5 ms are sent.
  expect(most).toBeLessThan(30);
});

it.each([undefined, 200])('counts the requests after the settle time, at the rate %s', async (rate) => {
  let received = 0;
  const port = await serve((_req, res) => {
    received++;
    res.end('ok');
  });
  let before = 0;
  const { answered, seconds, latency, windows } = await runLoad(
    { port, requests, from: 0, connections: 2, settleSeconds: 0.5, seconds: 1, ...(rate && { rate }) },
    (edge) => {
      if (edge === 'start') before = received;
    },
  );
  expect(before).toBeGreaterThan(0);
  expect(answered).toBeGreaterThan(0);
  expect(answered).toBeLessThanOrEqual(received - before);
  expect(latency.count).toBe(answered);
  expect(windows.reduce((sum, { count }) => sum + count, 0)).toBe(answered);
  expect(windows.length).toBeGreaterThan(1);
  expect(seconds).toBeLessThan(1.1);
});
