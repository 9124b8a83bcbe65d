import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GuildrankClient, type GuildrankError } from '../../examples/client/client.ts';
import { repository, runProgram } from '../support/run-command.ts';
import { mockStore } from '../support/stores.ts';
import { serviceSuite } from '../support/suite.ts';

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
      { userId: 'ada', set: 4675, profile: { username: 'Ada', dailyStreak: 5 } },
      { userId: 'grace', set: 255 },
    ]);

  it('has the types of the API document (npm run client:types renews them)', async () => {
    const { code, stdout } = await runProgram('npx', ['--no', 'openapi-typescript', 'docs/openapi.json']);
    expect(code).toBe(0);
    expect(stdout).toBe(readFileSync(join(repository, 'examples/client/api.ts'), 'utf8'));
  });

  it('reads a page, a member and the totals', async () => {
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

  it('returns its cached answer on a 304, and the new answer once the data has changed', async () => {
    await fill();
    const one = client();
    const first = await one.leaderboard('guild');
    expect(await one.leaderboard('guild')).toBe(first);
    await suite.service.store.writer.record('guild', { userId: 'grace', add: 10_000 });
    expect((await one.leaderboard('guild')).data[0]?.user_id).toBe('grace');
  });

  it('throws the problem with its code, and does not wait when a wait would be too long or of no use', async () => {
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

  it('waits as long as a 503 says and sends the request again, and gives up after its retries', async () => {
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

  it('runs as its README says, and reports a wrong key in one line', async () => {
    await fill();
    const run = (key: string) =>
      runProgram('npx', ['--no', 'tsx', 'examples/client/main.ts', 'guild'], {
        env: { GUILDRANK_URL: suite.service.url, GUILDRANK_KEY: key },
      });
    expect(await run(suite.key)).toMatchObject({
      code: 0,
      stdout:
        '2 members with XP, level 6 on average\n1. Ada, level 10, 4675 XP\n2. grace, level 2, 255 XP\nAda has claimed 5 days in a row\n',
    });
    const refused = await run('gr_wrong');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/invalid_api_key: .* \(request \S+\)\n$/);
  });
});
