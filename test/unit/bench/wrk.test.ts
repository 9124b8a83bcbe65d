import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseWrk, prepareWrk, type Wrk } from '../../../scripts/bench/wrk.ts';
import { findOnPath } from '../../../scripts/dev/embedded-redis.ts';

it('reads the line of the replay script among the other output of wrk', () => {
  const output =
    'Running 1s test\n{"total":10,"requests":10,"seconds":1.0,"p50Ms":1,"p99Ms":2,"failed":0,"unanswered":0}\n';
  expect(parseWrk(output).requests).toBe(10);
});

it('rejects output without a result', () => {
  expect(() => parseWrk('Segmentation fault')).toThrow('wrk printed no result:\nSegmentation fault');
});

describe.skipIf(!findOnPath(['wrk']))('wrk', () => {
  /** Starts a server, and measures it over one connection with requests of three paths, for a second after a second. */
  async function measure(handler: RequestListener) {
    const server = createServer(handler).listen(0, '127.0.0.1');
    const requests = ['/a', '/b', '/c'].map((path, n) =>
      Buffer.from(`GET ${path} HTTP/1.1\r\nHost: x\r\nx-api-key: key${n}\r\n\r\n`),
    );
    const wrk = prepareWrk(requests) as Wrk;
    onTestFinished(() => {
      wrk.remove();
      server.closeAllConnections();
      server.close();
    });
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const self = { pid: process.pid, port, stop: async () => {} };
    return wrk.measure(self, { from: 4, connections: 1, settleSeconds: 1, seconds: 1 });
  }

  it('replays the requests with their keys, in their order from the given index', async () => {
    const seen: string[] = [];
    const sample = await measure((req, res) => {
      seen.push(`${req.url} ${req.headers['x-api-key']}`);
      res.statusCode = req.url === '/a' ? 503 : 200;
      res.end('ok');
    });
    expect(seen.slice(0, 4)).toEqual(['/b key1', '/c key2', '/a key0', '/b key1']);
    expect(sample.requestsPerSecond).toBeGreaterThan(4);
    expect(Math.abs(sample.failed - seen.length / 3)).toBeLessThan(2);
  });

  it('does not count the settling seconds in the rate', async () => {
    let sent = 0;
    const { requestsPerSecond } = await measure((_req, res) => {
      // Ten answers take the first second.
      setTimeout(() => res.end('ok'), ++sent <= 10 ? 100 : 0);
    });
    // wrk ends a little late. With the first second, it would be a half.
    expect(requestsPerSecond).toBeGreaterThan(0.6 * sent);
    expect(requestsPerSecond).toBeLessThanOrEqual(sent);
  });
});
