import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Request, Response } from 'express';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Operation } from '../../../../src/http/api/operations.ts';
import type { Gate } from '../../../../src/http/api/require-api-key.ts';
import type { Shortcut } from '../../../../src/http/api/shortcut.ts';
import { Problem } from '../../../../src/http/response/problem.ts';
import { createNativeServer } from '../../../../src/http/server/express-server.ts';
import { applicationOf, repliesTo } from '../../../support/app.ts';
import { rawExchange } from '../../../support/raw-http.ts';

const PLAIN = '/api/v1/servers/123456789012345678/stats';
/** The same written in a way that takes Express to read. */
const STATS = '/api/v1/servers/%3123456789012345678/stats';
const IDENTITY = { guildId: '123456789012345678', plan: 'free', keyId: 'k', origins: [] };

let server: Server;
let port: number;
/** Requests that Express was given, and requests that went past it. */
let byExpress: string[];
let pastExpress: string[];
let admitted: string[];
let answered: [route: string, status: number][];
let fails: unknown;
let throws: unknown;

const gate = {
  admit(req: Request, res: Response, next: (error?: unknown) => void, operation: Operation) {
    admitted.push(`${req.method} ${req.url} ${res.context.requestId}`);
    if (throws !== undefined) throw throws;
    operation(req, IDENTITY);
    if (fails !== undefined) next(fails);
    else replies.view(req, res, { body: '{}', etag: '"x"', lines: '' });
  },
} as unknown as Gate;
const replies = repliesTo((route, status) => answered.push([route, status]));

beforeEach(async () => {
  [byExpress, pastExpress, admitted, answered] = [[], [], [], []];
  fails = undefined;
  throws = undefined;
  let id = 0;
  const { app, shortcut } = applicationOf({ gate, replies, requestId: () => `r-${++id}` });
  const watched: Shortcut = (req, res) => {
    const line = `${req.method} ${req.url}`;
    const served = shortcut(req, res);
    (served ? pastExpress : byExpress).push(line);
    return served;
  };
  server = createNativeServer(app, { requireHostHeader: false }, watched);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  port = (server.address() as AddressInfo).port;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** Asks for an address. @returns status, headers of the answer's content, and body. */
async function ask(path: string, method = 'GET') {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method });
  const headers = Object.fromEntries(answer.headers);
  // fetch closes the connection after HEAD.
  for (const name of ['date', 'x-request-id', 'connection', 'keep-alive']) delete headers[name];
  return { status: answer.status, headers, body: (await answer.text()).replace(/r-\d+/, 'r') };
}

describe('an address that was asked for before', () => {
  it('goes past Express, with the same answer', async () => {
    const first = await ask(STATS);
    const second = await ask(STATS);
    const head = await ask(STATS, 'HEAD');
    expect(first.status).toBe(200);
    expect(second).toEqual(first);
    expect(head).toEqual({ ...first, body: '' });
    expect([byExpress, pastExpress]).toEqual([[`GET ${STATS}`], [`GET ${STATS}`, `HEAD ${STATS}`]]);
    expect(admitted).toEqual([`GET ${STATS} r-1`, `GET ${STATS} r-2`, `HEAD ${STATS} r-3`]);
    expect(answered).toEqual(Array(3).fill(['/servers/:guild_id/stats', 200]));
  });

  it('has the same problems', async () => {
    fails = new Problem('wrong_guild', 'Not yours.');
    const first = await ask(STATS);
    const second = await ask(STATS);
    expect(first.status).toBe(403);
    expect(second).toEqual(first);
    expect(pastExpress).toHaveLength(1);
    expect(answered).toEqual(Array(2).fill(['/servers/:guild_id/stats', 403]));
  });

  it('has the same answer to what should not happen', async () => {
    await ask(STATS);
    throws = new Error('a bug');
    const second = await ask(STATS);
    expect(second.status).toBe(500);
    expect(JSON.parse(second.body).code).toBe('internal');
    expect(pastExpress).toHaveLength(1);
  });

  it.each(['POST', 'OPTIONS', 'DELETE'])('is left to Express with the method %s', async (method) => {
    await ask(STATS);
    expect((await ask(STATS, method)).status).toBe(method === 'OPTIONS' ? 204 : 405);
    expect(pastExpress).toEqual([]);
  });

  it('is left to Express without a Host', async () => {
    await ask(STATS);
    const [answer] = await rawExchange(port, Buffer.from(`GET ${STATS} HTTP/1.1\r\nConnection: close\r\n\r\n`), false);
    expect(answer?.status).toBe(400);
    expect(pastExpress).toEqual([]);
  });
});

describe('an address in its plain form', () => {
  it('goes past Express the first time already, with the answer that Express would give', async () => {
    expect(await ask(PLAIN)).toEqual(await ask(STATS));
    expect([byExpress, pastExpress]).toEqual([[`GET ${STATS}`], [`GET ${PLAIN}`]]);
  });
});

describe('an address that was refused', () => {
  it('is refused again by Express', async () => {
    const bad = `${STATS.replace('stats', 'leaderboard')}?limit=x`;
    const refused = vi.spyOn(gate, 'admit').mockImplementation((req, _res, next, operation) => {
      try {
        operation(req, IDENTITY);
      } catch (error) {
        next(error);
      }
    });
    expect((await ask(bad)).status).toBe(400);
    expect((await ask(bad)).status).toBe(400);
    expect(pastExpress).toEqual([]);
    refused.mockRestore();
  });
});
