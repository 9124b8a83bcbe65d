import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { hashToken } from '../../src/core/access/invites.ts';
import { type Answer, startTestDashboard, type TestDashboard, Visitor } from '../support/dashboard.ts';
import { type DiscordAccount, FakeDiscord, type Instead, PERMISSIONS } from '../support/discord.ts';
import { needs } from '../support/needs.ts';
import { stopClock } from '../support/stop-clock.ts';
import { waitLongForHosts } from '../support/wait.ts';

const ANN: DiscordAccount = {
  id: '100000000000000001',
  servers: [
    { id: '500', owner: true, permissions: PERMISSIONS.everything },
    { id: '501', permissions: PERMISSIONS.manageServer },
    { id: '502', permissions: PERMISSIONS.sendMessages },
    { id: '503', owner: true },
  ],
};
const BEN: DiscordAccount = { id: '100000000000000002', servers: [{ id: '502', owner: true }] };
const BOSS: DiscordAccount = { id: '100000000000000009', servers: [] };
const HOUR_MS = 3_600_000;

describe('sign-in with Discord', needs('redis-server'), () => {
  const discord = new FakeDiscord();
  let dashboard: TestDashboard;
  let waitUsual = () => {};
  beforeAll(async () => {
    waitUsual = waitLongForHosts();
    await discord.start();
    dashboard = await startTestDashboard({ TRUST_PROXY: '1', DASHBOARD_OPERATORS: BOSS.id, ...discord.env });
  });
  afterAll(async () => {
    waitUsual();
    await dashboard?.close();
    await discord.stop();
  });
  beforeEach(async () => {
    discord.reset();
    await dashboard.store.client.flushall();
    for (const guildId of ['500', '501', '502']) await dashboard.store.writer.record(guildId, { userId: 'm', set: 5 });
  });

  const status = async (visitor: Visitor, guildId: string) => (await visitor.get(`/guilds/${guildId}`)).status;
  const signedIn = async (account: DiscordAccount) => {
    const visitor = new Visitor(dashboard);
    const answer = await discord.signIn(visitor, account);
    if (answer.status !== 303) throw new Error(`The sign-in got ${answer.status}: ${answer.text}`);
    return visitor;
  };
  const recordOf = async (visitor: Visitor) => {
    const { client, redisKeys } = dashboard.store;
    const key = redisKeys.session(hashToken(visitor.cookie.split('=')[1] ?? ''));
    return { key, stored: JSON.parse((await client.get(key)) ?? 'null') };
  };
  /** Lets the last word of Discord about a session be an hour old. */
  const passHour = async (visitor: Visitor) => {
    const { key, stored } = await recordOf(visitor);
    const aged = JSON.stringify({ ...stored, checkedAt: stored.checkedAt - HOUR_MS });
    await dashboard.store.client.set(key, aged, 'KEEPTTL');
  };
  const expectPage = (answer: Answer, wanted: number, title: string) =>
    expect([answer.status, /<h1>(.*?)<\/h1>/.exec(answer.text)?.[1]]).toEqual([wanted, title]);

  describe('who gets in', () => {
    it('a person opens the servers that the person owns or manages, if the service knows them', async () => {
      const visitor = await signedIn(ANN);
      const found = await Promise.all(['500', '501', '502', '503'].map((guildId) => status(visitor, guildId)));
      expect(found).toEqual([200, 200, 404, 404]);
      expect((await visitor.get('/operator')).status).toBe(404);
      expect((await visitor.get('/guilds/500/activity')).text).toContain('Signed in with Discord');
      expect((await visitor.get('/guilds/500')).text).toContain(
        '<b><bdi>someone</bdi></b><span class="small">Owner</span>',
      );
    });

    it.each([
      ['the name that Discord shows', { username: 'ann.b', globalName: 'Ann <b>' }, 'Ann &lt;b&gt;'],
      ['the user name without another name', { username: 'ann.b', globalName: null }, 'ann.b'],
      [
        'the user name instead of a name that nobody can see',
        { username: 'ann.b', globalName: '\u200b\u3164' },
        'ann.b',
      ],
      ['a long name cut to 128 bytes', { globalName: 'é'.repeat(5000) }, `${'é'.repeat(62)}…`],
      ['a name in another direction by itself', { globalName: '\u202ednA' }, '\u202ednA'],
    ])('the header and the list of sessions show %s', async (_what, account, shown) => {
      const visitor = await signedIn({ ...ANN, ...account });
      const { text } = await visitor.get('/guilds/500/settings/access');
      expect(text).toContain(`<b><bdi>${shown}</bdi></b><span class="small">Owner</span>`);
      expect(text).toMatch(new RegExp(`<span class="name">\\s*<bdi>${shown}</bdi>\\s*</span>`));
      expect(text).not.toContain(`<bdi>${ANN.id}</bdi>`);
      expect((await visitor.get('/sign-out-everywhere')).text).toContain(`all sessions of <bdi>${shown}</bdi>`);
    });

    it('the activity names the person beside the user id, without what could turn the line around', async () => {
      const visitor = await signedIn({ ...ANN, globalName: `\u202eAnn\n<b>${'x'.repeat(100)}` });
      const { text } = await visitor.get('/guilds/500/activity');
      expect(text).toMatch(new RegExp(`owner ${ANN.id} \\(Ann&lt;b&gt;x{31}…\\), session [0-9a-f]{8}<`));
    });

    it('a link keeps the name of the session that it adds a server to, and a session of a link alone says so', async () => {
      const visitor = await signedIn({ ...ANN, globalName: 'Ann' });
      await visitor.signIn(await dashboard.link('502', ANN.id));
      expect((await visitor.get('/guilds/502')).text).toContain('<b><bdi>Ann</bdi></b>');
      const other = await dashboard.signIn('502', BEN.id);
      const { text } = await other.get('/guilds/502');
      expect(text).toContain('<b><bdi>Owner</bdi></b><span class="small">Signed in by a link</span>');
      expect(/<header.*<\/header>/s.exec(text)?.[0]).not.toContain(BEN.id);
    });

    it('a new name on Discord appears once Discord has confirmed the rights again', async () => {
      const visitor = await signedIn({ ...ANN, globalName: 'Ann' });
      await passHour(visitor);
      discord.account = { ...ANN, globalName: 'Anna' };
      await visitor.get(await discord.pass(await visitor.get('/guilds/500')));
      expect((await visitor.get('/guilds/500')).text).toContain('<b><bdi>Anna</bdi></b>');
    });

    it.each(Object.entries(PERMISSIONS))(
      'the permission %s opens a server only if it includes Manage Server',
      async (name, permissions) => {
        const visitor = new Visitor(dashboard);
        await discord.signIn(visitor, { id: '1', servers: [{ id: '500', permissions }] });
        expect(await status(visitor, '500')).toBe(name === 'sendMessages' ? 401 : 200);
      },
    );

    it.each([
      ['a description by its bot', 'about', 'hset', ['name', 'The Den']],
      ['a configuration', 'config', 'hset', ['plan', 'pro']],
      ['hidden members alone', 'hidden', 'zadd', [5, 'm']],
    ] as const)('a server of which the service has %s is known', async (_what, key, command, args) => {
      const { client, redisKeys } = dashboard.store;
      await (client[command] as (...all: unknown[]) => Promise<unknown>)(redisKeys.guild('503')[key], ...args);
      expect(await status(await signedIn(ANN), '503')).toBe(200);
    });

    it('an operator of the settings opens everything, and a link for this person does not', async () => {
      const visitor = await signedIn(BOSS);
      expect((await visitor.get('/')).headers.get('location')).toBe('/operator');
      expect((await visitor.get('/operator')).status).toBe(200);
      expect(await status(visitor, '502')).toBe(200);
      const link = new Visitor(dashboard);
      await link.signIn(await dashboard.link('500', BOSS.id));
      expect((await link.get('/operator')).status).toBe(404);
    });

    it('a person without a server here gets 403 and no session', async () => {
      const visitor = new Visitor(dashboard);
      const answer = await discord.signIn(visitor, { id: '7', servers: [{ id: '503', owner: true }] });
      expectPage(answer, 403, 'No server to open');
      expect(visitor.cookie).toBe('');
      expect(await dashboard.store.client.keys('gr:session:*')).toEqual([]);
    });

    it('a person opens all of 200 servers, in a record of less than 40 kB', async () => {
      const servers = Array.from({ length: 200 }, (_, n) => ({ id: String(10n ** 17n + BigInt(n)), owner: true }));
      for (const { id } of servers) await dashboard.store.client.hset(`gr:{${id}}:config`, 'plan', 'free');
      const visitor = await signedIn({ id: '8', servers });
      for (const { id } of [servers[0], servers[199]] as { id: string }[]) expect(await status(visitor, id)).toBe(200);
      const { stored } = await recordOf(visitor);
      expect([stored.grants.length, JSON.stringify(stored).length < 40_000]).toEqual([200, true]);
      expect((await visitor.get('/servers')).text.match(/<li>/g)?.length).toBeGreaterThanOrEqual(200);
    });

    it('Discord adds to what links of the same person opened, and a sign-out everywhere ends both', async () => {
      const visitor = new Visitor(dashboard);
      await visitor.signIn(await dashboard.link('502', ANN.id));
      await discord.signIn(visitor, ANN);
      expect([await status(visitor, '500'), await status(visitor, '502')]).toEqual([200, 200]);
      const other = await signedIn(ANN);
      await visitor.submit('/guilds/500', '/sign-out-everywhere', {});
      expect([await status(visitor, '502'), await status(other, '500')]).toEqual([401, 401]);
    });

    it('a sign-in of another person ends the session of the browser', async () => {
      const visitor = await signedIn(ANN);
      await discord.signIn(visitor, BEN);
      expect([await status(visitor, '500'), await status(visitor, '502')]).toEqual([404, 200]);
    });
  });

  it('the dashboard asks Discord for identify and guilds alone, with PKCE, a state and its own address', async () => {
    const { headers } = await new Visitor(dashboard).get('/sign-in/discord');
    const there = new URL(headers.get('location') ?? '');
    expect(there.origin + there.pathname).toBe(`${discord.url}/oauth2/authorize`);
    expect(Object.fromEntries(there.searchParams)).toEqual({
      client_id: discord.env.DISCORD_CLIENT_ID,
      redirect_uri: `${dashboard.url}/sign-in/discord/callback`,
      response_type: 'code',
      scope: 'identify guilds',
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    expect(headers.get('set-cookie')).toMatch(/HttpOnly; SameSite=Lax$/);
    expect(await dashboard.store.client.keys('gr:*sign-in*')).toEqual([]);
  });

  it('no token is stored, and neither token nor code nor secret is logged', async () => {
    const seen: string[] = [];
    const visitor = await signedIn(ANN);
    const { stored } = await recordOf(visitor);
    expect(Object.keys(stored).sort()).toEqual(['checkedAt', 'generation', 'grants', 'name', 'userId']);
    const { client } = dashboard.store;
    for (const key of await client.keys('*')) seen.push((await client.dump(key)) ?? '');
    const code = discord.requests.join(' ') + seen.join('') + dashboard.logText();
    expect(code).not.toContain(discord.env.DISCORD_CLIENT_SECRET);
    expect(dashboard.logText()).not.toMatch(/code=|access_token|code_verifier|state=/);
  });

  it('pictures of servers come from the host of Discord, and the policy allows it only with this sign-in', async () => {
    const icon = `a_${'0123456789abcdef'.repeat(2)}`;
    const { client, redisKeys } = dashboard.store;
    await client.hset(redisKeys.guild('500').about, 'name', 'The Den', 'icon', icon);
    await client.hset(redisKeys.guild('501').about, 'name', 'Bad', 'icon', '"><script>');
    const { text, headers } = await (await signedIn(ANN)).get('/servers');
    const pictures = [...text.matchAll(/<img src="(https:.*?)"/g)].map(([, address]) => address);
    expect(new Set(pictures)).toEqual(new Set([`https://cdn.discordapp.com/icons/500/${icon}.webp?size=64`]));
    expect(headers.get('content-security-policy')).toContain("img-src 'self' data: https://cdn.discordapp.com;");
  });

  it('the page of a person who is not signed in offers the sign-in with Discord', async () => {
    expect((await new Visitor(dashboard).get('/')).text).toContain('href="/sign-in/discord"');
  });

  describe('attacks', () => {
    const begin = async (visitor = new Visitor(dashboard), account = ANN) => {
      discord.account = account;
      return { visitor, back: await discord.pass(await visitor.get('/sign-in/discord')) };
    };
    const expectNothing = async (visitor: Visitor, answer: Answer) => {
      expectPage(answer, 400, 'This sign-in is over');
      expect(visitor.cookie).toBe('');
      expect(await dashboard.store.client.keys('gr:session:*')).toEqual([]);
    };
    const change = (back: string, changes: Record<string, string | null>) => {
      const url = new URL(back, dashboard.url);
      for (const [name, value] of Object.entries(changes)) {
        if (value === null) url.searchParams.delete(name);
        else url.searchParams.set(name, value);
      }
      return url.pathname + url.search;
    };

    it('an answer in another browser than its own gets 400, also with the right state', async () => {
      const victim = await begin();
      const attacker = await begin(new Visitor(dashboard), BEN);
      // The attacker brings the answer of the own sign-in to the browser of the victim, and the answer of the victim to the own browser.
      await expectNothing(victim.visitor, await victim.visitor.get(attacker.back));
      await expectNothing(attacker.visitor, await attacker.visitor.get(victim.back));
      const state = new URL(victim.back, dashboard.url).searchParams.get('state');
      await expectNothing(victim.visitor, await victim.visitor.get(change(attacker.back, { state })));
    });

    it('an answer that nobody asked for gets 400, and so does an answer with a parameter twice', async () => {
      const { visitor, back } = await begin();
      const state = new URL(back, dashboard.url).searchParams.get('state');
      for (const path of [
        '',
        '?code=x',
        '?code=x&state=',
        `?code=x&state=${'A'.repeat(43)}`,
        `?state=${'%00'.repeat(43)}`,
      ]) {
        await expectNothing(visitor, await visitor.get(`/sign-in/discord/callback${path}`));
      }
      await expectNothing(visitor, await visitor.get(`${back}&code=another`));
      const again = await begin(visitor);
      await expectNothing(visitor, await visitor.get(`${again.back}&state=${state}`));
    });

    it.each([
      ['another issuer', { iss: 'https://evil.example' }],
      ['no code', { code: null }],
      ['a code of nobody', { code: 'x'.repeat(30) }],
      ['a code of 10,000 characters', { code: 'x'.repeat(10_000) }],
    ])('an answer with %s gets 400 and no session', async (_what, changes) => {
      const { visitor, back } = await begin();
      await expectNothing(visitor, await visitor.get(change(back, changes)));
    });

    it('an answer without an issuer signs in, because there is one Discord alone', async () => {
      const { visitor, back } = await begin();
      expect((await visitor.get(change(back, { iss: null }))).status).toBe(303);
    });

    it('an answer that is repeated gets 400, in the same browser and in another browser with its cookies', async () => {
      const { visitor, back } = await begin();
      const cookies = new Map(visitor.cookies);
      expect((await visitor.get(back)).status).toBe(303);
      const sessions = await dashboard.store.client.keys('gr:session:*');
      expectPage(await visitor.get(back), 400, 'This sign-in is over');
      // Discord takes a code once, even with the cookie from before.
      const copy = new Visitor(dashboard);
      for (const [name, value] of cookies) copy.cookies.set(name, value);
      expectPage(await copy.get(back), 400, 'This sign-in is over');
      expect(copy.cookie).toBe('');
      expect(await dashboard.store.client.keys('gr:session:*')).toEqual(sessions);
    });

    it('a code of another person gets 400 in a sign-in', async () => {
      const victim = await begin();
      const attacker = await begin(new Visitor(dashboard), BEN);
      const code = new URL(victim.back, dashboard.url).searchParams.get('code');
      await expectNothing(attacker.visitor, await attacker.visitor.get(change(attacker.back, { code })));
    });

    it('a cookie of a sign-in that somebody else wrote gets 400', async () => {
      const { visitor, back } = await begin();
      const state = new URL(back, dashboard.url).searchParams.get('state') ?? '';
      const name = `guildrank-discord-${state.slice(0, 12)}`;
      const path = Buffer.from('//evil.example').toString('base64url');
      for (const value of ['', state, `${state}.${'v'.repeat(43)}.first.`, `${state}.x.first.${path}`]) {
        visitor.cookies.set(name, value);
        await expectNothing(visitor, await visitor.get(back));
      }
    });

    it('a sign-in leads to pages of the dashboard alone, whatever cookie and address say', async () => {
      for (const place of [
        '//evil.example',
        'https://evil.example',
        '/\\evil.example',
        '/guilds/500\r\nx: y',
        '/sign-out',
      ]) {
        const visitor = await signedIn(ANN);
        await passHour(visitor);
        const asked = await visitor.get('/guilds/500');
        const [name = '', value = ''] = [...visitor.cookies].find(([each]) => each.includes('discord')) ?? [];
        const parts = value.split('.');
        parts[3] = Buffer.from(place).toString('base64url');
        visitor.cookies.set(name, parts.join('.'));
        expect((await visitor.get(await discord.pass(asked))).headers.get('location')).toBe('/');
      }
      for (const query of ['?to=//evil.example', '?return_to=https://evil.example']) {
        const visitor = new Visitor(dashboard);
        const asked = await visitor.get(`/sign-in/discord${query}`);
        expect(asked.headers.get('location')).not.toContain('evil');
        expect((await visitor.get(await discord.pass(asked))).headers.get('location')).toBe('/');
      }
    });

    it('a sign-in makes a new token and ends the session that somebody planted in the browser', async () => {
      const planted = new Visitor(dashboard);
      await planted.signIn(await dashboard.link('502'));
      const { visitor, back } = await begin();
      visitor.cookie = planted.cookie;
      await visitor.get(back);
      expect(visitor.cookie).not.toBe(planted.cookie);
      expect(await status(planted, '500')).toBe(401);
      expect(await status(planted, '502')).toBe(401);
    });

    it('a session that only a link has opened gets a new token when Discord adds to it, even without a question to the person', async () => {
      await signedIn(ANN);
      const thief = new Visitor(dashboard);
      await thief.signIn(await dashboard.link('502', ANN.id));
      const victim = new Visitor(dashboard);
      victim.cookie = thief.cookie;
      await victim.get(await discord.pass(await victim.get('/sign-in/discord/again')));
      expect([await status(victim, '500'), await status(victim, '502')]).toEqual([200, 200]);
      expect([await status(thief, '500'), await status(thief, '502')]).toEqual([401, 401]);
    });

    it('the 21st bad answer of one address gets 429, and another address signs in', async () => {
      // The limit lets another attempt through after a time.
      stopClock();
      const visitor = new Visitor(dashboard);
      const statuses: number[] = [];
      for (let n = 0; n < 22; n++) statuses.push((await visitor.get('/sign-in/discord/callback?code=x')).status);
      expect(statuses).toEqual([...Array(20).fill(400), 429, 429]);
      await signedIn(ANN);
    });

    it('a browser keeps the cookies of the last five sign-ins that it began', async () => {
      const visitor = new Visitor(dashboard);
      for (let n = 0; n < 40; n++) await visitor.get('/sign-in/discord');
      expect(visitor.cookies.size).toBeLessThanOrEqual(5);
      expect(await discord.signIn(visitor, ANN)).toMatchObject({ status: 303 });
    });

    it('each of five tabs that begin at once signs in', async () => {
      discord.account = ANN;
      const visitor = new Visitor(dashboard);
      const begun = await Promise.all(Array.from({ length: 5 }, () => visitor.get('/sign-in/discord')));
      for (const each of begun) expect((await visitor.get(await discord.pass(each))).status).toBe(303);
      expect(await status(visitor, '500')).toBe(200);
    });
  });

  describe('after an hour', () => {
    it('a page appears in the same session after the service has asked Discord, without a question to the person', async () => {
      const visitor = await signedIn(ANN);
      const { cookie } = visitor;
      await passHour(visitor);
      const asked = await visitor.get('/guilds/500/members?page=1');
      expect([asked.status, new URL(asked.headers.get('location') ?? '').searchParams.get('prompt')]).toEqual([
        303,
        'none',
      ]);
      const back = await visitor.get(await discord.pass(asked));
      expect([back.status, back.headers.get('location')]).toEqual([303, '/guilds/500/members?page=1']);
      expect((await visitor.get('/guilds/500/members?page=1')).status).toBe(200);
      expect(visitor.cookie).toBe(cookie);
      expect([...visitor.cookies.keys()].filter((name) => name.includes('discord'))).toEqual([]);
    });

    it('a server that Discord no longer names is closed, and a new server is opened with an entry', async () => {
      const visitor = await signedIn(ANN);
      await passHour(visitor);
      discord.account = {
        ...ANN,
        servers: [
          { id: '501', owner: true },
          { id: '502', owner: true },
        ],
      };
      await visitor.get(await discord.pass(await visitor.get('/guilds/501')));
      const found = await Promise.all(['500', '501', '502'].map((guildId) => status(visitor, guildId)));
      expect(found).toEqual([404, 200, 200]);
      expect(await dashboard.store.client.zcard('gr:sessions:{500}')).toBe(0);
      expect((await visitor.get('/guilds/502/activity')).text).toContain('Signed in with Discord');
    });

    describe('the page of all servers', () => {
      beforeEach(async () => {
        const { client, redisKeys } = dashboard.store;
        await client.hset(redisKeys.guild('500').about, 'name', 'The Den');
        await client.hset(redisKeys.guild('502').about, 'name', 'Linked Hall');
      });
      const withLink = async () => {
        const visitor = new Visitor(dashboard);
        await visitor.signIn(await dashboard.link('502', ANN.id));
        await discord.signIn(visitor, ANN);
        await passHour(visitor);
        return visitor;
      };

      it('the list of servers appears after Discord was asked, with the servers that the person may still manage', async () => {
        const visitor = await signedIn(ANN);
        expect((await visitor.get('/servers')).text).toContain('The Den');
        await passHour(visitor);
        discord.account = { ...ANN, servers: [{ id: '501', owner: true }] };
        const asked = await visitor.get('/servers');
        expect([asked.status, asked.text]).toEqual([303, expect.not.stringContaining('The Den')]);
        expect((await visitor.get(await discord.pass(asked))).headers.get('location')).toBe('/servers');
        const { status, text } = await visitor.get('/servers');
        expect([status, text.includes('/guilds/501'), text.includes('The Den')]).toEqual([200, true, false]);
      });

      it('the menu of servers names only servers that a link, or Discord in the last hour, has opened', async () => {
        const visitor = await withLink();
        expect(JSON.parse((await visitor.get('/servers/menu')).text)).toMatchObject([{ id: '502' }]);
      });

      it('a person whom a link has let in sees that server at once, and the others after Discord has confirmed them', async () => {
        const visitor = await withLink();
        const { status, text } = await visitor.get('/servers');
        expect([status, text.includes('Linked Hall'), text.includes('The Den')]).toEqual([200, true, false]);
        expect(text).toContain('You have opened 2 other servers with Discord.');
        visitor.cookies.set('guildrank-server', '500');
        expect((await visitor.get('/')).headers.get('location')).toBe('/servers');
        const back = await visitor.get(await discord.pass(await visitor.get('/servers/confirm')));
        expect(back.headers.get('location')).toBe('/servers/confirm');
        expect((await visitor.get('/servers/confirm')).headers.get('location')).toBe('/servers');
        const confirmed = await visitor.get('/servers');
        expect(confirmed.text).toContain('The Den');
        expect(confirmed.text).not.toContain('/servers/confirm');
      });

      it('the list of servers gets 503 while Discord is out of order, with the time to try again and without the name of a server', async () => {
        const visitor = await signedIn(ANN);
        await passHour(visitor);
        discord.instead.set('token', (_req, res) => void res.writeHead(500).end());
        const answer = await visitor.get(await discord.pass(await visitor.get('/servers')));
        expectPage(answer, 503, 'Discord does not answer');
        expect(answer.text).toContain('You are still signed in');
        expect(answer.text).not.toContain('The Den');
        expect(answer.headers.get('retry-after')).toBe('60');
      });
    });

    it('the session of a person who may open nothing any more ends', async () => {
      const visitor = await signedIn(ANN);
      await passHour(visitor);
      discord.account = { ...ANN, servers: [] };
      expectPage(await visitor.get(await discord.pass(await visitor.get('/guilds/500'))), 403, 'No server to open');
      expect(await status(visitor, '500')).toBe(401);
      expect(await dashboard.store.client.keys('gr:session:*')).toEqual([]);
    });

    it('a server that Discord does not confirm is closed, and a server that a link opened stays open', async () => {
      for (const end of [() => (discord.account = null), () => discord.reset()]) {
        const visitor = new Visitor(dashboard);
        await visitor.signIn(await dashboard.link('502', ANN.id));
        await discord.signIn(visitor, ANN);
        await passHour(visitor);
        expect(await status(visitor, '502')).toBe(200);
        end();
        expectPage(await visitor.get(await discord.pass(await visitor.get('/guilds/500'))), 401, 'Sign in again');
        expect([await status(visitor, '500'), await status(visitor, '502')]).toEqual([404, 200]);
      }
    });

    it('the browser passes to another person whom Discord names', async () => {
      const visitor = await signedIn(ANN);
      await signedIn(BEN);
      await passHour(visitor);
      discord.account = BEN;
      await visitor.get(await discord.pass(await visitor.get('/guilds/500')));
      expect([await status(visitor, '500'), await status(visitor, '502')]).toEqual([404, 200]);
    });

    it('a confirmation does not bring back a server whose sessions an owner has ended since', async () => {
      const visitor = await signedIn(ANN);
      const owner = await dashboard.signIn('500', 'u2');
      await owner.submit('/guilds/500/settings', '/guilds/500/settings/sign-out', {});
      await passHour(visitor);
      await visitor.get(await discord.pass(await visitor.get('/guilds/501')));
      expect([await status(visitor, '500'), await status(visitor, '501')]).toEqual([404, 200]);
      await discord.signIn(visitor, ANN);
      expect(await status(visitor, '500')).toBe(200);
    });

    it('a session that was signed out while Discord was asked stays signed out', async () => {
      const visitor = await signedIn(ANN);
      const _token = await visitor.tokenOf('/guilds/500');
      const copy = new Visitor(dashboard);
      copy.cookie = visitor.cookie;
      await passHour(visitor);
      const back = await discord.pass(await visitor.get('/guilds/500'));
      await copy.post('/sign-out', { _token });
      await visitor.get(back);
      expect(await status(copy, '500')).toBe(401);
    });

    it('a form that comes too late keeps its values, and is sent again after the confirmation', async () => {
      const visitor = await signedIn(ANN);
      const _token = await visitor.tokenOf('/guilds/500');
      await passHour(visitor);
      const fields = { multiplier: '2.5', odd: '<b>"&' };
      const refused = await visitor.post('/guilds/500/settings/multiplier', { _token, ...fields });
      expectPage(refused, 401, 'Discord has to confirm your rights');
      const config = () => dashboard.store.client.hget('gr:{500}:config', 'xp_multiplier');
      expect(await config()).toBeNull();
      const form = /<form method="post" action="(.*?)".*?<\/form>/s.exec(
        refused.text.slice(refused.text.indexOf('<main')),
      );
      const hidden = [...(form?.[0] ?? '').matchAll(/name="(.*?)" value="(.*?)"/g)].map(([, name, value]) => [
        name,
        value,
      ]);
      expect([form?.[1], Object.fromEntries(hidden)]).toEqual([
        '/guilds/500/settings/multiplier',
        { _token, multiplier: '2.5', odd: '&lt;b&gt;&quot;&amp;' },
      ]);
      const confirmed = await visitor.get(await discord.pass(await visitor.get('/sign-in/discord/again')));
      expect(confirmed.headers.get('location')).toBe('/sign-in/discord/confirmed');
      expect((await visitor.get('/sign-in/discord/confirmed')).status).toBe(200);
      expect((await visitor.post('/guilds/500/settings/multiplier', { _token, ...fields })).status).toBe(303);
      expect(await config()).toBe('2.5');
    });

    it('a form that comes too late keeps all values of a field', async () => {
      const visitor = await signedIn(ANN);
      const _token = await visitor.tokenOf('/guilds/500');
      await passHour(visitor);
      const body = new URLSearchParams([
        ['_token', _token],
        ['role', '1'],
        ['role', '2'],
        ['level', ''],
      ]);
      const { text } = await visitor.request('POST', '/guilds/500/settings/rules', { origin: dashboard.url }, body);
      const form = text.slice(text.indexOf('action="/guilds/500/settings/rules"'));
      const hidden = [...form.matchAll(/type="hidden" name="(.*?)" value="(.*?)"/g)].map(([, name, value]) => [
        name,
        value,
      ]);
      expect(hidden).toEqual([...body]);
    });

    it('a form without the token of the session gets 403, and no button that sends it again', async () => {
      const visitor = await signedIn(ANN);
      await passHour(visitor);
      const { status, text } = await visitor.post('/guilds/500/settings/multiplier', { multiplier: '9', _token: 'x' });
      expect([status, text.includes('Send it again')]).toEqual([403, false]);
    });

    it('a script gets 401 instead of being led to Discord', async () => {
      const visitor = await signedIn(ANN);
      await passHour(visitor);
      const answer = await visitor.get('/guilds/500/widget/settings', { 'sec-fetch-dest': 'empty' });
      expectPage(answer, 401, 'Discord has to confirm your rights');
    });

    it('a person signs out without Discord', async () => {
      const visitor = await signedIn(ANN);
      const _token = await visitor.tokenOf('/guilds/500');
      await passHour(visitor);
      expect((await visitor.post('/sign-out', { _token })).status).toBe(303);
      expect(await dashboard.store.client.keys('gr:session:*')).toEqual([]);
    });

    it('the rights of an operator are confirmed too, after an hour', async () => {
      const visitor = await signedIn(BOSS);
      await passHour(visitor);
      const asked = await visitor.get('/operator');
      expect(asked.status).toBe(303);
      expect((await visitor.get(await discord.pass(asked))).headers.get('location')).toBe('/operator');
      expect((await visitor.get('/operator')).status).toBe(200);
    });
  });

  describe('outages and lies of Discord', () => {
    const answers =
      (status: number, body: string, headers = {}): Instead =>
      (_req, res) =>
        void res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
    const BROKEN: readonly [name: string, place: 'token' | 'user' | 'servers', instead: Instead][] = [
      ['the token address fails', 'token', answers(502, 'bad gateway')],
      [
        'the token address takes the secret of the settings for wrong',
        'token',
        answers(401, '{"error":"invalid_client"}'),
      ],
      [
        'the token address answers with a page',
        'token',
        answers(200, '<!doctype html>', { 'content-type': 'text/html' }),
      ],
      ['the token address leads elsewhere', 'token', answers(302, '', { location: 'https://evil.example' })],
      ['the token is of another kind', 'token', answers(200, '{"token_type":"mac","access_token":"x"}')],
      ['the connection breaks', 'token', (req) => void req.socket.destroy()],
      ['the person has no id', 'user', answers(200, '{}')],
      ['the id of the person is no id', 'user', answers(200, '{"id":"operator"}')],
      ['the token is refused', 'user', answers(401, '{"message":"401: Unauthorized"}')],
      ['the list of servers is none', 'servers', answers(200, '{"servers":[]}')],
      ['the list of servers has an odd id', 'servers', answers(200, '[{"id":"*","owner":true,"permissions":"0"}]')],
      ['a permission is no number', 'servers', answers(200, '[{"id":"500","owner":false,"permissions":"0x20"}]')],
      [
        'the list has more than 200 servers',
        'servers',
        answers(
          200,
          JSON.stringify(Array.from({ length: 201 }, (_, n) => ({ id: String(n), owner: true, permissions: '0' }))),
        ),
      ],
      ['the list has more than a megabyte', 'servers', answers(200, `[${'{"id":"500"},'.repeat(100_000)}{}]`)],
      [
        'the list never ends',
        'servers',
        (_req, res) => {
          res.writeHead(200, { 'content-type': 'application/json' });
          const timer = setInterval(() => res.write(' '.repeat(65_536)), 1);
          res.on('close', () => clearInterval(timer));
        },
      ],
    ];
    it.each(BROKEN)('a sign-in gets 503 when %s, and works again afterwards', async (_name, place, instead) => {
      discord.instead.set(place, instead);
      const visitor = new Visitor(dashboard);
      const answer = await discord.signIn(visitor, ANN);
      expectPage(answer, 503, 'Discord does not answer');
      expect(answer.text).not.toMatch(/invalid_client|Unauthorized|127\.0\.0\.1:\d+\/api|node_modules/);
      expect([visitor.cookie, await dashboard.store.client.keys('gr:session:*')]).toEqual(['', []]);
      discord.instead.clear();
      expect((await discord.signIn(visitor, ANN)).status).toBe(303);
    });

    it('a sign-in gets 503 when the limit of five seconds for an address of Discord ends', async () => {
      waitUsual();
      const limit = new AbortController();
      const limits = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal);
      onTestFinished(() => {
        limits.mockRestore();
        waitUsual = waitLongForHosts();
      });
      // The time is up as soon as Discord should answer.
      discord.instead.set('user', () => limit.abort(new DOMException('', 'TimeoutError')));
      const answer = await discord.signIn(new Visitor(dashboard), ANN);
      expectPage(answer, 503, 'Discord does not answer');
      const line = '"reason":"/api/v10/users/@me did not answer: not within 5000 ms","msg":"Discord does not answer"';
      expect(dashboard.logText()).toContain(line);
      expect(limits).toHaveBeenCalledWith(5000);
    });

    it('a sign-in gets 503 when Discord says that it is out of order', async () => {
      discord.instead.set('authorize', (_req, res) => {
        const back = new URL(discord.asked.get('redirect_uri') ?? '');
        back.search = String(new URLSearchParams({ state: discord.asked.get('state') ?? '', error: 'server_error' }));
        res.writeHead(302, { location: back.href }).end();
      });
      expectPage(await discord.signIn(new Visitor(dashboard), ANN), 503, 'Discord does not answer');
    });

    it('an outage while the rights are confirmed ends no session, and the next try goes on', async () => {
      const visitor = await signedIn(ANN);
      await passHour(visitor);
      discord.instead.set('token', answers(500, ''));
      expectPage(
        await visitor.get(await discord.pass(await visitor.get('/guilds/500'))),
        503,
        'Discord does not answer',
      );
      discord.instead.clear();
      await visitor.get(await discord.pass(await visitor.get('/guilds/500')));
      expect(await status(visitor, '500')).toBe(200);
    });
  });

  it('a person who presses Cancel at Discord gets 403 and no session', async () => {
    discord.presses = 'Cancel';
    const visitor = new Visitor(dashboard);
    expectPage(await discord.signIn(visitor, ANN), 403, 'Not signed in');
    expect(visitor.cookie).toBe('');
  });

  it('the dashboard asks Discord nothing while Discord limits its requests, and a page says how long', async () => {
    const limited = await startTestDashboard(discord.env);
    try {
      discord.instead.set('token', (_req, res) => void res.writeHead(429, { 'retry-after': '120.5' }).end('{}'));
      const first = await discord.signIn(new Visitor(limited), ANN);
      expectPage(first, 503, 'Discord is busy');
      expect(first.headers.get('retry-after')).toBe('121');
      discord.instead.clear();
      discord.requests.length = 0;
      expectPage(await discord.signIn(new Visitor(limited), ANN), 503, 'Discord is busy');
      expect(discord.requests).toEqual(['GET /oauth2/authorize']);
    } finally {
      await limited.close();
    }
  });

  it('a dashboard without settings for Discord offers no sign-in with Discord, and sessions of Discord open nothing', async () => {
    const visitor = await signedIn(ANN);
    const { redis } = dashboard;
    const without = await startTestDashboard({ REDIS_URL: redis.url });
    try {
      const same = new Visitor(without);
      same.cookie = visitor.cookie;
      expect((await same.get('/guilds/500')).status).toBe(401);
      expect((await new Visitor(without).get('/')).text).not.toContain('/sign-in/discord');
      expect((await new Visitor(without).get('/sign-in/discord')).status).toBe(410);
      const { headers } = await new Visitor(without).get('/');
      expect(headers.get('content-security-policy')).toContain("img-src 'self' data:;");
      expect((await new Visitor(without).get('/sign-in/discord/callback?code=x')).status).toBe(401);
    } finally {
      await without.close();
    }
  });
});
