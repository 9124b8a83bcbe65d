import { describe, expect, it } from 'vitest';
import { needs } from '../support/needs.ts';
import { rawExchange } from '../support/raw-http.ts';
import { realStore } from '../support/stores.ts';
import { serviceSuite, setPlan } from '../support/suite.ts';

describe('a request whose key is cached', needs('redis-server'), () => {
  const suite = serviceSuite(realStore);

  /** Counts the calls so far by command, those inside scripts included. Leaves out the health check, whose INCRBY fails on purpose. */
  async function calls(): Promise<Record<string, number>> {
    const info = await suite.testStore.client.info('commandstats');
    const counts: Record<string, number> = Object.fromEntries(
      [...info.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)].map(([, name, n]) => [name, Number(n)]),
    );
    const checks = Number(/^cmdstat_incrby:.*failed_calls=(\d+)/m.exec(info)?.[1] ?? 0);
    return { ...counts, evalsha: (counts.evalsha ?? 0) - checks };
  }

  const paths = [
    ['a page', '/servers/guild/leaderboard'],
    ['a member', '/servers/guild/members/a'],
    ['the statistics', '/servers/guild/stats'],
  ] as const;

  it.each(paths)(
    'a request takes one command for %s, whether the cached response is current or not',
    async (_name, path) => {
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
      expect(made('evalsha')).toBe(20);
      expect([made('eval'), made('hgetall'), made('get')]).toEqual([0, 0, 0]);
    },
  );

  it('a request shares its command with the requests of the same batch, even of other guilds', async () => {
    await setPlan(suite, 'guild', 'pro');
    const { key } = await suite.service.store.apiKeys.create('other', 'test', null);
    const paths: [path: string, key: string][] = [
      ...pathsOf('guild').map((path) => [path, suite.key] as [string, string]),
      ...pathsOf('other').map((path) => [path, key] as [string, string]),
    ];
    for (const [path, key] of paths) await suite.get(path, key);
    const before = await calls();
    const answers = await pipelined(suite.service.url, paths);
    expect(answers).toEqual([200, 404, 200, 200, 404, 200]);
    expect(((await calls()).evalsha ?? 0) - (before.evalsha ?? 0)).toBe(1);
  });

  it('a request gets 200 although data or quota of another guild in its batch cannot be read', async () => {
    const { key } = await suite.service.store.apiKeys.create('other', 'test', null);
    for (const [path, with_] of [
      ...pathsOf('guild').map((path) => [path, suite.key]),
      ...pathsOf('other').map((path) => [path, key]),
    ]) {
      await suite.get(path as string, with_ as string);
    }
    for (const broken of ['gr:{other}:xp', 'gr:quota:{other}']) {
      await suite.testStore.client.del(broken);
      await suite.testStore.client.lpush(broken, 'wrong');
      const page = (guild: string, key: string) => [`/servers/${guild}/leaderboard?limit=7`, key] as const;
      const answers = await pipelined(suite.service.url, [
        page('other', key),
        page('guild', suite.key),
        page('other', key),
      ]);
      expect(answers).toEqual([503, 200, 503]);
    }
  });

  it('a request reads a cached page again only after the revision of its guild has changed', async () => {
    await setPlan(suite, 'guild', 'pro');
    await suite.service.store.writer.record('guild', { userId: 'a', set: 1 });
    for (let i = 0; i < 2; i++) await suite.get('/servers/guild/leaderboard').expect(200);
    const before = await calls();
    for (let i = 0; i < 10; i++) await suite.get('/servers/guild/leaderboard').expect(200);
    const held = await calls();
    await suite.testStore.client.hincrby('gr:{guild}:stats', 'rev', 1);
    await suite.get('/servers/guild/leaderboard').expect(200);
    const changed = await calls();
    expect((held.zrevrange ?? 0) - (before.zrevrange ?? 0)).toBe(0);
    expect((changed.zrevrange ?? 0) - (held.zrevrange ?? 0)).toBe(1);
  });
});

function pathsOf(guild: string): string[] {
  return ['leaderboard', 'members/a', 'stats'].map((what) => `/servers/${guild}/${what}`);
}

/** Sends requests in one write over one connection. Returns the statuses of the answers. */
async function pipelined(url: string, requests: readonly (readonly [path: string, key: string])[]): Promise<number[]> {
  const { hostname, port } = new URL(url);
  const heads = requests.map(
    ([path, key]) => `GET /api/v1${path} HTTP/1.1\r\nHost: ${hostname}\r\nx-api-key: ${key}\r\n`,
  );
  const answers = await rawExchange(Number(port), Buffer.from(`${heads.join('\r\n')}Connection: close\r\n\r\n`), false);
  return answers.map(({ status }) => status);
}
