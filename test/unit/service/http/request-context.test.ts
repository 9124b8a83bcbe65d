import express from 'express';
import request from 'supertest';
import { describe, expect, it, vi } from 'vitest';
import {
  type Activity,
  openContext,
  type RequestContext,
  requestIds,
} from '../../../../src/service/http/request-context.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = `00-${TRACE}-00f067aa0ba902b7-01`;

const SERVING: Activity = { inFlight: 0, isClosing: false };

interface Setup {
  readonly isTrusted?: (address: string, hop: number) => boolean;
  readonly activity?: Activity;
}

/** Sends a request with these headers to an application with the layer alone. Returns the context, and the answer's Connection. */
async function open(headers: Record<string, string>, { isTrusted, activity = SERVING }: Setup = {}) {
  let context!: RequestContext;
  const app = express()
    .use(openContext({ now: () => 42, requestId: () => 'own', activity, isTrusted }))
    .use((_req, res) => {
      context = { ...res.context };
      res.end();
    });
  const { headers: answered } = await request(app).get('/').set('Connection', 'keep-alive').set(headers);
  return { context, connection: answered.connection as string };
}

/** Returns the ids that a request has behind a trusted proxy. */
async function forwarded(headers: Record<string, string>) {
  const { requestId, traceParent, traceId } = (await open(headers, { isTrusted: () => true })).context;
  return { requestId, traceParent, traceId };
}

describe('the context of a request', () => {
  it('a new context has an id of its own and the time, but no route, key, quota or problem', async () => {
    const { context, connection } = await open({});
    expect(context).toEqual({
      requestId: 'own',
      traceParent: undefined,
      traceId: undefined,
      startedAt: 42,
      route: 'unmatched',
      identity: undefined,
      quota: undefined,
      problem: undefined,
    });
    expect(connection).toBe('keep-alive');
  });

  it('a context closes the connection with the response when the process is about to end', async () => {
    const { connection } = await open({}, { activity: { ...SERVING, isClosing: true } });
    expect(connection).toBe('close');
  });

  it('a context ignores the ids of a client that is no trusted proxy', async () => {
    const sent = { 'X-Request-Id': 'theirs', traceparent: PARENT };
    for (const setup of [{}, { isTrusted: () => false }]) {
      const { requestId, traceId } = (await open(sent, setup)).context;
      expect([requestId, traceId]).toEqual(['own', undefined]);
    }
  });

  it('a context asks whether the peer itself is a trusted proxy', async () => {
    const isTrusted = vi.fn(() => true);
    expect((await open({ 'X-Request-Id': 'theirs' }, { isTrusted })).context.requestId).toBe('theirs');
    expect(isTrusted.mock.calls).toEqual([[expect.stringMatching(/^(::ffff:)?127\.0\.0\.1$/), 0]]);
  });

  it('a context takes the ids of a trusted proxy', async () => {
    const ids = await forwarded({ 'X-Request-Id': 'a.B_9:c=d+e/f-g', traceparent: PARENT });
    expect(ids).toEqual({ requestId: 'a.B_9:c=d+e/f-g', traceParent: PARENT, traceId: TRACE });
  });

  it.each(['a', 'x'.repeat(128)])('a context takes the request id %s', async (id) => {
    expect((await forwarded({ 'X-Request-Id': id })).requestId).toBe(id);
  });

  it.each(['x'.repeat(129), 'a b', 'a;b', '(a', 'a)', 'id-gr_abc', 'gr_abc', ''])(
    'a context does not take the request id "%s"',
    async (id) => {
      expect((await forwarded({ 'X-Request-Id': id })).requestId).toBe('own');
    },
  );

  it('a context takes a trace of a later version, which may be longer', async () => {
    const parent = `${PARENT.replace(/^00/, '0a')}-more`;
    expect(await forwarded({ traceparent: parent })).toMatchObject({ traceParent: parent, traceId: TRACE });
  });

  it('a context takes a trace and a span that begin with zeros', async () => {
    const parent = PARENT.replace(TRACE, `00${TRACE.slice(2)}`);
    expect((await forwarded({ traceparent: parent })).traceParent).toBe(parent);
  });

  it.each([
    ['an invalid version', PARENT.replace(/^00/, 'ff')],
    ['a trace of zeros', PARENT.replace(TRACE, '0'.repeat(32))],
    ['a span of zeros', PARENT.replace('00f067aa0ba902b7', '0'.repeat(16))],
    ['capital letters', PARENT.toUpperCase()],
    ['a short version', PARENT.slice(1)],
    ['a long version', `0${PARENT}`],
    ['a short trace', PARENT.replace(TRACE, TRACE.slice(1))],
    ['a long trace', PARENT.replace(TRACE, `${TRACE}a`)],
    ['a short span', PARENT.replace('00f067aa0ba902b7', '0f067aa0ba902b7')],
    ['a long span', PARENT.replace('00f067aa0ba902b7', '000f067aa0ba902b7')],
    ['short flags', PARENT.slice(0, -1)],
    ['long flags', `${PARENT}1`],
    ['no flags', PARENT.slice(0, -3)],
  ])('a context does not take %s', async (_name, parent) => {
    expect(await forwarded({ traceparent: parent })).toEqual({
      requestId: 'own',
      traceParent: undefined,
      traceId: undefined,
    });
  });
});

describe('the ids of a process', () => {
  it('the ids of a process have a random prefix and count on', () => {
    const first = requestIds();
    const second = requestIds();
    const ids = Array.from({ length: 37 }, () => first());
    const prefix = ids[0]?.slice(0, 12);
    expect(prefix).toMatch(/^[0-9a-f]{12}$/);
    expect([ids[0], ids[1], ids[9], ids[36]]).toEqual([`${prefix}-1`, `${prefix}-2`, `${prefix}-a`, `${prefix}-11`]);
    expect(second().slice(0, 12)).not.toBe(prefix);
  });
});
