import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hashToken } from '../../src/core/access/invites.ts';
import { openStore } from '../../src/core/store/store.ts';
import { AuditLog } from '../../src/dashboard/audit-log.ts';
import { runCommand } from '../support/command.ts';
import { type Answer, startTestDashboard, type TestDashboard, Visitor } from '../support/dashboard.ts';
import { needs } from '../support/needs.ts';
import { stopClock } from '../support/stop-clock.ts';

/** Every form that a guild's pages have, by its address, with fields that would change something. */
const FORMS: readonly [path: string, fields: Record<string, string>][] = [
  ['/guilds/own/keys', { name: 'evil', lifetime: 'until revoked', origins: '' }],
  ['/guilds/own/keys/KEY/rotate', { overlap: 'not at all' }],
  ['/guilds/own/keys/KEY/revoke', {}],
  ['/guilds/own/members/hide', { id: 'm' }],
  ['/guilds/own/members/remove', { id: 'm' }],
  ['/guilds/own/import/start', { id: 'x', mode: 'import' }],
  ['/guilds/own/import/stop', {}],
  ['/guilds/own/import/discard', {}],
  ['/guilds/own/settings/multiplier', { multiplier: '9' }],
  ['/guilds/own/settings/boards', { week: 'on', clock: 'UTC+01:00' }],
  ['/guilds/own/settings/rules', { message_min: '1', message_max: '2' }],
  ['/guilds/own/settings/rules/rewards', { reward_level: '1', reward_role: '2', reward_end: 'kept' }],
  [
    '/guilds/own/settings/rules/multipliers',
    { role: '1', role_multiplier: '2', role_stacking: 'max', stacking: 'max' },
  ],
  ['/guilds/own/settings/rules/json', { json: '{}' }],
  ['/guilds/own/settings/rules/remove', {}],
  ['/guilds/own/settings/rules/file', {}],
  ['/guilds/own/settings/sessions/end', { id: 'SESSION' }],
  ['/guilds/own/settings/sign-out', {}],
  ['/guilds/own/settings/public-page', { public: 'on', title: 'evil' }],
  ['/guilds/own/settings/curve', { curve: 'amari', custom: '' }],
  ['/guilds/own/settings/curve/preview', { curve: 'amari', custom: '' }],
  ['/sign-out', {}],
  ['/sign-out-everywhere', {}],
];

