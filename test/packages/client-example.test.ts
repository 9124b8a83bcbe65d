import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type ClientOptions, GuildrankClient, GuildrankError } from '../../examples/client/client.ts';
import { repository, runProgram } from '../support/run-command.ts';
import { mockStore } from '../support/stores.ts';
import { serviceSuite } from '../support/suite.ts';
import { PATIENT } from '../support/wait.ts';

describe('examples/client', () => {
  const suite = serviceSuite(mockStore, { PLAN_QUOTAS: 'free=5' });
  const waits: number[] = [];
  const client = (key = suite.key) =>
    new GuildrankClient({
      url: suite.service.url,
      key,
      wait: async (ms) => {
        waits.push(ms);
        suite.service.advance(ms);
      },
    });
  const fill = () =>
    suite.service.store.writer.recordMany('guild', [
      { userId: 'ada', set: 4675, username: 'Ada', dailyStreak: 5 },
      { userId: 'grace', set: 255 },
    ]);

  it('the example client has the types of the API document (npm run client:types renews them)', async () => {
    const { code, stdout } = await runProgram('tools/node_modules/.bin/openapi-typescript', ['docs/openapi.json']);
    expect(code).toBe(0);
    expect(stdout).toBe(readFileSync(join(repository, 'examples/client/api.ts'), 'utf8'));
  });

  it('the example client reads a page, a member and the totals', async () => {
    await fill();
    const page = await client().leaderboard('guild', { limit: 1, page: 2 });
    expect(page).toEqual({
      data: [{ rank: 2, user_id: 'grace', username: 'grace', level: 2, xp: 255 }],
      total: 2,
      page: 2,
    });
    expect(await client().member('guild', 'ada')).toMatchObject({ rank: 1, daily_streak: 5, last_daily_claim: null });
    expect(await client().member('guild', 'nobody')).toBeNull();
    expect((await client().stats('guild')).total_xp).toBe(4930);
  });

  it('the example client returns its cached answer on a 304, and the new answer once the data has changed', async () => {
    await fill();
    const one = client();
    const first = await one.leaderboard('guild');
    expect(await one.leaderboard('guild')).toBe(first);
    await suite.service.store.writer.record('guild', { userId: 'grace', add: 10_000 });
    expect((await one.leaderboard('guild')).data[0]?.user_id).toBe('grace');
  });

  it('the example client throws the problem with its code, and does not wait when a wait would be too long or of no use', async () => {
    const problemOf = (asked: Promise<unknown>) =>
      asked.then(
        () => undefined,
        ({ problem, retryAfterS }: GuildrankError) => ({ code: problem.code, retryAfterS }),
      );
    expect(await problemOf(client().stats('other'))).toEqual({ code: 'wrong_guild', retryAfterS: undefined });
    expect(await problemOf(client('gr_no').stats('guild'))).toEqual({
      code: 'invalid_api_key',
      retryAfterS: undefined,
    });
    for (let i = 0; i < 4; i++) await client().stats('guild');
    const denied = await problemOf(client().stats('guild'));
    expect(denied?.code).toBe('quota_exceeded');
    expect(denied?.retryAfterS).toBeGreaterThan(3000);
    expect(waits).toEqual([]);
  });

  it('the example client waits as long as a 503 says and sends the request again, and gives up after its retries', async () => {
    await fill();
    const { fetch } = globalThis;
    let refusals = 1;
    const problem = { code: 'store_unavailable', detail: 'away', request_id: 'r' };
    globalThis.fetch = async (...args) =>
      refusals-- > 0
        ? new Response(JSON.stringify(problem), { status: 503, headers: { 'retry-after': '2' } })
        : fetch(...args);
    try {
      expect((await client().stats('guild')).total_members).toBe(2);
      expect(waits.splice(0)).toEqual([2000]);
      refusals = 10;
      await expect(client().stats('guild')).rejects.toThrow('store_unavailable: away (request r)');
      expect(waits.splice(0)).toEqual([2000, 2000, 2000]);
    } finally {
      globalThis.fetch = fetch;
    }
  });

  it('the example client runs as its README says, and reports a wrong key in one line', async () => {
    await fill();
    const run = (key: string, ...tsx: [string, ...string[]]) =>
      runProgram(tsx[0], [...tsx.slice(1), 'examples/client/main.ts', 'guild'], {
        env: { GUILDRANK_URL: suite.service.url, GUILDRANK_KEY: key },
      });
    // At once: npx and two processes of tsx take seconds to start.
    const [answered, refused] = await Promise.all([
      run(suite.key, 'npx', '--no', 'tsx'),
      run('gr_wrong', process.execPath, '--import', 'tsx'),
    ]);
    expect(answered).toMatchObject({
      code: 0,
      stdout:
        '2 members with XP, level 6 on average\n1. Ada, level 10, 4675 XP\n2. grace, level 2, 255 XP\nAda has claimed 5 days in a row\n',
    });
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/invalid_api_key: .* \(request \S+\)\n$/);
  });
});

