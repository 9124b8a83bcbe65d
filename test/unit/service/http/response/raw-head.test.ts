import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Request, Response } from 'express';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { headerBlock } from '../../../../../src/service/http/response/headers.ts';
import { rawHead } from '../../../../../src/service/http/response/raw-head.ts';
import { rawExchange } from '../../../../support/raw-http.ts';

const LIST = ['X-Request-Id', 'r-1', 'RateLimit', '"hourly";r=4;t=1', 'X-Url', 'a: b://c'];
const LENGTH = ['Content-Length', '2'];

describe('the head of an answer', () => {
  let server: Server;
  let now: number;
  /** Heads written by Node, header by header. */
  let byNode: number;

  beforeEach(async () => {
    now = Date.now();
    byNode = 0;
    const writeHead = rawHead(() => now, 65_000);
    server = createServer({ keepAliveTimeout: 65_000 }, (req, res) => {
      const ofNode = vi.spyOn(res, 'writeHead');
      const status = req.url?.endsWith('304') ? 304 : 200;
      const list = status === 200 ? [...LIST, ...LENGTH] : LIST;
      if (req.url?.startsWith('/node')) res.writeHead(status, list);
      else {
        const own = list.slice(0, 2);
        const body = list.slice(2, 4);
        const common = list.slice(4);
        writeHead(req as Request, res as Response, status, own, [headerBlock(...body), headerBlock(...common)]);
        byNode += ofNode.mock.calls.length;
      }
      res.end(status === 200 ? 'ok' : undefined);
    });
    server.on('checkContinue', (req, res) => server.emit('request', req, res));
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(() => server.close());

  /** Asks for a path in one way, then for an end of the connection. @returns the first answer. */
  async function ask(path: string, method = 'GET', version = '1.1', header = 'X-Any: thing') {
    const first = `${method} ${path} HTTP/${version}\r\nHost: a\r\n${header}\r\n\r\n`;
    const last = 'GET /node HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
    const { port } = server.address() as AddressInfo;
    const [answer] = await rawExchange(port, Buffer.from(first + last), false);
    return answer;
  }

  /** The date aside, in which the two may differ by a second. */
  function dated(head: string | undefined) {
    return head?.replace(/(?<=\r\nDate: )\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT(?=\r\n)/, 'now');
  }

  it.each(['/200', '/304'])(
    'the head of the response to %s is byte for byte what Node writes, without asking Node',
    async (path) => {
      const node = await ask(`/node${path}`);
      const own = await ask(path);
      expect(dated(own?.head)).toBe(dated(node?.head));
      expect(own?.head).toMatch(/\r\nDate: .*\r\nConnection: keep-alive\r\nKeep-Alive: timeout=65$/);
      expect(own?.body).toBe(path === '/200' ? 'ok' : '');
      expect(byNode).toBe(0);
    },
  );

  it('the head of a response to HEAD announces a body, which is not sent', async () => {
    const own = await ask('/200', 'HEAD');
    expect(own?.head).toContain('\r\nContent-Length: 2\r\n');
    expect(own?.body).not.toBe('ok');
    expect(byNode).toBe(0);
  });

  it.each([
    ['HTTP/1.0', '1.0', 'X-Any: thing'],
    ['HTTP/1.0 that stays', '1.0', 'Connection: keep-alive'],
    ['a connection that closes', '1.1', 'Connection: close'],
    ['Expect: 100-continue', '1.1', 'Expect: 100-continue'],
  ])('Node itself writes the head of %s', async (_what, version, header) => {
    const node = await ask('/node/200', 'GET', version, header);
    const own = await ask('/200', 'GET', version, header);
    expect(dated(own?.head)).toBe(dated(node?.head));
    expect(own?.body).toBe('ok');
    expect(byNode).toBe(1);
  });

  it('the head of a response shows the time, even of a clock that was set back', async () => {
    for (const time of ['2026-01-15T12:00:00.999Z', '2026-01-15T12:00:01.000Z', '2026-01-15T11:00:00.500Z']) {
      now = Date.parse(time);
      expect((await ask('/200'))?.head).toContain(`\r\nDate: ${new Date(now).toUTCString()}\r\n`);
    }
  });

  it('Node itself writes the head of a response when it takes no text that is ready', () => {
    const writeHead = vi.fn();
    const req = { httpVersion: '1.1', headers: {} } as unknown as Request;
    const res = { shouldKeepAlive: true, headersSent: false, writeHead } as unknown as Response;
    rawHead(() => 0, 5000)(req, res, 200, LIST, [headerBlock('A', 'b'), headerBlock('C', 'd')]);
    expect(writeHead.mock.calls).toEqual([[200, [...LIST, 'A', 'b', 'C', 'd']]]);
  });
});
