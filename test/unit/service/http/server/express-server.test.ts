import { once } from 'node:events';
import { Agent, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import express from 'express';
import { afterEach, describe, expect, it } from 'vitest';
import { createExpressServer } from '../../../../../src/service/http/server/express-server.ts';
import { serverOptions } from '../../../../../src/service/http/server/listener.ts';
import type { LimitedServer } from '../../../../../src/service/http/server/port.ts';
import { rawExchange } from '../../../../support/raw-http.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

describe('createExpressServer', () => {
  let server: LimitedServer | undefined;
  const observer = { onCut: () => {}, onUnreadable: () => {} };
  afterEach(() => server?.close());

  it('Express finds no prototype to swap', async () => {
    const app = express();
    let before: unknown[] = [];
    app.get('/', (req, res) => {
      res.json([Object.getPrototypeOf(req) === before[0], Object.getPrototypeOf(res) === before[1]]);
    });
    server = createExpressServer(app, {}, 100, observer);
    server.prependListener('request', (req, res) => {
      before = [Object.getPrototypeOf(req), Object.getPrototypeOf(res)];
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).json()).toEqual([true, true]);
  });

  it('requests and responses keep what Express adds to them', async () => {
    const app = express();
    app.get('/:name', (req, res) => {
      res.status(201).json({ name: req.params.name, query: req.query, host: req.hostname });
    });
    server = createExpressServer(app, {}, 100, observer);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${port}/ann?a=1`);
    expect(answer.status).toBe(201);
    expect(await answer.json()).toEqual({ name: 'ann', query: { a: '1' }, host: '127.0.0.1' });
  });

  it('an answered request and its response are released, though the connection stays open', async () => {
    const app = express();
    const seen: WeakRef<object>[] = [];
    app.use((req, res) => {
      seen.push(new WeakRef(req), new WeakRef(res));
      res.end();
    });
    server = createExpressServer(app, serverOptions, 100, observer);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const agent = new Agent({ keepAlive: true });
    const { port } = server.address() as AddressInfo;
    for (const method of ['POST', 'HEAD', 'GET']) {
      const [answer] = await once(request({ port, agent, method }).end(), 'response');
      await once(answer.resume(), 'end');
    }
    // What a WeakRef has named in a turn of the loop stays until its end.
    for (let turn = 0; turn < 100 && seen.some((each) => each.deref()); turn++) {
      await new Promise(setImmediate);
      collectGarbage();
    }
    expect(seen.filter((each) => each.deref())).toEqual([]);
    expect(server.openConnections()).toBe(1);
    agent.destroy();
  });

  it('bodies are read where there are some, and requests of a connection are answered one after the other', async () => {
    const app = express();
    app.get('/', (_req, res) => void res.end('get '));
    app.post('/', async (req, res) => {
      let body = '';
      for await (const chunk of req) body += chunk;
      res.end(`post:${body} `);
    });
    server = createExpressServer(app, {}, 100, observer);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const get = 'GET / HTTP/1.1\r\nHost: x\r\n';
    const post = 'POST / HTTP/1.1\r\nHost: x\r\n';
    const requests = [
      `${get}\r\n`,
      `${post}Content-Length: 2\r\n\r\nab`,
      `${get}Content-Length: 2\r\n\r\nab`,
      `${get}\r\n`,
      `${post}Transfer-Encoding: chunked\r\n\r\n1\r\nc\r\n1\r\nd\r\n0\r\n\r\n`,
      `${post}Content-Length: 0\r\n\r\n`,
      `${get}Connection: close\r\n\r\n`,
    ];
    const answers = await rawExchange(port, Buffer.from(requests.join('')), false);
    expect(answers.map(({ body }) => body)).toEqual(['get ', 'post:ab ', 'get ', 'get ', 'post:cd ', 'post: ', 'get ']);
  });
});