describe('examples/client behind something else than Guildrank', () => {
  const closing: (() => void)[] = [];
  afterEach(() => {
    for (const close of closing.splice(0)) close();
  });

  /** Starts a server that answers every request the same way, and returns a client for it with what it saw and waited. */
  async function behind(answer: RequestListener, options: Partial<ClientOptions> = {}) {
    const paths: string[] = [];
    const waits: number[] = [];
    const server = createServer((req, res) => {
      paths.push(req.url ?? '');
      answer(req, res);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    closing.push(() => {
      server.closeAllConnections();
      server.close();
    });
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const wait = async (ms: number) => {
      waits.push(ms);
    };
    const at = (path: string) => new GuildrankClient({ url: origin + path, key: 'k', wait, ...options });
    return { at, client: at(''), url: origin, paths, waits };
  }
  const errorOf = (call: Promise<unknown>): Promise<unknown> =>
    call.then(
      () => expect.unreachable('the call must fail'),
      (error: unknown) => error,
    );
  const STATS = { total_members: 1, total_xp: 1, average_level: 1, xp_curve: 'a curve of tomorrow', xp_multiplier: 1 };
  const away =
    (retryAfter: string): RequestListener =>
    (_req, res) => {
      const problem = { code: 'store_unavailable', detail: 'away', request_id: 'r' };
      res.writeHead(503, { 'retry-after': retryAfter }).end(JSON.stringify(problem));
    };

  it.each(['', '/', '/api/v1', '/ranks', '/ranks/', '/ranks/api/v1', '/ranks/api/v1/'])(
    'the example client keeps the path of the base address, with or without /api/v1: %j',
    async (path) => {
      const { at, paths } = await behind((_req, res) => res.end(JSON.stringify(STATS)));
      expect(await at(path).stats('guild')).toEqual(STATS);
      expect(paths).toEqual([`${path.startsWith('/ranks') ? '/ranks' : ''}/api/v1/servers/guild/stats`]);
    },
  );

  it.each([
    [502, 'text/html', '<h1>Bad Gateway</h1>'],
    [200, 'text/html', '<form>Sign in</form>'],
    [404, 'application/json', '{"error":"no route"}'],
    [503, 'application/json', '"sorry"'],
  ])(
    'the example client throws a GuildrankError that names the address on a %i with %s that is no answer of Guildrank',
    async (...answer) => {
      const [status, type, body] = answer;
      const { client, paths } = await behind((_req, res) => res.writeHead(status, { 'content-type': type }).end(body));
      const error = (await errorOf(client.stats('guild'))) as GuildrankError;
      expect(error).toBeInstanceOf(GuildrankError);
      expect(error.problem).toMatchObject({ code: 'unexpected_response', status });
      expect(error.message).toMatch(`/api/v1/servers/guild/stats answered ${status} with ${type}`);
      expect(paths).toHaveLength(1);
    },
  );

  it('the example client waits until the date in Retry-After, and does not wait when that date has passed', async () => {
    const later = new Date(Date.now() + 20_000).toUTCString();
    const dated = await behind(away(later), { retries: 1 });
    await errorOf(dated.client.stats('guild'));
    expect(dated.waits[0]).toBeGreaterThan(10_000);
    expect(dated.waits[0]).toBeLessThanOrEqual(20_000);

    const past = await behind(away('Wed, 21 Oct 2015 07:28:00 GMT'), { retries: 1 });
    await errorOf(past.client.stats('guild'));
    expect(past.waits).toEqual([0]);

    const unclear = await behind(away('soon'));
    expect(await errorOf(unclear.client.stats('guild'))).toMatchObject({ retryAfterS: undefined });
    expect(unclear.waits).toEqual([]);
  });

  it.each([
    ['no head', () => {}],
    ['no end of the body', (_req, res) => res.writeHead(200).write('{')],
  ] satisfies [string, RequestListener][])(
    'the example client ends a call after its time limit when there comes %s',
    async (_what, answer) => {
      const { client } = await behind(answer, { timeoutMs: 50 });
      expect(await errorOf(client.stats('guild'))).toMatchObject({ name: 'TimeoutError' });
    },
  );

  it('the example client ends a call when its signal is aborted: before the call, during it, and during a wait', async () => {
    const reason = new Error('the person left');
    const { client, paths } = await behind(() => controller.abort(reason));
    expect(await errorOf(client.stats('guild', { signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(paths).toEqual([]);
    let controller = new AbortController();
    expect(await errorOf(client.leaderboard('guild', {}, { signal: controller.signal }))).toBe(reason);

    controller = new AbortController();
    const busy = await behind(away('20'));
    const patient = new GuildrankClient({ url: busy.url, key: 'k' });
    const call = errorOf(patient.member('guild', '1', { signal: controller.signal }));
    await vi.waitFor(() => expect(busy.paths).toHaveLength(1), PATIENT);
    controller.abort(reason);
    expect(await call).toBe(reason);
    expect(busy.paths).toHaveLength(1);
  });
});
