import { describe, expect, it } from 'vitest';
import { hasRedis, realStore } from '../helpers/stores.ts';
import { serviceSuite, setPlan } from '../helpers/suite.ts';

describe.runIf(hasRedis)('a request on a warm key', () => {
  const suite = serviceSuite(realStore);

  /** Calls so far by command, those inside scripts included. */
  async function calls(): Promise<Record<string, number>> {
    const info = await suite.testStore.client.info('commandstats');
    return Object.fromEntries(
      [...info.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)].map(([, name, n]) => [name, Number(n)]),
    );
  }

  const paths = [
    ['a page', '/servers/guild/leaderboard'],
    ['a member', '/servers/guild/members/a'],
    ['the statistics', '/servers/guild/stats'],
  ] as const;

  it.each(paths)('takes one command for %s that is held, and two for one that has changed', async (_name, path) => {
    await setPlan(suite, 'guild', 'pro');
    await suite.service.store.writer.record('guild', { userId: 'a', set: 1 });
    await suite.get(path).expect(200);
    const before = await calls();
    for (let i = 0; i < 20; i++) {
      if (i % 4 === 0) await suite.testStore.client.hincrby('gr:{guild}:stats', 'rev', 1);
      await suite.get(path).expect(200);
    }
    const after = await calls();
    const made = (name: string) => (after[name] ?? 0) - (before[name] ?? 0);
    expect(made('evalsha')).toBe(15 + 2 * 5);
    expect([made('eval'), made('hgetall'), made('get')]).toEqual([0, 0, 0]);
  });

  it('shares one count and one read when many come together', async () => {
    await setPlan(suite, 'guild', 'pro');
    await suite.get('/servers/guild/leaderboard').expect(200);
    const before = await calls();
    const answers = await Promise.all(Array.from({ length: 40 }, () => suite.get('/servers/guild/leaderboard')));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(((await calls()).evalsha ?? 0) - (before.evalsha ?? 0)).toBeLessThanOrEqual(40);
  });
});
