import { describe, expect, it } from 'vitest';
import { createLogger } from '../../../src/observability/logger.ts';
import { mockStore } from '../../support/stores.ts';
import { serviceSuite } from '../../support/suite.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = `00-${TRACE}-00f067aa0ba902b7-01`;

describe('the log line of a request', () => {
  const suite = serviceSuite(mockStore, { TRUST_PROXY: 'loopback', PLAN_QUOTAS: 'free=1000' });
  const last = () => suite.service.log.filter(({ msg }) => msg === 'request').at(-1);

  it('the log line of a request has guild, plan and key id, and no code when the request succeeds', async () => {
    await suite.get('/servers/guild/stats').expect(200);
    await expect.poll(last).toMatchObject({ status: 200, guild: 'guild', plan: 'free', key_id: expect.any(String) });
    for (const field of ['code', 'reason', 'trace_id', 'worker']) expect(last()).not.toHaveProperty(field);
    expect(suite.service.logText()).not.toContain(suite.key);
  });

  it('the log line of a refused request has the code of the problem', async () => {
    await suite.get('/servers/guild/members/nobody').expect(404);
    await expect.poll(last).toMatchObject({ status: 404, code: 'member_not_found' });
    await suite.get('/servers/other/stats').expect(403);
    await expect.poll(last).toMatchObject({ status: 403, code: 'wrong_guild', plan: 'free' });
  });

  it('the log line of a 503 has its reason', async () => {
    await suite.testStore.client.set('gr:{guild}:xp', 'text');
    await suite.get('/servers/guild/leaderboard').expect(503);
    await expect.poll(last).toMatchObject({ code: 'store_unavailable', reason: expect.stringMatching(/./) });
  });

  it('the log line takes over the request id and the trace of a trusted proxy', async () => {
    const { headers } = await suite
      .get('/servers/guild/stats')
      .set('x-request-id', 'edge-1/a=b')
      .set('traceparent', PARENT);
    expect(headers['x-request-id']).toBe('edge-1/a=b');
    await expect.poll(last).toMatchObject({ request_id: 'edge-1/a=b', trace_id: TRACE });
    const { body } = await suite.get('/servers/guild/members/nobody').set('x-request-id', 'edge-2');
    expect(body.request_id).toBe('edge-2');
  });

  it.each([
    ['x-request-id', 'a b'],
    ['x-request-id', '"'],
    ['x-request-id', 'x'.repeat(129)],
    ['x-request-id', ''],
    ['x-request-id', 'id-gr_0123456789'],
    ['traceparent', 'no trace'],
    ['traceparent', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`],
    ['traceparent', `ff-${TRACE}-00f067aa0ba902b7-01`],
    ['traceparent', PARENT.toUpperCase()],
  ])('the log line takes no %s that is malformed: %j', async (name, value) => {
    const { headers } = await suite.get('/servers/guild/stats').set(name, value);
    expect(headers['x-request-id']).toMatch(/^[0-9a-f]{12}-\w+$/);
    await expect.poll(() => last()?.request_id).toBe(headers['x-request-id']);
    expect(last()).not.toHaveProperty('trace_id');
  });

  it('a log line has the number of its worker', () => {
    const lines: string[] = [];
    createLogger('info', { write: (line) => void lines.push(line) }, 3).info('x');
    expect(JSON.parse(lines[0] as string)).toMatchObject({ worker: 3, msg: 'x' });
  });
});

describe.each([
  ['no proxy is trusted', '0'],
  ['another proxy is trusted', '10.0.0.1'],
])('the log line of a request when %s', (_what, trust) => {
  const suite = serviceSuite(mockStore, { TRUST_PROXY: trust });

  it('the log line ignores the ids that a client sends', async () => {
    const { headers } = await suite.get('/servers/guild/stats').set('x-request-id', 'mine').set('traceparent', PARENT);
    expect(headers['x-request-id']).not.toBe('mine');
    await expect.poll(() => suite.service.logText()).toContain(headers['x-request-id'] as string);
    expect(suite.service.logText()).not.toMatch(/mine|trace_id/);
  });
});