describe('attacks on the dashboard', needs('redis-server'), () => {
  let dashboard: TestDashboard;
  let owner: Visitor;
  let keyId: string;
  let otherKeyId: string;

  beforeAll(async () => {
    dashboard = await startTestDashboard({ TRUST_PROXY: '1' });
  });
  afterAll(() => dashboard.close());
  beforeEach(async () => {
    await dashboard.store.client.flushall();
    keyId = (await dashboard.store.apiKeys.create('own', 'website', null)).record.id;
    otherKeyId = (await dashboard.store.apiKeys.create('other', 'secret', null)).record.id;
    owner = await dashboard.signIn('own', 'u1');
  });

  /** Returns all that a request could have changed: data, configuration, keys, sessions. */
  const data = async (): Promise<string> => {
    const { client } = dashboard.store;
    const keys = (await client.keys('*')).filter((key) => !key.includes(':audit')).sort();
    return JSON.stringify(await Promise.all(keys.map(async (key) => [key, (await client.dump(key)) ?? ''])));
  };
  const forms = () =>
    FORMS.map(([path, fields]) => {
      const own =
        fields.id === 'SESSION' ? { ...fields, id: hashToken(owner.cookie.split('=')[1] ?? '').slice(0, 8) } : fields;
      return [path.replace('KEY', keyId), own] as const;
    });

  it.each([
    ['no origin', { origin: '' }],
    ['the origin "null"', { origin: 'null' }],
    ['another origin', { origin: 'https://evil.example' }],
    ['a subdomain of the dashboard', { origin: 'http://evil.127.0.0.1' }],
  ])('every form with %s gets 403 and changes nothing', async (_, headers) => {
    const token = await owner.tokenOf('/guilds/own');
    const before = await data();
    for (const [path, fields] of forms()) {
      expect([path, (await owner.post(path, { _token: token, ...fields }, headers)).status]).toEqual([path, 403]);
    }
    expect((await new Visitor(dashboard).post('/sign-in', { invite: 'x' }, headers)).status).toBe(403);
    expect(await data()).toBe(before);
  });

  it('every form without the token of its own session gets 403 and changes nothing', async () => {
    const stranger = await dashboard.signIn('other');
    const tokens = ['', 'x', '0'.repeat(64), await stranger.tokenOf('/guilds/other')];
    const before = await data();
    for (const [path, fields] of forms()) {
      for (const _token of tokens) {
        expect([path, (await owner.post(path, { ...fields, _token })).status]).toEqual([path, 403]);
      }
    }
    const type = { 'content-type': 'multipart/form-data; boundary=x', origin: dashboard.url };
    for (const [path] of forms()) {
      const { status } = await owner.request('POST', path, type, '--x--\r\n');
      expect([path, status < 300]).toEqual([path, false]);
    }
    expect(await data()).toBe(before);
  });

  it('a GET, PUT, DELETE, PATCH or OPTIONS request changes nothing', async () => {
    const before = await data();
    for (const [path] of forms()) {
      expect((await owner.get(path)).status).toBeLessThan(500);
      for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
        expect((await owner.request(method, path, { origin: dashboard.url })).status).toBe(405);
      }
    }
    expect(await data()).toBe(before);
  });

  it('a link that was used, has ended or never existed gets 410 and opens no session', async () => {
    const link = await dashboard.link('own');
    expect((await new Visitor(dashboard).signIn(link)).status).toBe(303);
    const late = await dashboard.link('own');
    await dashboard.store.client.del(`gr:invite:${hashToken(late.slice(late.lastIndexOf('/') + 1))}`);
    for (const bad of [link, late, `${dashboard.url}/sign-in/${'A'.repeat(43)}`, '', '/__proto__', '/*']) {
      const visitor = new Visitor(dashboard);
      expect((await visitor.signIn(bad)).status).toBe(410);
      expect((await visitor.get('/guilds/own')).status).toBe(401);
    }
  });

  it('a link that four browsers use at once opens one session', async () => {
    for (let round = 0; round < 10; round++) {
      const link = await dashboard.link('own');
      const visitors = Array.from({ length: 4 }, () => new Visitor(dashboard));
      const answers = await Promise.all(visitors.map((visitor) => visitor.signIn(link)));
      expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
      const pages = await Promise.all(visitors.map((visitor) => visitor.get('/guilds/own')));
      expect(pages.filter(({ status }) => status === 200)).toHaveLength(1);
    }
  });

  it('a chat program that opens a link first leaves the link to its owner', async () => {
    const link = await dashboard.link('own');
    const path = new URL(link).pathname;
    const bot = new Visitor(dashboard);
    for (const method of ['GET', 'HEAD', 'GET']) expect((await bot.request(method, path, {})).status).toBe(200);
    expect(bot.cookie).toBe('');
    expect((await new Visitor(dashboard).signIn(link)).status).toBe(303);
  });

  it('a session id that somebody planted in the browser gets 401', async () => {
    const victim = new Visitor(dashboard);
    victim.cookie = `guildrank=${'A'.repeat(43)}`;
    const { headers } = await victim.signIn(await dashboard.link('own'));
    expect(headers.get('set-cookie')).not.toContain('A'.repeat(43));
    const attacker = new Visitor(dashboard);
    attacker.cookie = `guildrank=${'A'.repeat(43)}`;
    expect((await attacker.get('/guilds/own')).status).toBe(401);
    // A sign-in over a session that runs ends that session.
    const earlier = victim.cookie;
    await victim.signIn(await dashboard.link('own'));
    attacker.cookie = earlier;
    expect((await attacker.get('/guilds/own')).status).toBe(401);
  });

  it("an owner gets 404 for another guild's id in the address and for another guild's key", async () => {
    const token = await owner.tokenOf('/guilds/own');
    const before = await data();
    for (const page of [
      '',
      '/keys',
      '/settings/access',
      '/settings/rules',
      '/activity',
      `/keys/${otherKeyId}/revoke`,
    ]) {
      expect((await owner.get(`/guilds/other${page}`)).status).toBe(404);
    }
    for (const [path, fields] of forms().filter(([path]) => path.startsWith('/guilds/'))) {
      const theirs = path.replace('/own/', '/other/').replace(keyId, otherKeyId);
      expect((await owner.post(theirs, { _token: token, ...fields, guild: 'other' })).status).toBe(404);
      if (!path.includes(keyId)) continue;
      const mixed = path.replace(keyId, otherKeyId);
      expect((await owner.get(mixed)).status).toBe(404);
      expect((await owner.post(mixed, { _token: token, ...fields, guildId: 'other' })).status).toBe(404);
    }
    for (const id of ['own%2F..%2Fother', '%7Bother%7D', '*', 'own:keys', 'a'.repeat(65), '__proto__', '%00']) {
      expect([id, (await owner.get(`/guilds/${id}`)).status]).toEqual([id, 404]);
    }
    expect(await data()).toBe(before);
  });

  it('an owner gets 404 for the pages and forms of the operator', async () => {
    const _token = await owner.tokenOf('/guilds/own');
    const before = await data();
    expect((await owner.get('/operator')).status).toBe(404);
    expect((await owner.get('/operator?search=other')).text).not.toContain('other');
    expect((await owner.post('/guilds/own/settings/plan', { _token, plan: 'pro' })).status).toBe(404);
    expect((await owner.post('/guilds/own/settings/invite', { _token, user: '' })).status).toBe(404);
    for (const send of [owner.get('/operator/sign-out'), owner.post('/operator/sign-out', { _token })]) {
      expect((await send).status).toBe(404);
    }
    expect(await data()).toBe(before);
  });

  it('an invite that a bot wrote for "operator" opens the guild of that name alone', async () => {
    const token = 'B'.repeat(43);
    await dashboard.store.client.set(`gr:invite:${hashToken(token)}`, 'operator  1774737000000');
    const visitor = new Visitor(dashboard);
    expect((await visitor.signIn(`/${token}`)).headers.get('location')).toBe('/guilds/operator');
    expect((await visitor.get('/operator')).status).toBe(404);
  });

  it('a stolen cookie gets 401 after a sign-out, or after a sign-out everywhere', async () => {
    const thief = new Visitor(dashboard);
    thief.cookie = owner.cookie;
    expect((await thief.get('/guilds/own')).status).toBe(200);
    await owner.submit('/guilds/own', '/sign-out', {});
    expect((await thief.get('/guilds/own')).status).toBe(401);

    // Nor after another one ended just that session, which keeps all others.
    const stolen = await dashboard.signIn('own');
    const kept = await dashboard.signIn('own');
    thief.cookie = stolen.cookie;
    const id = hashToken(stolen.cookie.split('=')[1] ?? '').slice(0, 8);
    const stranger = await dashboard.signIn('other');
    await stranger.submit('/guilds/other/settings/access', '/guilds/other/settings/sessions/end', { id });
    expect((await thief.get('/guilds/own')).status).toBe(200);
    await kept.submit('/guilds/own/settings/access', '/guilds/own/settings/sessions/end', { id });
    expect((await thief.get('/guilds/own')).status).toBe(401);
    expect((await kept.get('/guilds/own')).status).toBe(200);

    const [first, second, bystander] = await Promise.all([
      dashboard.signIn('own'),
      dashboard.signIn('own'),
      dashboard.signIn('other'),
    ]);
    thief.cookie = first.cookie;
    await second.submit('/guilds/own', '/guilds/own/settings/sign-out', {});
    for (const visitor of [thief, second]) expect((await visitor.get('/guilds/own')).status).toBe(401);
    expect((await bystander.get('/guilds/other')).status).toBe(200);
    const next = await dashboard.signIn('own');
    expect((await next.get('/guilds/own')).status).toBe(200);
    expect((await thief.get('/guilds/own')).status).toBe(401);
  });

  it.each<[string, (operator: Visitor) => Promise<unknown>]>([
    ['its owner ends all sessions', () => owner.submit('/guilds/own', '/guilds/own/settings/sign-out', {})],
    [
      'the operator ends all sessions',
      (operator) => operator.submit('/guilds/own/settings/access', '/guilds/own/settings/sign-out', {}),
    ],
    [
      'the operator ends all sessions by a command',
      () => runCommand('guild', ['sign-out', '--guild', 'own'], { REDIS_URL: dashboard.redis.url }),
    ],
    [
      'the guild is deleted',
      () => runCommand('guild', ['delete', '--guild', 'own', '--yes'], { REDIS_URL: dashboard.redis.url }),
    ],
  ])('a session of a guild gets 401 and a link gets 410 after %s', async (_when, end) => {
    const operator = await dashboard.signIn(null);
    const link = await dashboard.link('own');
    const foreign = await dashboard.link('other');
    await end(operator);
    expect((await owner.get('/guilds/own')).status).toBe(401);
    const late = new Visitor(dashboard);
    expect((await late.signIn(link)).status).toBe(410);
    expect((await late.get('/guilds/own')).status).toBe(401);
    // Other guilds, the operator and later links are as good as before.
    expect((await operator.get('/operator')).status).toBe(200);
    expect((await new Visitor(dashboard).signIn(foreign)).status).toBe(303);
    expect((await new Visitor(dashboard).signIn(await dashboard.link('own'))).status).toBe(303);
  });

  it('an owner who changes much gets 429, another link does not help, and the operator is not held back', async () => {
    // The limit lets a change through every two seconds.
    stopClock();
    const answers: Answer[] = [];
    for (const visitor of [await dashboard.signIn('busy', 'u1'), await dashboard.signIn('busy', 'u2')]) {
      const _token = await visitor.tokenOf('/guilds/busy');
      for (let n = 0; n < 40; n++)
        answers.push(await visitor.post('/guilds/busy/settings/multiplier', { _token, multiplier: '2' }));
    }
    expect(answers.map(({ status }) => status)).toEqual([...Array(60).fill(303), ...Array(20).fill(429)]);
    expect(answers.at(-1)?.text).toContain('<dt>multiplier</dt><dd><bdi>2</bdi></dd>');
    // The same again takes the place of the entry before, so that it pushes no other one out.
    expect(await dashboard.store.client.xlen('gr:{busy}:audit')).toBe(2);
    expect((await (await dashboard.signIn('busy', 'u3')).get('/guilds/busy/activity')).text).toContain('(40 times)');
    // Nobody can keep them from taking access away.
    const other = await dashboard.signIn('busy', 'u3');
    expect((await other.submit('/guilds/busy', '/guilds/busy/settings/sign-out', {})).status).toBe(303);
    expect((await other.get('/guilds/busy')).status).toBe(401);
    const operator = await dashboard.signIn(null);
    const change = await operator.submit('/guilds/busy/settings/access', '/guilds/busy/settings/plan', { plan: 'pro' });
    expect(change.status).toBe(303);
  });

  it('changes that are repeated at once leave one entry that says how often', async () => {
    const log = new AuditLog(
      openStore(dashboard.store.client, 'gr'),
      () => 0,
      () => {},
    );
    const actor = { role: 'owner', who: 'owner u1', from: '192.0.2.1' } as const;
    await Promise.all(Array.from({ length: 30 }, () => log.change('own', actor, 'again', async () => {})));
    expect((await log.latest('own', 50)).filter(({ what }) => what === 'again')).toMatchObject([{ times: 30 }]);
  });

  it('a new entry has the present time, even after a clock of Redis that was 400 days ahead', async () => {
    const { client } = dashboard.store;
    await client.xadd(
      'gr:{late}:audit',
      `${Date.now() + 400 * 86_400_000}-0`,
      'who',
      'u',
      'what',
      'x',
      'from',
      'a',
      'times',
      1,
    );
    const log = new AuditLog(
      openStore(client, 'gr'),
      () => 0,
      () => {},
    );
    await log.note('late', { who: 'u', from: 'a' }, 'y', 'data');
    const entry = (await log.latest('late', 5)).find(({ what }) => what === 'y');
    expect(Date.parse(entry?.at ?? '')).toBeLessThanOrEqual(Date.now());
  });

  it('changes with long texts do not fill the audit log: 1,200 entries of 9,000 characters take less than 1 MB', async () => {
    const { client } = dashboard.store;
    const log = new AuditLog(
      openStore(client, 'gr'),
      () => 0,
      () => {},
    );
    const long = (n: number) => `${n} ${'\u{1f600}'.repeat(4500)}`;
    for (let n = 0; n < 1200; n++) await log.note('full', { who: long(n), from: long(n) }, long(n), 'data');
    expect(await client.memory('USAGE', 'gr:{full}:audit', 'SAMPLES', 0)).toBeLessThan(1_000_000);
    expect(await client.xlen('gr:{full}:audit')).toBeGreaterThanOrEqual(1000);
    const [entry] = await log.latest('full', 1);
    expect(entry?.what).toMatch(/^1199 \u{1f600}{73}…$/u);
    // A long text that somebody else stored is cut when it is read.
    await client.xadd('gr:{full}:audit', '*', 'who', long(1), 'what', long(1), 'from', long(1), 'times', 1);
    expect((await log.latest('full', 1))[0]?.what.length).toBeLessThan(310);
    // The same long text again is still one entry.
    await log.note('full', { who: 'u', from: 'a' }, long(1), 'data');
    await log.note('full', { who: 'u', from: 'a' }, long(1), 'data');
    expect((await log.latest('full', 1))[0]).toMatchObject({ who: 'u', times: 2 });
  });

  it('the page warns beside the download of a name that a spreadsheet takes for a formula', async () => {
    await dashboard.store.writer.record('own', { userId: 'm', set: 5, username: '=HYPERLINK("https://evil.example")' });
    const { text } = await owner.get('/guilds/own/members');
    expect(text).toContain('/guilds/own/members/export.csv');
    expect(text).toContain('a name that begins with = can look like a formula');
  });

  it('every page shows names with markup as text', async () => {
    const evil = `<img src=x onerror="alert(1)">'"</script><script>alert(2)</script>`;
    await dashboard.store.writer.record('own', { userId: 'm', set: 5, username: evil });
    await dashboard.store.apiKeys.create('own', evil.slice(0, 64), null);
    await dashboard.store.client.xadd('gr:{own}:audit', '*', 'who', evil, 'what', evil, 'from', evil);
    await dashboard.store.guildConfig.setRules('own', `{"$schema":${JSON.stringify(evil)}}`);
    await dashboard.store.client.zadd('gr:{own}:hidden', 5, 'h');
    await dashboard.store.client.hset('gr:{own}:members', 'h', `- 0 - ${evil}`);
    const search = `/operator?search=${encodeURIComponent(evil)}`;
    const operator = await dashboard.signIn(null);
    await dashboard.store.writer.describeGuild('own', {
      name: evil,
      roles: [{ id: 'r1', name: evil, color: 1, position: 0 }],
      channels: [
        { id: 'c1', name: evil, type: 4, parent: null },
        { id: 'c2', name: evil, type: 0, parent: 'c1' },
      ],
    });
    const pages = ['', '/keys', '/activity', '/members', '/members?list=hidden', '/members?id=m'];
    const settings = ['/access', '/rules', '/rules/rewards', '/rules/multipliers', '/rules/json', '/curve', '/boards'];
    const queries = [`/settings/rules?role=${encodeURIComponent(evil)}&channel=c2`, '/settings/public-page'];
    for (const path of [...pages, ...settings.map((page) => `/settings${page}`), ...queries]) {
      const { status, text } = await owner.get(`/guilds/own${path}`);
      expect([path, status]).toEqual([path, 200]);
      expect(text).not.toMatch(/<img src=x|<script>|onerror="/);
    }
    expect((await operator.get(search)).text).not.toMatch(/<img src=x|<script>|onerror="/);
    expect((await owner.get(`/sign-in/${encodeURIComponent(evil)}`)).text).not.toMatch(/<img src=x|<script>|onerror="/);
    const form = { name: `${evil}${evil}`, lifetime: evil, origins: evil };
    expect((await owner.submit('/guilds/own', '/guilds/own/keys', form)).text).not.toMatch(
      /<img src=x|<script>|onerror="/,
    );
  });

  it('a name that turns text around leaves the activity and the trial of the rules readable', async () => {
    const { writer, guildConfig } = dashboard.store;
    const form = { name: 'x\u202e\u2067y', lifetime: '7 days', origins: '' };
    await owner.submit('/guilds/own/keys', '/guilds/own/keys', form);
    const activity = await owner.get('/guilds/own/activity');
    expect(activity.text).toContain('Made the API Key &quot;xy&quot;, valid 7 days');
    await writer.describeGuild('own', {
      name: 'Own',
      roles: [{ id: '7', name: '\u202eRegular\u2069', color: 0, position: 1 }],
      channels: [],
    });
    await guildConfig.setRules('own', JSON.stringify({ message: { xp: 5 }, multipliers: { roles: { 7: 2 } } }));
    const rules = await owner.get('/guilds/own/settings/rules?role=7');
    expect(rules.text).toContain('because Regular earns 2×');
  });

  it('a question shows no markup from fields and addresses, and its answer needs the token of the session', async () => {
    await dashboard.store.guildConfig.update('own', { boards: ['week'] });
    const path = `/guilds/own/settings/boards?x=${encodeURIComponent('"><script>')}`;
    const _token = await owner.tokenOf('/guilds/own');
    const evil = '"><img src=x onerror=alert(1)>';
    const { status, text } = await owner.post(`${path}&confirm=no`, { _token, clock: 'UTC', [evil]: [evil, 'b'] });
    expect([status, text.includes('<h1>Turn off the board of the week?</h1>')]).toEqual([200, true]);
    expect(text).not.toMatch(/<img src=x|<script>/);
    expect(text.match(/action="[^"]*confirm=[^"]*"/g)).toEqual([
      'action="/guilds/own/settings/boards?x=%22%3E%3Cscript%3E&amp;confirm=Turn+off+the+board+of+the+week%3F"',
    ]);
    const stranger = await dashboard.signIn('other');
    const answer = `${path}&confirm=Turn+off+the+board+of+the+week%3F`;
    const foreign = { _token: await stranger.tokenOf('/guilds/other'), clock: 'UTC' };
    expect((await owner.post(answer, foreign)).status).toBe(403);
    expect((await stranger.post(answer, foreign)).status).toBe(404);
    expect((await owner.get(`${answer}&clock=UTC`)).status).toBe(200);
    expect(await dashboard.store.client.hget('gr:{own}:config', 'boards')).toBe('week');
  });

  it('no template writes data as markup', () => {
    const folder = new URL('../../src/dashboard/', import.meta.url);
    const templates = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.eta'),
    );
    expect(templates.length).toBeGreaterThan(20);
    // The body of a layout and the content of a form are rendered templates.
    const rendered: Readonly<Record<string, string>> = {
      'layout.eta': '<%~ it.body %>',
      'form.eta': '<%~ it.content %>',
    };
    for (const name of templates) {
      const template = readFileSync(new URL(name, folder), 'utf8');
      const raw = template.match(/<%~.*?%>/g) ?? [];
      const others = raw.filter((tag) => !tag.startsWith("<%~ include('@") && tag !== rendered[basename(name)]);
      expect(others, name).toEqual([]);
      expect(template.match(/\b(body|content):(?! capture\(\(\) => \{ %>)/g), name).toBeNull();
    }
  });

  it('a form that is too large gets 413, and a form that is malformed or has odd fields gets 400', async () => {
    const type = { 'content-type': 'application/x-www-form-urlencoded', origin: dashboard.url };
    const _token = await owner.tokenOf('/guilds/own');
    const before = await data();
    const answer = (body: string, headers = {}) =>
      owner.request('POST', '/guilds/own/keys', { ...type, ...headers }, body);
    const send = async (...args: Parameters<typeof answer>) => (await answer(...args)).status;
    for (const large of [
      `_token=${_token}&name=${'x'.repeat(100_000)}`,
      Array.from({ length: 3001 }, (_, i) => `f${i}=1`).join('&'),
    ]) {
      const { status, text } = await answer(large);
      expect([status, text]).toEqual([413, expect.stringContaining('A form has at most 96 kB and 3,000 fields here.')]);
    }
    expect(await send('_token=1', { 'content-encoding': 'gzip' })).toBe(400);
    expect(await send('{"_token":1}', { 'content-type': 'application/json' })).toBe(403);
    const odd = ['name=%E0%A4%A', 'name[]=a&name[]=b', '__proto__[x]=1&constructor=2', 'name=%00&lifetime=constructor'];
    for (const fields of odd) expect([fields, await send(`_token=${_token}&${fields}`)]).toEqual([fields, 400]);
    expect((await owner.get('/guilds/%E0%A4%A')).status).toBe(400);
    expect(await data()).toBe(before);
  });

  it('an address that names another site leads to no other site', async () => {
    for (const path of ['//evil.example', '/\\evil.example', '/?next=https://evil.example', '//evil.example/%2e%2e']) {
      for (const visitor of [owner, new Visitor(dashboard)]) {
        const location = (await visitor.get(path)).headers.get('location') ?? '/';
        expect(location).toMatch(/^\/(?![/\\])/);
      }
    }
    const signIn = await new Visitor(dashboard).post('/sign-in?next=//evil.example', {
      invite: (await dashboard.link('own')).split('/').pop() ?? '',
      next: '//evil.example',
    });
    expect(signIn.headers.get('location')).toBe('/guilds/own');
  });

  it('every sign-in leaves a line in the log of the process, also when the operator signs in', async () => {
    await dashboard.signIn(null);
    await dashboard.signIn('own', 'u1');
    expect(dashboard.logText()).toMatch(
      /"guild_id":null,"who":"operator, session \w+","from":"[^"]+","what":"Signed in"/,
    );
    expect(dashboard.logText()).toMatch(
      /"guild_id":"own","who":"owner u1, session \w+","from":"[^"]+","what":"Signed in"/,
    );
  });

  it('an address that guesses links gets 429 after ten guesses, and other visitors still sign in', async () => {
    // The limit lets another attempt through after a time.
    stopClock();
    const guess = (from: string) =>
      new Visitor(dashboard).post('/sign-in', { invite: 'guess' }, { 'x-forwarded-for': from });
    const statuses = [];
    for (let n = 0; n < 12; n++) statuses.push((await guess('192.0.2.1')).status);
    expect(statuses).toEqual([...Array(10).fill(410), 429, 429]);
    expect((await guess('192.0.2.1')).headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await guess('192.0.2.2')).status).toBe(410);
    // Neither is the owner behind the same address, who has a link that works.
    const neighbour = { invite: (await dashboard.link('own')).split('/').pop() ?? '' };
    expect((await new Visitor(dashboard).post('/sign-in', neighbour, { 'x-forwarded-for': '192.0.2.1' })).status).toBe(
      303,
    );
  });

  it('an address that searches much gets 429 after ten searches, and another address of the same owner searches on', async () => {
    // The limit lets another search through after a time.
    stopClock();
    const search = () => owner.get('/guilds/own/members?find=nobody');
    for (let n = 0; n < 10; n++) expect((await search()).status).toBe(404);
    const { status, headers, text } = await search();
    expect([status, headers.get('retry-after')]).toEqual([429, '3']);
    expect(text).toContain('Too many searches came from your address. Try again in');
    // The list itself is no search.
    expect((await owner.get('/guilds/own/members')).status).toBe(200);
    const elsewhere = await dashboard.signIn('own', 'u1');
    expect((await elsewhere.get('/guilds/own/members?find=nobody')).status).toBe(404);
  });

  it('caches, frames, logs and later pages hold no secret', async () => {
    const link = await dashboard.link('own');
    const invite = link.slice(link.lastIndexOf('/') + 1);
    const visitor = new Visitor(dashboard);
    const opened = await visitor.get(new URL(link).pathname);
    const signedIn = await visitor.signIn(link);
    const made = await visitor.submit('/guilds/own', '/guilds/own/keys', {
      name: 'x',
      lifetime: '7 days',
      origins: '',
    });
    expect(made.status).toBe(303);
    const waiting = await data();
    const shown = await visitor.get(made.headers.get('location') ?? '');
    const key = /gr_\w{38}/.exec(shown.text)?.[0] ?? '';
    const failed = await visitor.get('/nothing');
    for (const { headers } of [opened, signedIn, made, shown, failed]) {
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'.*frame-ancestors 'none'/);
      expect(headers.get('content-security-policy')).not.toContain('unsafe');
      expect(headers.get('referrer-policy')).toBe('same-origin');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-powered-by')).toBeNull();
    }
    expect(signedIn.headers.get('set-cookie')).toMatch(/^guildrank=.*Path=\/.*HttpOnly.*SameSite=Lax/);
    const cookie = visitor.cookie.split('=')[1] ?? '';
    const token = await visitor.tokenOf('/guilds/own');
    expect([key, cookie, token, invite].every((secret) => secret.length > 30)).toBe(true);
    const stored = await data();
    for (const secret of [key, cookie, invite, token]) {
      expect(dashboard.logText()).not.toContain(secret);
      expect(stored).not.toContain(secret);
      expect(waiting).not.toContain(secret);
    }
    // Every key and the hash of every secret stay out of the pages that are read later.
    const pages = await Promise.all(
      ['', '/keys', '/activity', '/settings/access'].map((path) => visitor.get(`/guilds/own${path}`)),
    );
    for (const { text } of pages)
      for (const secret of [key, cookie, invite, hashToken(cookie)]) expect(text).not.toContain(secret);
  });
});

describe('the dashboard behind https', needs('redis-server'), () => {
  it('the cookie is bound to its host and to https', async () => {
    const dashboard = await startTestDashboard({ DASHBOARD_URL: 'https://dash.example.com' });
    try {
      const { headers } = await new Visitor(dashboard).signIn(await dashboard.link('own'));
      expect(headers.get('set-cookie')).toMatch(/^__Host-guildrank=.*; Path=\/; .*HttpOnly; Secure; SameSite=Lax$/);
      expect(headers.get('set-cookie')).not.toMatch(/domain/i);
      expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
    } finally {
      await dashboard.close();
    }
  });
});
