import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, startTestDashboard, type TestDashboard, type Visitor } from '../support/dashboard.ts';
import { needs } from '../support/needs.ts';

const SETTINGS = '/guilds/own/settings';
const RULES = `${SETTINGS}/rules`;

describe('in the dashboard an owner', needs('redis-server'), () => {
  let dashboard: TestDashboard;
  let owner: Visitor;
  beforeAll(async () => {
    dashboard = await startTestDashboard({ PUBLIC_PAGES: '1', EMBED_ORIGINS: '*' });
  });
  afterAll(() => dashboard?.close());
  beforeEach(async () => {
    await dashboard.store.client.flushall();
    owner = await dashboard.signIn('own', 'u1');
  });

  const config = (field: string) => dashboard.store.client.hget('gr:{own}:config', field);
  const alert = ({ text }: Answer) => /role="alert".*?<p>(.*?)<\/p>/s.exec(text)?.[1];
  const notice = ({ text }: Answer) => /role="status"><p>(.*?)<\/p>/s.exec(text)?.[1];
  const follow = async (answer: Answer) => owner.get(answer.headers.get('location') ?? '');
  /** Returns the text of a field of a page, as the browser sends it. */
  const field = ({ text }: Answer, name: string) =>
    (
      new RegExp(`<textarea[^>]* name="${name}"[^>]*>(.*?)</textarea>`, 's').exec(text)?.[1] ??
      new RegExp(`name="${name}"[^>]* value="(.*?)"`).exec(text)?.[1] ??
      ''
    )
      .replaceAll('&quot;', '"')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&');

  describe('sees the pictures of members', () => {
    const host = 'https://cdn.discordapp.com';
    const hash = '0123456789abcdef0123456789abcdef';
    const look = {
      page_accent: '',
      page_accent_dark: '',
      page_background: '',
      page_background_dark: '',
      page_picture: '',
    };
    const choose = (fields: object) =>
      owner.submit(SETTINGS, `${SETTINGS}/public-page`, { title: '', ...look, ...fields });
    const shown = async (path: string) => {
      const { text, headers } = await owner.get(`/guilds/own/members${path}`);
      const [, hosts] = /img-src ([^;]*);/.exec(headers.get('content-security-policy') ?? '') ?? [];
      return { pictures: [...text.matchAll(/<img class="avatar" src="([^"]+)"/g)].map(([, src]) => src), hosts };
    };

    it('in the lists and beside a member, after the owner has chosen them, and the policy names their host only then', async () => {
      await dashboard.store.writer.recordMany('own', [
        { userId: '1', set: 30, profile: { avatar: hash } },
        { userId: '2', set: 20 },
        { userId: '3', set: 10, profile: { avatar: hash } },
      ]);
      await dashboard.store.writer.hide('own', ['3']);
      expect(await shown('')).toEqual({ pictures: [], hosts: "'self' data:" });
      await choose({ avatars: 'on' });
      expect(await config('avatars')).toBe('1');
      expect((await owner.get(SETTINGS)).text).toContain('name="avatars" checked');
      const pictureOf = (id: string) => ({
        pictures: [`${host}/avatars/${id}/${hash}.webp?size=64`],
        hosts: `${host} 'self' data:`,
      });
      expect(await shown('')).toEqual(pictureOf('1'));
      expect(await shown('?list=hidden')).toEqual(pictureOf('3'));
      expect(await shown('?id=1')).toEqual(pictureOf('1'));
      expect(await shown('?id=2')).toEqual({ pictures: [], hosts: "'self' data:" });
      await choose({});
      expect(await config('avatars')).toBeNull();
    });
  });

  describe('sets the boards', () => {
    const save = (fields: Record<string, string>) => owner.submit(SETTINGS, `${SETTINGS}/boards`, fields);

    it('and their clock, and switches them off', async () => {
      expect((await save({ week: 'on', month: 'on', offset: '330' })).status).toBe(303);
      expect([await config('boards'), await config('utc_offset_minutes')]).toEqual(['week,month', '330']);
      const { text } = await owner.get(SETTINGS);
      expect(text).toContain('<option value="330" selected>UTC+05:30</option>');
      expect(text.match(/name="(week|month)" checked/g)).toHaveLength(2);
      await save({ offset: '0' });
      expect(await config('boards')).toBeNull();
    });

    it('with a wrong clock: nothing is changed, and the boxes stay', async () => {
      const answer = await save({ month: 'on', offset: '900' });
      expect(answer.status).toBe(400);
      expect(alert(answer)).toContain('from -720 to 840');
      expect(answer.text).toMatch(/name="month" checked/);
      expect(answer.text).not.toMatch(/name="week" checked/);
      expect(await config('boards')).toBeNull();
    });
  });

  describe('writes the rules', () => {
    const FORM = {
      ...{
        message_min: '5',
        message_max: '9',
        cooldown_s: '1.5',
        min_chars: '3',
        voice_min: '2',
        voice_max: '2',
        muted: 'on',
      },
      no_xp_roles: 'r1, r2\r\nr3',
      no_xp_channels: '',
      role_multipliers: 'r4 1.5\r\n\r\nr5 0',
      channel_multipliers: '',
      ...{ role_stacking: 'sum', stacking: 'product' },
      rewards: '5 r6\r\n10 r7 replaced',
    };
    /** Sends a form of the page as it is now. */
    const send = async (path: string, fields: Record<string, string>) =>
      owner.submit(RULES, RULES + path, { version: field(await owner.get(RULES), 'version'), ...fields });
    const save = (fields: Record<string, string>) => send('', { ...FORM, ...fields });

    it('with the form, which shows the same again', async () => {
      const saved = await save({});
      expect(notice(await follow(saved))).toContain('The rules are saved.');
      const document = JSON.parse((await config('rules')) ?? '');
      expect(document).toMatchObject({
        message: { xp: { min: 5, max: 9 }, cooldown_ms: 1500, min_chars: 3 },
        voice: { xp: 2, counts: { muted: true, afk: false } },
        no_xp: { roles: ['r1', 'r2', 'r3'], channels: [] },
        multipliers: { roles: { r4: 1.5, r5: 0 }, role_stacking: 'sum' },
        rewards: [
          { level: 5, role: 'r6', kept: true },
          { level: 10, role: 'r7', kept: false },
        ],
      });
      const page = await owner.get(RULES);
      const shown = Object.fromEntries(Object.keys(FORM).map((name) => [name, field(page, name)]));
      expect(page.text).toMatch(/name="muted" checked/);
      await send('', { ...shown, muted: 'on', role_stacking: 'sum', stacking: 'product' });
      expect(JSON.parse((await config('rules')) ?? '')).toEqual(document);
    });

    it.each([
      [{ message_max: '4' }, 'Messages, XP, at least: 5 is above 4, the most that one gives'],
      [{ message_min: '-1' }, 'Messages, XP, at least must be a whole number from 0 to 9, not -1'],
      [{ voice_max: 'x' }, 'Voice, XP of a tick, at most must be a whole number'],
      [{ cooldown_s: 'soon' }, 'Seconds between two that count must be a number from 0 to 31536000'],
      [{ no_xp_roles: 'a\nb!' }, 'Roles without XP, line 2: &quot;b!&quot; is no id of a role'],
      [{ no_xp_channels: '<@&1>' }, 'Channels without XP, line 1: &quot;&lt;@&amp;1&gt;&quot; is no id of a channel'],
      [{ role_multipliers: 'r1 1.5\nr2' }, 'Multipliers of roles, line 2: write an id and a number'],
      [{ role_multipliers: '<@&1> 1.5\n1 2' }, 'Multipliers of roles, line 2: 1 has a multiplier above already'],
      [
        { channel_multipliers: 'b 1\n\nc 1001' },
        'Multipliers of channels, line 3: the multiplier must be a number from 0 to',
      ],
      [{ rewards: '5 r6\n6 r7 given' }, 'Roles of levels, line 2: write a level and a role id'],
      [{ rewards: '5 r6\n\nx r7' }, 'Roles of levels, line 3: the level must be a whole number from 0 to 1000000'],
      [{ rewards: '5 r6\n05 r6 replaced' }, 'Roles of levels, line 2: level 05 gives r6 above already'],
      [{ role_stacking: 'min' }, 'Several roles of a member must be max, sum or product'],
    ])('with %o in a field: the form stays, and nothing is stored', async (fields, message) => {
      const answer = await save(fields);
      expect([answer.status, await config('rules')]).toEqual([400, null]);
      expect(alert(answer)).toContain(message);
      for (const [name, text] of Object.entries({ ...FORM, ...fields })) {
        if (!/stacking|muted/.test(name)) expect([name, field(answer, name)]).toEqual([name, text]);
      }
    });

    it('with mentions, as they are copied from a chat', async () => {
      const lists = { no_xp_roles: '<@&1> <@&2>', no_xp_channels: '<#3>', role_multipliers: '<@&4> 2' };
      await save({ ...lists, channel_multipliers: '<#5> 3', rewards: '5 <@&6>' });
      expect(JSON.parse((await config('rules')) ?? '')).toMatchObject({
        no_xp: { roles: ['1', '2'], channels: ['3'] },
        multipliers: { roles: { 4: 2 }, channels: { 5: 3 } },
        rewards: [{ level: 5, role: '6' }],
      });
    });

    it('as JSON, checked by the same parser, and removes them', async () => {
      const sendJson = (json: string) => send('/json', { json });
      const bad = await sendJson('{"message":{"xp":-1}}');
      expect([bad.status, await config('rules')]).toEqual([400, null]);
      expect(alert(bad)).toContain('message.xp must be');
      expect(field(bad, 'json')).toBe('{"message":{"xp":-1}}');
      expect((await sendJson('{')).text).toContain('The rules are no valid JSON');
      const deep = await sendJson(`${'['.repeat(15_000)}${']'.repeat(15_000)}`);
      expect([deep.status, alert(deep)]).toEqual([
        400,
        'The text is nested deeper than 100 levels: these are no rules.',
      ]);
      // Lists of rewards take most room in the form.
      const rewards = Array.from({ length: 700 }, () => ({ level: 1, role: '1' }));
      await sendJson(JSON.stringify({ rewards }));
      expect((await sendJson(field(await owner.get(RULES), 'json'))).status).toBe(303);
      expect(JSON.parse((await config('rules')) ?? '')).toEqual({ rewards });
      expect(alert(await sendJson(JSON.stringify({ rewards: [...rewards, ...rewards] })))).toContain(
        'the most is 16384',
      );
      await send('/remove', {});
      expect(await config('rules')).toBeNull();
    });

    it('over stored ones that do not work, which it sees', async () => {
      await dashboard.store.client.hset('gr:{own}:config', 'rules', '{"message":5}');
      const page = await owner.get(RULES);
      expect(alert(page)).toContain('The stored rules do not work: message must be an object');
      expect(field(page, 'json')).toBe('{"message":5}');
    });

    const upload = async (content: string | Buffer) => {
      const body = new FormData();
      body.set('_token', await owner.tokenOf(RULES));
      body.set('file', new Blob([content]), 'rules <b>.json');
      return owner.request('POST', `${RULES}/file`, { origin: dashboard.url }, body);
    };
    const fixture = (name: string) => readFileSync(new URL(`../fixtures/imports/${name}`, import.meta.url));

    it('of the export of another bot, which are shown first', async () => {
      const answer = await upload(gzipSync(fixture('polaris-rules.json')));
      expect([answer.status, await config('rules')]).toEqual([200, null]);
      expect(notice(answer)).toContain('This is what rules &lt;b&gt;.json has. Nothing is saved yet');
      expect(notice(answer)).toContain('noSync has no equal here');
      expect([field(answer, 'message_min'), field(answer, 'cooldown_s')]).toEqual(['20', '45.5']);
      expect(field(answer, 'rewards')).toBe('5 200000000000000003\n10 200000000000000004 replaced');
      expect(field(await upload(fixture('lurkr-rules.json')), 'role_multipliers')).toContain('200000000000000001 2');
    });

    it.each([
      ['', FORM],
      ['/json', { json: '{"message":{"xp":8}}' }],
      ['/remove', {}],
    ])(
      'from %s a page that is older than the stored ones: keeps both, and the second time knowingly',
      async (path, fields) => {
        const version = field(await owner.get(RULES), 'version');
        await save({ cooldown_s: '7' });
        const present = await config('rules');
        const late = await owner.submit(RULES, RULES + path, { version, ...fields });
        expect([late.status, await config('rules')]).toEqual([409, present]);
        expect(alert(late)).toContain('The rules were changed meanwhile, and nothing was saved.');
        expect(late.text).toContain(`<a href="${RULES}">Load the present rules</a>`);
        expect(field(late, 'json')).toBe(
          Object.hasOwn(fields, 'json') ? '{"message":{"xp":8}}' : field(await owner.get(RULES), 'json'),
        );
        if (path === '') expect(field(late, 'cooldown_s')).toBe(FORM.cooldown_s);
        const again = { version: field(late, 'version'), ...fields };
        expect((await owner.submit(RULES, RULES + path, again)).status).toBe(303);
        expect(await config('rules')).not.toBe(present);
      },
    );

    it('twice at once: the same, or one of two', async () => {
      const [version, _token] = [field(await owner.get(RULES), 'version'), await owner.tokenOf(RULES)];
      const post = (fields: object) => owner.post(RULES, { version, _token, ...FORM, ...fields });
      const statuses = async (...sent: object[]) =>
        (await Promise.all(sent.map(post))).map(({ status }) => status).sort();
      expect(await statuses({}, {})).toEqual([303, 303]);
      await send('/remove', {});
      expect(await statuses({ cooldown_s: '7' }, { cooldown_s: '8' })).toEqual([303, 409]);
    });

    it('of a file from a page that is older than the stored ones: keeps both', async () => {
      const shown = await upload('{"message":{"xp":3}}');
      await save({});
      const late = await owner.submit(RULES, `${RULES}/json`, {
        version: field(shown, 'version'),
        json: field(shown, 'json'),
      });
      expect([late.status, JSON.parse(field(late, 'json'))]).toEqual([409, { message: { xp: 3 } }]);
    });

    it.each([
      ['', 'Choose a file that is not empty.'],
      ['{', 'The file is not valid JSON'],
      ['{"xp":1}', 'xp is no field of the rules'],
      [`{"rewards":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, 'The file is nested deeper than 100 levels'],
      [`{"rewards":[${'{},'.repeat(1e6)}{}]}`, 'The file has more than 1 MiB beside members'],
      [gzipSync('['.repeat(9 << 20)), 'The file is nested deeper than 100 levels'],
    ])('of a file that has none: says what is wrong', async (content, message) => {
      const answer = await upload(content);
      expect([answer.status, await config('rules')]).toEqual([400, null]);
      expect(alert(answer)).toContain(message);
    });
  });

  it('sees the public page in the settings once it is on', async () => {
    expect((await owner.get(SETTINGS)).text).toContain('Show the page, and its preview is here.');
    await dashboard.store.guildConfig.update('own', { publicPage: true });
    const { text, headers } = await owner.get(SETTINGS);
    expect(text).toContain('<iframe class="page-preview" src="http://127.0.0.1:8080/g/own" title=');
    expect(headers.get('content-security-policy')).toContain('; frame-src http://127.0.0.1:8080');
  });

  describe('chooses the look of the public page', () => {
    const save = (fields: Record<string, string>) => owner.submit(SETTINGS, `${SETTINGS}/public-page`, fields);
    const none = { page_accent: '', page_accent_dark: '', page_background: '', page_background_dark: '' };
    const look = {
      ...{ page_accent: '#0f766e', page_accent_dark: '#5EEAD4', page_background: '#ecfdf5', page_background_dark: '' },
      page_picture: 'https://cdn.example/icon.png?a=1&b=2',
    };
    const stored = () => Promise.all(['public_page', 'page_title', ...Object.keys(look)].map(config));

    it('which the form shows again, and takes it back', async () => {
      const saved = await save({ public: 'on', title: 'The Den', ...look, page_background: ' #ecfdf5 ' });
      expect(notice(await follow(saved))).toBe('Saved.');
      expect(await stored()).toEqual(['on', 'The Den', '#0f766e', '#5EEAD4', '#ecfdf5', null, look.page_picture]);
      const page = await owner.get(SETTINGS);
      for (const [name, text] of Object.entries(look)) expect(field(page, name)).toBe(text);
      expect((await owner.get('/guilds/own/activity')).text).toContain(
        'Switched the public page on, with the title The Den, accent #0f766e, accent dark #5EEAD4, background #ecfdf5, picture https',
      );
      await save({ title: '', ...none, page_picture: '' });
      expect(await stored()).toEqual(Array(7).fill(null));
    });

    it.each([
      [{ page_accent: 'teal' }, 'The accent of the public page is a colour such as #4f46e5, or empty.'],
      [{ page_background_dark: '#fff' }, 'The dark background of the public page is a colour'],
      [{ page_picture: 'http://cdn.example/icon.png' }, 'The picture of the public page is an https address'],
      [{ page_picture: 'https://cdn.example/"><b>' }, 'The picture of the public page is an https address'],
      [{ title: 'x'.repeat(101) }, 'The title of the public page has 100 characters at most'],
    ])('with %o in a field: the form stays, and nothing is stored', async (wrong, message) => {
      const sent = { title: 'The Den', ...look, ...wrong };
      const answer = await save({ public: 'on', ...sent });
      expect([answer.status, ...(await stored())]).toEqual([400, ...Array(7).fill(null)]);
      expect(alert(answer)).toContain(message);
      for (const [name, text] of Object.entries(sent)) expect(field(answer, name)).toBe(text);
      expect(answer.text).toMatch(/name="public" checked/);
      expect((await owner.get('/guilds/own/activity')).text).not.toContain('public page');
    });
  });

  describe('sees the members', () => {
    const members = (query = '') => owner.get(`/guilds/own/members${query}`);
    const ids = ({ text }: Answer) => [...text.matchAll(/members\?id=(\w+)/g)].map(([, id]) => id);
    beforeEach(async () => {
      const all = Array.from({ length: 120 }, (_, n) => ({ userId: `m${n}`, set: 1000 - n }));
      await dashboard.store.writer.recordMany('own', all);
    });

    it('by pages of fifty, the last one for a page past the end', async () => {
      const second = await members('?page=2');
      expect(ids(second)).toEqual(Array.from({ length: 50 }, (_, n) => `m${50 + n}`));
      expect(second.text).toMatch(/Page .*value="2".* of 3/s);
      expect(second.text).toMatch(/href="\/guilds\/own\/members\?page=1">Previous.*page=3">Next/s);
      for (const page of ['3', '4', '9007199254740991']) expect(ids(await members(`?page=${page}`))).toHaveLength(20);
      for (const page of ['0', '-1', '1.5', 'x', '1e99']) expect(ids(await members(`?page=${page}`))[0]).toBe('m0');
      expect(second.text).toContain('href="/guilds/own/members/hide?id=m50"');
      expect(second.text).toContain('href="/guilds/own/members/remove?id=m50"');
    });

    it('who are hidden, with the reasons, apart', async () => {
      await dashboard.store.writer.hide('own', ['m1', 'm7']);
      await dashboard.store.writer.hide('own', ['m7'], { reason: 'self' });
      expect(ids(await members())).not.toContain('m7');
      const hidden = await members('?list=hidden');
      expect(ids(hidden)).toEqual(['m1', 'm7']);
      expect(hidden.text).toContain('wants to be hidden, hidden by a moderator');
      expect(hidden.text).toContain('Ranked (118)');
      expect(hidden.text).toContain('href="/guilds/own/members/unhide?id=m7"');
    });
  });

  describe('sees who is signed in', () => {
    const listed = ({ text }: Answer) =>
      [...text.matchAll(/<code>([0-9a-f]{8})<\/code><\/th>.*?data-label="User id of the link">.*?>(.*?)</gs)].map(
        ([, id = '', user]) => ({ id, user }),
      );

    it('and ends one session, as the operator does', async () => {
      const [second, third] = [await dashboard.signIn('own', 'u2'), await dashboard.signIn('own')];
      await dashboard.signIn('other', 'u9');
      const operator = await dashboard.signIn(null);
      const page = await owner.get(SETTINGS);
      expect(listed(page).map(({ user }) => user)).toEqual(['none named', 'u2', 'u1']);
      expect(page.text.match(/this session/g)).toHaveLength(1);
      const idOf = (user: string) => listed(page).find((each) => each.user === user)?.id ?? '';
      const end = (by: Visitor, id: string) => by.submit(SETTINGS, `${SETTINGS}/sessions/end`, { id });
      expect(notice(await follow(await end(owner, idOf('u2'))))).toBe('The session has ended.');
      expect((await second.get('/guilds/own')).status).toBe(401);
      expect(notice(await follow(await end(owner, idOf('u2'))))).toBe('That session had ended already.');
      expect(listed(await operator.get(SETTINGS))).toHaveLength(2);
      await end(operator, idOf('none named'));
      expect((await third.get('/guilds/own')).status).toBe(401);
      expect((await owner.get('/guilds/own/activity')).text).toContain(`Ended the session ${idOf('u2')} of u2`);
    });

    it('and ends one once, with one entry, by a form that is sent twice', async () => {
      await dashboard.signIn('own', 'u2');
      const [{ id = '' } = {}] = listed(await owner.get(SETTINGS)).filter(({ user }) => user === 'u2');
      const _token = await owner.tokenOf(SETTINGS);
      const end = () => owner.post(`${SETTINGS}/sessions/end`, { _token, id });
      const notices = (await Promise.all([end(), end()])).map(({ headers }) => headers.get('location')?.split('=')[1]);
      expect(notices.sort()).toEqual(['no-session', 'session']);
      const { text } = await owner.get('/guilds/own/activity');
      expect(text.match(/Ended the session [0-9a-f]+ of u2<\/bdi>( \(\d)?/g)).toEqual([
        `Ended the session ${id} of u2</bdi>`,
      ]);
    });

    it('without those that ended, in whatever way', async () => {
      const [out, over] = [await dashboard.signIn('own'), await dashboard.signIn('own')];
      await out.submit('/guilds/own', '/sign-out', {});
      // A sign-in over a session that runs ends that one.
      await over.signIn(await dashboard.link('own', 'u2'));
      expect(listed(await owner.get(SETTINGS)).map(({ user }) => user)).toEqual(['u2', 'u1']);
      expect(await dashboard.store.client.zcard('gr:sessions:{own}')).toBe(2);
      await over.submit('/guilds/own', '/sign-out-everywhere', {});
      expect(await dashboard.store.client.exists('gr:sessions:{own}')).toBe(0);
      const next = await dashboard.signIn('own', 'u3');
      expect(listed(await next.get(SETTINGS)).map(({ user }) => user)).toEqual(['u3']);
      expect(await dashboard.store.client.ttl('gr:sessions:{own}')).toBeGreaterThan(11 * 3600);
    });

    it('but not the operators, who see and end their own', async () => {
      const [operator, other] = [await dashboard.signIn(null), await dashboard.signIn(null)];
      const all = listed(await operator.get('/operator'));
      expect(all).toHaveLength(2);
      const { id } = all[0] ?? { id: '' };
      expect((await owner.submit(SETTINGS, '/operator/sessions/end', { id })).status).toBe(404);
      await operator.submit('/operator', '/operator/sessions/end', { id });
      expect((await other.get('/operator')).status).toBe(401);
      expect(dashboard.logText()).toContain(`Ended the session ${id}`);
    });
  });
});
