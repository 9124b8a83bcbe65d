import type { RequestHandler } from 'express';
import { afterEach, describe, expect, it } from 'vitest';
import { type AppServer, appServer } from './app-server.ts';

let running: AppServer | undefined;
afterEach(() => running?.close());

async function start(handler: RequestHandler = (_req, res) => void res.end('ok'), options = {}): Promise<AppServer> {
  running = await appServer(handler, { options });
  return running;
}

const BAD_REQUEST = {
  type: 'urn:guildrank:problem:invalid-request',
  title: 'Bad Request',
  status: 400,
  detail: 'The request is not valid HTTP/1.1.',
  code: 'invalid_request',
  request_id: 'none',
};

function parts(text: string) {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  return { lines: head.split('\r\n'), body, problem: JSON.parse(body) };
}

describe('a request that Node cannot parse', () => {
  it('an unparsable request gets a 400 problem, is observed, and closes its connection', async () => {
    const { exchange, unreadable } = await start();
    const { lines, body, problem } = parts(await exchange('no http at all\r\n\r\n'));
    expect(lines).toEqual([
      'HTTP/1.1 400 Bad Request',
      'Content-Type: application/problem+json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Cache-Control: no-store',
      'Connection: close',
    ]);
    expect(problem).toEqual(BAD_REQUEST);
    expect(unreadable).toEqual([400]);
  });

  it('a request with headers that are too long gets 431', async () => {
    const { exchange, unreadable } = await start();
    const { lines, problem } = parts(await exchange(`GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}`));
    expect(lines[0]).toBe('HTTP/1.1 431 Request Header Fields Too Large');
    expect(problem).toMatchObject({
      status: 431,
      title: 'Request Header Fields Too Large',
      detail: 'The request line and headers are longer than 16 KiB.',
    });
    expect(unreadable).toEqual([431]);
  });

  it('a HEAD request that Node cannot parse gets no body', async () => {
    const { exchange } = await start();
    const text = await exchange(`HEAD / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}`);
    expect(text).toMatch(/^HTTP\/1\.1 431 .*\r\nContent-Length: [1-9]\d*\r\n.*\r\n\r\n$/s);
    expect(text).not.toContain('{');
  });

  it('a request that takes too long to arrive gets 408', async () => {
    const soon = { headersTimeout: 50, requestTimeout: 50, connectionsCheckingInterval: 10 };
    const { exchange } = await start(undefined, soon);
    const { lines, problem } = parts(await exchange('GET / HTTP/1.1\r\nHost'));
    expect(lines[0]).toBe('HTTP/1.1 408 Request Timeout');
    expect(problem).toMatchObject({
      status: 408,
      title: 'Request Timeout',
      detail: 'The request took too long to arrive.',
    });
  });

  it('an unparsable request gets its 400 after the responses to earlier requests of its connection', async () => {
    const { exchange, unreadable } = await start(async (req, res) => {
      await new Promise(setImmediate);
      res.end(`answer to ${req.url}`);
    });
    const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
    const text = await exchange(`${request('/1')}${request('/2')}nonsense\r\n\r\n`);
    const order = [...text.matchAll(/answer to \/\d|HTTP\/1\.1 \d+/g)].map(([found]) => found);
    expect(order).toEqual(['HTTP/1.1 200', 'answer to /1', 'HTTP/1.1 200', 'answer to /2', 'HTTP/1.1 400']);
    expect(unreadable).toEqual([400]);
  });

  it('an unparsable request is not read after a request that closes the connection', async () => {
    const { exchange, unreadable } = await start();
    const text = await exchange('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\nnonsense\r\n\r\n');
    expect(text).toMatch(/^HTTP\/1\.1 200 .*ok$/s);
    expect(unreadable).toEqual([]);
  });

  it('an unparsable request gets no response after a response that closes the connection', async () => {
    const { exchange } = await start((_req, res) => void setImmediate(() => res.set('Connection', 'close').end('ok')));
    expect(await exchange('GET / HTTP/1.1\r\nHost: x\r\n\r\nnonsense\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 .*ok$/s);
  });

  it.each([
    ['was reset', { code: 'ECONNRESET' }, true],
    ['took too long and was answered', { code: 'ERR_HTTP_REQUEST_TIMEOUT' }, false],
  ])('an unparsable request gets nothing more on a connection that %s', async (_name, error, writable) => {
    const { server, unreadable } = await start();
    const done: string[] = [];
    server.emit('clientError', error, {
      writable,
      destroy: () => done.push('destroyed'),
      end: () => done.push('ended'),
    });
    expect(done).toEqual(['destroyed']);
    expect(unreadable).toEqual([]);
  });
});

describe('a request for an address in absolute form', () => {
  it.each([
    ['http://h/a?b=c', '/a?b=c'],
    ['HTTPS://h:8443/a', '/a'],
    ['http://[::1]:80/a', '/a'],
    ['http://h', '/'],
    ['http://h?b', '/?b'],
    ['/a?http://[::1', '/a?http://[::1'],
  ])('the absolute address %s reaches the application as %s', async (target, path) => {
    const { exchange } = await start((req, res) => void res.end(`path ${req.path} of ${req.originalUrl} `));
    const text = await exchange(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(text).toContain(`path ${path.split('?')[0]} of ${path} `);
  });

  it.each(['http://[::1', 'http://h:1x/a?key=secret', 'http://h:70000/', 'http://a%zz/'])(
    'the absolute address %s gets a 400 problem after the responses before it, and is observed',
    async (target) => {
      const { exchange, unreadable } = await start();
      const text = await exchange(`GET / HTTP/1.1\r\nHost: x\r\n\r\nGET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`);
      expect(text).toMatch(
        /^HTTP\/1\.1 200 .*HTTP\/1\.1 400 Bad Request\r\nContent-Type: application\/problem\+json\r\n/s,
      );
      expect(parts(text.slice(text.lastIndexOf('HTTP/1.1 400'))).problem).toEqual(BAD_REQUEST);
      expect(unreadable).toEqual([400]);
    },
  );
});

describe('CONNECT and Upgrade', () => {
  const CONNECT = 'CONNECT elsewhere:443 HTTP/1.1\r\nHost: elsewhere\r\n\r\n';

  it('CONNECT gets 405 like any other method, and closes its connection', async () => {
    const { exchange, unreadable } = await start();
    const { lines, problem } = parts(await exchange(CONNECT));
    expect(lines[0]).toBe('HTTP/1.1 405 Method Not Allowed');
    expect(lines).toContain('Allow: GET, HEAD, OPTIONS');
    expect(problem).toMatchObject({ status: 405, code: 'method_not_allowed' });
    expect(unreadable).toEqual([405]);
  });

  it('CONNECT gets its 405 after the responses to earlier requests', async () => {
    const { exchange } = await start((_req, res) => void setImmediate(() => res.end('ok')));
    const text = await exchange(`GET / HTTP/1.1\r\nHost: x\r\n\r\n${CONNECT}`);
    expect(text).toMatch(/^HTTP\/1\.1 200 .*HTTP\/1\.1 405 /s);
  });

  it('the server survives a client that resets its connection after CONNECT', async () => {
    const { open, exchange } = await start();
    const socket = await open();
    socket.write(CONNECT, () => socket.resetAndDestroy());
    expect(await exchange(CONNECT)).toMatch(/^HTTP\/1\.1 405 /);
  });

  it('a request with Upgrade gets its response over HTTP/1.1', async () => {
    const { exchange } = await start();
    const upgrade = 'GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: upgrade, close\r\n\r\n';
    expect(await exchange(upgrade)).toMatch(/^HTTP\/1\.1 200 .*ok$/s);
  });
});
