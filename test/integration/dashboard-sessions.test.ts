import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hashToken } from '../../src/core/access/invites.ts';
import { startTestDashboard, type TestDashboard, Visitor } from '../support/dashboard.ts';
import { needs } from '../support/needs.ts';
import { stopClock } from '../support/stop-clock.ts';

describe('sessions of the dashboard', needs('redis-server'), () => {
  let dashboard: TestDashboard;
  beforeAll(async () => {
    dashboard = await startTestDashboard({ TRUST_PROXY: '1' });
  });
  afterAll(() => dashboard?.close());
  beforeEach(() => dashboard.store.client.flushall());

  const describeGuild = (guildId: string, name: string) =>
    dashboard.store.client.hset(dashboard.store.redisKeys.guild(guildId).about, 'name', name);
  const status = async (visitor: Visitor, guildId: string) => (await visitor.get(`/guilds/${guildId}`)).status;
  /** Returns a person who opens these servers, by a link for each. */
  const person = async (userId: string, ...guildIds: (string | null)[]): Promise<Visitor> => {
    const visitor = new Visitor(dashboard);
    for (const guildId of guildIds) await visitor.signIn(await dashboard.link(guildId, userId));
    return visitor;
  };
  const main = ({ text }: { readonly text: string }) => /<main.*?<\/main>/s.exec(text)?.[0] ?? '';

  it('a second link of the same person adds its server to the session', async () => {
    const visitor = await person('u1', 'a', 'b');
    expect([await status(visitor, 'a'), await status(visitor, 'b'), await status(visitor, 'c')]).toEqual([
      200, 200, 404,
    ]);
    expect(await dashboard.store.client.keys('gr:session:*')).toHaveLength(1);
  });

  it.each([
    ['', 'u1'],
    ['u1', ''],
  ])('two links of which one names nobody open both servers: for "%s", then for "%s"', async (first, second) => {
    const visitor = await person(first, 'a');
    await visitor.signIn(await dashboard.link('b', second));
    expect([await status(visitor, 'a'), await status(visitor, 'b')]).toEqual([200, 200]);
    expect((await visitor.get('/sign-out-everywhere')).text).toContain('<bdi>u1</bdi>');
  });

  it('a link for another person ends the session of the browser, and its page says so before', async () => {
    const visitor = await person('u1', 'a');
    const first = new Visitor(dashboard);
    first.cookie = visitor.cookie;
    const link = await dashboard.link('b', 'u2');
    const page = await visitor.get(new URL(link).pathname);
    expect(page.text).toContain('it signs <bdi>u1</bdi> out in this browser');
    await visitor.signIn(link);
    expect([await status(visitor, 'a'), await status(visitor, 'b')]).toEqual([404, 200]);
    expect(await status(first, 'a')).toBe(401);
  });

  it('a session opens each server for twelve hours from the link of that server', async () => {
    const visitor = await person('u1', 'a', 'b');
    const { client, redisKeys } = dashboard.store;
    const [sha = ''] = await client.zrange(redisKeys.sessionsOf('a').open, 0, -1);
    await client.zadd(redisKeys.sessionsOf('a').open, Date.now() - 11 * 3_600_000, sha);
    const since = await client.zscore(redisKeys.sessionsOf('a').open, sha);
    await visitor.signIn(await dashboard.link('c', 'u1'));
    const carried = hashToken(visitor.cookie.split('=')[1] ?? '');
    expect(await client.zscore(redisKeys.sessionsOf('a').open, carried)).toBe(since);
    await client.zadd(redisKeys.sessionsOf('a').open, Date.now() - 12 * 3_600_000 - 1, carried);
    expect([await status(visitor, 'a'), await status(visitor, 'b'), await status(visitor, 'c')]).toEqual([
      404, 200, 200,
    ]);
  });

  it('the page of all servers lists them by name, and by id where nobody told the name', async () => {
    await describeGuild('a', 'Zebra <b>Den</b>');
    await describeGuild('c', 'Ant Hill');
    const visitor = await person('u1', 'a', '900', 'c');
    const list = main(await visitor.get('/servers'));
    expect([...list.matchAll(/href="(\/guilds\/\w+)".*?<bdi>(.*?)<\/bdi>/gs)].map(([, ...found]) => found)).toEqual([
      ['/guilds/900', '900'],
      ['/guilds/c', 'Ant Hill'],
      ['/guilds/a', 'Zebra &lt;b&gt;Den&lt;/b&gt;'],
    ]);
  });

  it('the header of each page names its server, leads to the others, and offers their names to its script', async () => {
    await describeGuild('a', 'The Den');
    await dashboard.store.writer.record('a', { userId: 'm', set: 5 });
    const visitor = await person('u1', 'a', 'b');
    const { text } = await visitor.get('/guilds/a/keys');
    const header = /<header.*?<\/header>/s.exec(text)?.[0] ?? '';
    expect(header).toContain('<bdi>The Den</bdi></b><span class="small">1 member with XP</span>');
    expect(header).toContain('data-menu="/servers/menu" data-present="a"');
    expect(header).toContain('<a href="/servers">');
    const menu = await visitor.get('/servers/menu');
    expect(JSON.parse(menu.text)).toMatchObject([
      { id: 'a', name: 'The Den', initials: 'TD' },
      { id: 'b', name: 'b', initials: 'B' },
    ]);
    expect((await new Visitor(dashboard).get('/servers/menu')).status).toBe(401);
  });

  it('a page of one server reads the name of that server alone, also for a session of twenty servers', async () => {
    const { client } = dashboard.store;
    const many = Array.from({ length: 20 }, (_, n) => `g${n}`);
    const reads = async (visitor: Visitor) => {
      await client.config('RESETSTAT');
      expect(await status(visitor, 'g0')).toBe(200);
      const stats = await client.info('commandstats');
      return ['hmget', 'hget', 'zcount'].map((name) =>
        Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(stats)?.[1] ?? 0),
      );
    };
    const one = await person('u1', 'g0');
    const all = await person('u2', ...many);
    const first = await reads(one);
    expect(first[2]).toBeGreaterThan(0);
    expect(await reads(all)).toEqual(first);
  });

  it('the first page is the page of the server that the browser showed last, even after the next sign-in', async () => {
    const visitor = await person('u1', 'a', 'b');
    const home = async () => (await visitor.get('/')).headers.get('location');
    expect(await home()).toBe('/servers');
    await visitor.get('/guilds/a');
    await visitor.get('/guilds/b/keys');
    expect(await home()).toBe('/guilds/b');
    await visitor.submit('/guilds/b', '/sign-out', {});
    await visitor.signIn(await dashboard.link('a', 'u1'));
    expect(await home()).toBe('/guilds/a');
    await visitor.signIn(await dashboard.link('b', 'u1'));
    expect(await home()).toBe('/guilds/b');
  });

  it.each(['//evil.example', 'c', '../operator', 'x'.repeat(3000)])(
    'the first page is the list of servers when the cookie of the last server says %s',
    async (value) => {
      const visitor = await person('u1', 'a', 'b');
      visitor.cookies.set('guildrank-server', encodeURIComponent(value));
      expect((await visitor.get('/')).headers.get('location')).toBe('/servers');
    },
  );

  it('the 301st server of a session gets 409 with what to do, and its link stays good', async () => {
    const visitor = await person('u1', 'a');
    const { client, redisKeys } = dashboard.store;
    const sha = hashToken(visitor.cookie.split('=')[1] ?? '');
    const stored = JSON.parse((await client.get(redisKeys.session(sha))) ?? '');
    const [grant] = stored.grants;
    for (let n = 0; n < 299; n++) {
      await client.set(redisKeys.guild(`g${n}`).sessions, grant.generation);
      await client.zadd(redisKeys.sessionsOf(`g${n}`).open, Date.now(), sha);
      stored.grants.push({ ...grant, guildId: `g${n}` });
    }
    await client.set(redisKeys.session(sha), JSON.stringify(stored), 'EX', 3600);
    expect((await client.get(redisKeys.session(sha)))?.length).toBeLessThan(50_000);
    expect(await status(visitor, 'g298')).toBe(200);
    const link = await dashboard.link('z', 'u1');
    const answer = await visitor.signIn(link);
    expect([answer.status, main(answer)]).toEqual([409, expect.stringContaining('opens 300 servers at most')]);
    expect(await status(visitor, 'a')).toBe(200);
    expect((await new Visitor(dashboard).signIn(link)).status).toBe(303);
  });

  it('a session that an owner ends in one server keeps its other servers', async () => {
    const visitor = await person('u1', 'a', 'b');
    const owner = await person('u2', 'b');
    const id = hashToken(visitor.cookie.split('=')[1] ?? '').slice(0, 8);
    await owner.submit('/guilds/b/settings', '/guilds/b/settings/sessions/end', { id });
    expect([await status(visitor, 'a'), await status(visitor, 'b')]).toEqual([200, 404]);
  });

  describe('ending all sessions of one server', () => {
    it('the dashboard asks an owner before it ends all sessions of a server', async () => {
      await describeGuild('b', 'The Burrow');
      const visitor = await person('u1', 'b');
      const page = main(await visitor.get('/guilds/b/settings/sign-out'));
      expect(page).toContain('This signs everybody out of <bdi>The Burrow</bdi>');
      expect(page).toContain('You are signed out of it too');
      expect(await status(visitor, 'b')).toBe(200);
    });

    it('the end of all sessions of a server signs everybody out of this server alone, and is in its activity', async () => {
      const owner = await person('u1', 'a', 'b');
      const other = await person('u2', 'a', 'b');
      const answer = await owner.submit('/guilds/b', '/guilds/b/settings/sign-out', {});
      expect([answer.status, answer.headers.get('location')]).toEqual([303, '/']);
      for (const visitor of [owner, other]) {
        expect([await status(visitor, 'a'), await status(visitor, 'b')]).toEqual([200, 404]);
      }
      await other.signIn(await dashboard.link('b', 'u2'));
      expect((await other.get('/guilds/b/activity')).text).toContain('Ended all sessions of this server');
    });
  });

  describe('sign-outs everywhere', () => {
    it('the dashboard asks before a sign-out everywhere, and says whose sessions end', async () => {
      const visitor = await person('u1', 'a');
      expect(main(await visitor.get('/sign-out-everywhere'))).toContain(
        'all sessions of <bdi>u1</bdi>, in every browser',
      );
      expect((await visitor.get('/guilds/a')).status).toBe(200);
    });

    it('a sign-out everywhere ends all sessions and unused links of this person, and of nobody else', async () => {
      const here = await person('u1', 'a', 'b');
      const there = await person('u1', 'c');
      const others = [await person('u2', 'a'), await person('', 'a'), await person('', null)] as const;
      const own = await dashboard.link('a', 'u1');
      const foreign = await dashboard.link('a', 'u2');
      await here.submit('/guilds/a', '/sign-out-everywhere', {});
      expect([await status(here, 'a'), await status(here, 'b'), await status(there, 'c')]).toEqual([401, 401, 401]);
      for (const other of others) expect(await status(other, 'a')).toBe(200);
      expect((await new Visitor(dashboard).signIn(own)).status).toBe(410);
      expect((await new Visitor(dashboard).signIn(foreign)).status).toBe(303);
      expect((await new Visitor(dashboard).signIn(await dashboard.link('a', 'u1'))).status).toBe(303);
      expect((await others[0].get('/guilds/a/activity')).text).toContain('Signed out everywhere');
      expect((await others[2].get('/guilds/b/activity')).text).toContain('Signed out everywhere');
    });

    it('a sign-out everywhere of a person whom no link named ends one session, and says so first', async () => {
      const here = await person('', 'a');
      const there = await person('', 'a');
      expect(main(await here.get('/sign-out-everywhere'))).toContain('This ends the session of this browser.');
      await here.submit('/guilds/a', '/sign-out-everywhere', {});
      expect([await status(here, 'a'), await status(there, 'a')]).toEqual([401, 200]);
    });
  });

  describe('pages of links', () => {
    const open = async (link: string, visitor = new Visitor(dashboard)) => visitor.get(new URL(link).pathname);

    it('the page of a link says whose server it opens before its button, and uses nothing up', async () => {
      await describeGuild('a', 'The Den');
      const link = await dashboard.link('a', 'u1');
      const page = main(await open(link));
      expect(page).toMatch(/opens the dashboard of <b><bdi>The Den<\/bdi><\/b>.*<button/s);
      expect(main(await open(await dashboard.link('b')))).toContain('<b><bdi>b</bdi></b>.');
      expect(main(await open(await dashboard.link(null)))).toContain('<b>all servers</b> of this service');
      expect((await new Visitor(dashboard).signIn(link)).status).toBe(303);
    });

    it('the page of a link says that the other servers stay open', async () => {
      const visitor = await person('u1', 'a');
      expect(main(await open(await dashboard.link('b', 'u1'), visitor))).toContain('You stay signed in to');
    });

    it('the page of a link that was used, was ended or never existed says so at once, without a button', async () => {
      const used = await dashboard.link('a', 'u1');
      const ended = await dashboard.link('b', 'u1');
      const signedOut = await dashboard.link('c', 'u2');
      const visitor = new Visitor(dashboard);
      await visitor.signIn(used);
      await visitor.submit('/guilds/a', '/sign-out-everywhere', {});
      const owner = await person('u3', 'c');
      await owner.submit('/guilds/c', '/guilds/c/settings/sign-out', {});
      const never = `${dashboard.url}/sign-in/${'A'.repeat(43)}`;
      for (const link of [used, ended, signedOut, never, `${dashboard.url}/sign-in/x`]) {
        const page = await open(link);
        expect([page.status, main(page)]).toEqual([410, expect.stringContaining('This link does not work')]);
        expect(main(page)).not.toContain('<button');
      }
    });

    it('an address gets 429 after ten bad links, while a good link still works there', async () => {
      // The limit lets another attempt through after a time.
      stopClock();
      const visitor = new Visitor(dashboard);
      const bad = `${dashboard.url}/sign-in/${'A'.repeat(43)}`;
      const statuses: number[] = [];
      for (let n = 0; n < 12; n++) statuses.push((await open(bad, visitor)).status);
      expect(statuses).toEqual([...Array(10).fill(410), 429, 429]);
      expect((await open(await dashboard.link('a'), visitor)).status).toBe(200);
    });
  });

  it('a link that comes at the moment of a sign-out does not bring the session back', async () => {
    for (let round = 0; round < 5; round++) {
      const visitor = await person('u1', 'a');
      const thief = new Visitor(dashboard);
      thief.cookie = visitor.cookie;
      const _token = await visitor.tokenOf('/guilds/a');
      const link = await dashboard.link('b', 'u1');
      await Promise.all([visitor.post('/sign-out', { _token }), thief.signIn(link)]);
      const old = new Visitor(dashboard);
      old.cookie = visitor.cookie || `guildrank=${'x'.repeat(43)}`;
      expect(await status(old, 'a')).toBe(401);
    }
  });
});
