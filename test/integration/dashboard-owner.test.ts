import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { RefusedError } from '../../src/core/errors.ts';
import { NameSearch } from '../../src/core/reads/name-search.ts';
import { type Answer, startTestDashboard, type TestDashboard, type Visitor } from '../support/dashboard.ts';
import { needs } from '../support/needs.ts';

const BOARDS = '/guilds/own/settings/boards';
const PUBLIC_PAGE = '/guilds/own/settings/public-page';
const ACCESS = '/guilds/own/settings/access';
const END_SESSION = '/guilds/own/settings/sessions/end';

describe('an owner in the dashboard', needs('redis-server'), () => {
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
  const notice = ({ text }: Answer) => /role="status".*?<p>(.*?)<\/p>/s.exec(text)?.[1];
  /** Returns what the page says beside a field, and whether the field is marked and has the focus. */
  const errorBeside = ({ text }: Answer, name: string) => {
    const [, attributes = ''] = new RegExp(`<(?:input|select)([^>]* name="${name}"[^>]*)>`).exec(text) ?? [];
    const [, id] = /aria-describedby="[^"]*?([\w-]+-error)"/.exec(attributes) ?? [];
    const isMarked = attributes.includes('aria-invalid="true"') && attributes.includes('autofocus');
    return isMarked && new RegExp(`<p class="error" id="${id}">(.*?)</p>`).exec(text)?.[1];
  };
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

  it('an owner sees beside each level curve whose levels it counts and the XP of levels 10 and 50, and is told to enter the numbers of a custom curve', async () => {
    const CURVE = '/guilds/own/settings/curve';
    const rows = async () =>
      [...(await owner.get(CURVE)).text.matchAll(/<tr><th scope="row">.*?<\/tr>/gs)].map(([row]) =>
        [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/g)].map(([, text]) => text),
      );
    const named = [
      ['standard', 'the levels of MEE6', '4,675 XP', '268,375 XP'],
      ['amari', 'the levels of Amari', '1,655 XP', '48,055 XP'],
      ['lurkr', 'the levels of Lurkr', '4,150 XP', '120,150 XP'],
      ['polaris', 'the levels of Polaris', '7,000 XP', '255,000 XP'],
      ['arcane', 'the levels of Arcane', '5,250 XP', '126,250 XP'],
    ];
    const custom = ['custom', 'a formula with numbers of your own'];
    expect(await rows()).toEqual([...named, [...custom, '–', '–']]);
    await dashboard.store.guildConfig.update('own', { xpCurve: 'custom=0,0,50,0,1,1,40' });
    expect(await rows()).toEqual([...named, [...custom, '500 XP', '–']]);
    const empty = await owner.submit(CURVE, `${CURVE}/preview`, { curve: 'custom', custom: '' });
    expect(errorBeside(empty, 'custom')).toBe('Enter the six numbers of your curve, such as 0,0,50,0,1,1.');
    for (const path of [CURVE, '/guilds/own/import'])
      expect((await owner.get(path)).text).toContain('>standard, as in MEE6</option>');
  });

  describe('pictures of members', () => {
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
      owner.submit(PUBLIC_PAGE, PUBLIC_PAGE, { title: '', index: 'leaderboard', ...look, ...fields });
    const shown = async (path: string) => {
      const { text, headers } = await owner.get(`/guilds/own/members${path}`);
      const [, hosts] = /img-src ([^;]*);/.exec(headers.get('content-security-policy') ?? '') ?? [];
      return { pictures: [...text.matchAll(/<img src="(https:[^"]+)"/g)].map(([, src]) => src), hosts };
    };

    it('the lists and the page of a member show pictures once the owner has chosen them, and the policy names their host only then', async () => {
      await dashboard.store.writer.recordMany('own', [
        { userId: '1', set: 30, avatar: hash },
        { userId: '2', set: 20 },
        { userId: '3', set: 10, avatar: hash },
      ]);
      await dashboard.store.writer.hide('own', ['3']);
      expect(await shown('')).toEqual({ pictures: [], hosts: "'self' data:" });
      await choose({ avatars: 'on' });
      expect(await config('avatars')).toBe('1');
      expect((await owner.get(PUBLIC_PAGE)).text).toContain('name="avatars" checked');
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

  describe('the boards of the owner', () => {
    const save = (fields: Record<string, string>) => owner.submit(BOARDS, BOARDS, fields);

    it('an owner sets the boards and their time zone, sees them on the page, and switches the boards off', async () => {
      expect(field(await owner.get(BOARDS), 'clock')).toBe('UTC');
      expect((await save({ week: 'on', month: 'on', clock: ' asia/kathmandu' })).status).toBe(303);
      expect([await config('boards'), await config('utc_offset_minutes')]).toEqual(['week,month', null]);
      expect(await config('utc_offsets')).toBe('345');
      const page = await owner.get(BOARDS);
      expect(field(page, 'clock')).toBe(await config('time_zone'));
      expect(page.text).toContain('<option value="Europe/Berlin"></option>');
      expect(page.text.match(/name="(week|month)" checked/g)).toHaveLength(2);
      expect(page.text).toMatch(
        /this week \(\w{3} \d+[^<]+ · \d days? left\)\..*this month \(\w{3} 1\s–\s\d\d · \d+ days? left\)\./s,
      );
      await owner.submit(BOARDS, `${BOARDS}?confirm=Turn+off+both+boards%3F`, { clock: 'UTC' });
      expect(await config('boards')).toBeNull();
    });

    it.each([
      ['UTC+05:30', '330'],
      ['utc-3', '-180'],
      ['UTC+14:00', '840'],
    ])('an owner may give the clock of the boards as the offset %s', async (clock, minutes) => {
      await save({ week: 'on', clock: 'Europe/Berlin' });
      expect((await save({ week: 'on', clock })).status).toBe(303);
      expect([await config('utc_offset_minutes'), await config('time_zone')]).toEqual([minutes, null]);
      expect(await config('utc_offsets')).toBeNull();
      expect(field(await owner.get(BOARDS), 'clock')).toMatch(/^UTC[+-]\d\d:\d\d$/);
    });

    it.each([
      ['UTC+15:00', 'from -720 to 840 (UTC-12:00 to UTC+14:00)'],
      ['Europe/Berln', 'There is no time zone "Europe/Berln": give an IANA name such as Europe/Berlin, or UTC'],
      ['+01:00', 'There is no time zone "+01:00"'],
    ])('the wrong clock %s gets 400, changes nothing, and the boxes stay as they were sent', async (clock, problem) => {
      const answer = await save({ month: 'on', clock });
      expect(answer.status).toBe(400);
      expect(alert(answer)?.replaceAll('&quot;', '"')).toContain(problem);
      expect(String(errorBeside(answer, 'clock')).replaceAll('&quot;', '"')).toContain(problem);
      expect(field(answer, 'clock')).toBe(clock);
      expect(answer.text).toMatch(/name="month" checked/);
      expect(answer.text).not.toMatch(/name="week" checked/);
      expect(await config('boards')).toBeNull();
    });
  });

  it('an owner sees a preview of the public page once the page is on', async () => {
    expect((await owner.get(PUBLIC_PAGE)).text).toContain('Turn the page on and save it, and you see it here.');
    await dashboard.store.guildConfig.update('own', { publicPage: true });
    const { text, headers } = await owner.get(PUBLIC_PAGE);
    expect(text).toContain('<iframe class="page-preview" src="http://127.0.0.1:8080/g/own" title=');
    expect(headers.get('content-security-policy')).toContain('; frame-src http://127.0.0.1:8080');
  });

  describe('the look of the public page', () => {
    const save = (fields: Record<string, string>) => owner.submit(PUBLIC_PAGE, PUBLIC_PAGE, fields);
    const none = { page_accent: '', page_accent_dark: '', page_background: '', page_background_dark: '' };
    const look = {
      ...{ page_accent: '#0f766e', page_accent_dark: '#5EEAD4', page_background: '#ecfdf5', page_background_dark: '' },
      page_picture: 'https://cdn.example/icon.png?a=1&b=2',
    };
    const stored = () => Promise.all(['public_page', 'page_title', ...Object.keys(look)].map(config));

    it('an owner saves the look of the public page, sees it in the form, and takes it back', async () => {
      const saved = await save({
        public: 'on',
        rewards: 'on',
        title: 'The Den',
        ...look,
        page_background: ' #ecfdf5 ',
      });
      expect(saved.headers.get('location')).toBe(`${PUBLIC_PAGE}?saved=1`);
      expect(notice(await follow(saved))).toBe('Your public page is saved.');
      expect(await stored()).toEqual(['on', 'The Den', '#0f766e', '#5EEAD4', '#ecfdf5', null, look.page_picture]);
      const page = await owner.get(PUBLIC_PAGE);
      for (const [name, text] of Object.entries(look)) expect(field(page, name)).toBe(text);
      expect((await owner.get('/guilds/own/activity')).text).toContain(
        'Switched the public page on, with the title The Den, accent #0f766e, accent dark #5EEAD4, background #ecfdf5, picture https',
      );
      const kept = () => Promise.all(['page_index', 'page_rewards'].map(config));
      expect(await kept()).toEqual([null, null]);
      await save({ public: 'on', title: 'The Den', ...look, index: 'none' });
      expect(await kept()).toEqual(['none', 'off']);
      expect((await owner.get('/guilds/own/activity')).text).toContain('search engines listing none, no rewards');
      const answer = `${PUBLIC_PAGE}?confirm=Turn+off+the+public+page%3F`;
      await owner.submit(PUBLIC_PAGE, answer, { title: '', rewards: 'on', ...none, page_picture: '' });
      expect(await kept()).toEqual([null, null]);
      expect(await stored()).toEqual(Array(7).fill(null));
    });

    it.each([
      [{ page_accent: 'teal' }, 'The accent of the public page is a colour such as #4f46e5, or empty.'],
      [{ page_background_dark: '#fff' }, 'The dark background of the public page is a colour'],
      [{ page_picture: 'http://cdn.example/icon.png' }, 'The picture of the public page is an https address'],
      [{ page_picture: 'https://cdn.example/"><b>' }, 'The picture of the public page is an https address'],
      [{ title: 'x'.repeat(101) }, 'The title of the public page has 100 characters at most'],
    ])('a form with %o gets 400, keeps its input and stores nothing', async (wrong, message) => {
      const sent = { title: 'The Den', ...look, ...wrong };
      const answer = await save({ public: 'on', ...sent });
      expect([answer.status, ...(await stored())]).toEqual([400, ...Array(7).fill(null)]);
      expect(alert(answer)).toContain(message);
      expect(errorBeside(answer, Object.keys(wrong)[0] ?? '')).toContain(message.replace(/\.$/, ''));
      for (const [name, text] of Object.entries(sent)) expect(field(answer, name)).toBe(text);
      expect(answer.text).toMatch(/name="public" checked/);
      expect((await owner.get('/guilds/own/activity')).text).not.toContain('public page');
    });
  });

  describe('lists of members', () => {
    const members = (query = '') => owner.get(`/guilds/own/members${query}`);
    const ids = ({ text }: Answer) => [...text.matchAll(/members\?id=(\w+)/g)].map(([, id]) => id);
    beforeEach(async () => {
      const all = Array.from({ length: 120 }, (_, n) => ({ userId: `m${n}`, set: 1000 - n }));
      await dashboard.store.writer.recordMany('own', all);
    });

    it('an owner sees the members in pages of fifty, and the last page in place of a page past the end', async () => {
      const second = await members('?page=2');
      expect(ids(second)).toEqual(Array.from({ length: 50 }, (_, n) => `m${50 + n}`));
      expect(second.text).toMatch(/51 – 100 of 120.*Page .*value="2".* of 3/s);
      expect(second.text).toMatch(/href="\/guilds\/own\/members\?page=1">.*Previous.*page=3">.*Next/s);
      for (const page of ['3', '4', '9007199254740991']) expect(ids(await members(`?page=${page}`))).toHaveLength(20);
      for (const page of ['0', '-1', '1.5', 'x', '1e99']) expect(ids(await members(`?page=${page}`))[0]).toBe('m0');
      const member = await members('?id=m50');
      expect(member.text).toContain('href="/guilds/own/members/hide?id=m50"');
      expect(member.text).toContain('href="/guilds/own/members/remove?id=m50"');
    });

    it('an owner sees hidden members apart, with the reasons', async () => {
      await dashboard.store.writer.hide('own', ['m1', 'm7']);
      await dashboard.store.writer.hide('own', ['m7'], { reason: 'self' });
      expect(ids(await members())).not.toContain('m7');
      const hidden = await members('?list=hidden');
      expect(ids(hidden)).toEqual(['m1', 'm7']);
      expect(hidden.text).toContain('wants to be hidden, hidden by a moderator');
      expect(hidden.text).toContain('118 members with XP, 2 hidden');
      expect((await members('?id=m7')).text).toContain('href="/guilds/own/members/unhide?id=m7"');
    });
  });

  describe('searches for members', () => {
    const find = (text: string) => owner.get(`/guilds/own/members?find=${encodeURIComponent(text)}`);
    const ids = ({ text }: Answer) => [...text.matchAll(/members\?id=([\w.]+)/g)].map(([, id]) => id);
    afterEach(() => vi.restoreAllMocks());

    it('an owner finds members by a part of the name and a hidden member by its id, and a single result opens at once', async () => {
      const record = (userId: string, username: string, set: number) => ({ userId, set, username });
      await dashboard.store.writer.recordMany('own', [
        record('a', 'Séñor <b>Raven', 300),
        record('b', 'raven', 200),
        record('c', 'Owl', 100),
        record('..', 'Dotty', 50),
        record('gone', 'Raven too', 400),
      ]);
      await dashboard.store.writer.hide('own', ['gone']);
      const found = await find(' RAVEN ');
      expect(found.status).toBe(200);
      expect(ids(found)).toEqual(['a', 'b']);
      expect(found.text).toContain('Séñor &lt;b&gt;Raven');
      expect(found.text).toContain('value="RAVEN"');
      for (const [text, userId] of [
        ['senor', 'a'],
        ['dotty', '..'],
        ['gone', 'gone'],
      ] as const) {
        const { status, headers } = await find(text);
        expect([status, headers.get('location')]).toEqual([303, `/guilds/own/members?id=${userId}`]);
      }
      const nobody = await find('<b>nobody');
      expect(nobody.status).toBe(404);
      expect(nobody.text).toContain('Nobody in the ranking has this name or id');
      expect(nobody.text).toContain('value="&lt;b&gt;nobody"');
    });

    it('a search that is not possible says why', async () => {
      const unseen = await find('\u0301');
      const told = 'Enter a name or an id with 1 to 100 characters that can be seen.';
      expect([unseen.status, alert(unseen)]).toEqual([400, told]);
      const search = vi.spyOn(NameSearch.prototype, 'find');
      search.mockRejectedValueOnce(new RefusedError('search_busy', { guild: 'own', seconds: 9 }));
      const busy = await find('raven');
      expect([busy.status, busy.headers.get('retry-after')]).toEqual([503, '9']);
      expect(busy.text).toContain('The names of this server cannot be searched yet: try again in 9 s.');
      await dashboard.store.writer.record('own', { userId: 'a', set: 5 });
      search.mockRejectedValueOnce(new RefusedError('search_too_large', { guild: 'own' }));
      const tooMany = await find('raven');
      expect(tooMany.text).toContain('This server has too many names to search them: enter a user id.');
      // The owner can search again where the search was refused.
      expect([tooMany.status, tooMany.text.includes('type="search" name="find"')]).toEqual([400, true]);
    });

    it.each([
      ['too many names', new RefusedError('search_too_large', { guild: 'own' })],
      ['names that cannot be searched yet', new RefusedError('search_busy', { guild: 'own', seconds: 9 })],
    ])(
      'an owner finds a hidden member by its id when the search by name is refused because of %s',
      async (_reason, refusal) => {
        await dashboard.store.writer.record('own', { userId: 'gone', set: 400, username: 'Raven' });
        await dashboard.store.writer.hide('own', ['gone']);
        vi.spyOn(NameSearch.prototype, 'find').mockRejectedValueOnce(refusal);
        const { status, headers } = await find('gone');
        expect([status, headers.get('location')]).toEqual([303, '/guilds/own/members?id=gone']);
      },
    );
  });

  describe('the list of sessions', () => {
    const LINK = 'Signed in by a link';
    const listed = ({ text }: Answer) =>
      [...text.matchAll(/<span class="name">(.*?)<\/span>.*?<code>([0-9a-f]{8})<\/code>/gs)].map(
        ([, who = '', id = '']) => ({ id, user: who.replace(/<[^>]+>/g, '').trim() }),
      );

    it('an owner ends a single session, as the operator does', async () => {
      const second = await dashboard.signIn('own', 'u2');
      const third = await dashboard.signIn('own');
      await dashboard.signIn('other', 'u9');
      const operator = await dashboard.signIn(null);
      const page = await owner.get(ACCESS);
      expect(listed(page).map(({ user }) => user)).toEqual([LINK, `${LINK} for u2`, `${LINK} for u1`]);
      expect(page.text.match(/This session/g)).toHaveLength(1);
      const idOf = (user: string) => listed(page).find((each) => each.user === user)?.id ?? '';
      const ofSecond = idOf(`${LINK} for u2`);
      const end = (by: Visitor, id: string) => by.submit(ACCESS, END_SESSION, { id });
      expect(notice(await follow(await end(owner, ofSecond)))).toBe('The session has ended.');
      expect((await second.get('/guilds/own')).status).toBe(401);
      expect(notice(await follow(await end(owner, ofSecond)))).toBe('That session had ended already.');
      expect(listed(await operator.get(ACCESS))).toHaveLength(2);
      await end(operator, idOf(LINK));
      expect((await third.get('/guilds/own')).status).toBe(401);
      expect((await owner.get('/guilds/own/activity')).text).toContain(`Ended the session ${ofSecond} of u2`);
    });

    it('a form that is sent twice ends the session once and writes one entry', async () => {
      await dashboard.signIn('own', 'u2');
      const [{ id = '' } = {}] = listed(await owner.get(ACCESS)).filter(({ user }) => user.endsWith('u2'));
      const _token = await owner.tokenOf(ACCESS);
      const end = () => owner.post(END_SESSION, { _token, id });
      const notices = (await Promise.all([end(), end()])).map(({ headers }) => headers.get('location')?.split('=')[1]);
      expect(notices.sort()).toEqual(['no-session', 'session']);
      const { text } = await owner.get('/guilds/own/activity');
      expect(text.match(/Ended the session [0-9a-f]+ of u2<\/bdi>( \(\d)?/g)).toEqual([
        `Ended the session ${id} of u2</bdi>`,
      ]);
    });

    it('the list leaves out sessions that have ended, in whatever way', async () => {
      const out = await dashboard.signIn('own');
      const over = await dashboard.signIn('own');
      await out.submit('/guilds/own', '/sign-out', {});
      // A sign-in over a session that runs ends that one.
      await over.signIn(await dashboard.link('own', 'u2'));
      expect(listed(await owner.get(ACCESS)).map(({ user }) => user)).toEqual([`${LINK} for u2`, `${LINK} for u1`]);
      expect(await dashboard.store.client.zcard('gr:sessions:{own}')).toBe(2);
      await over.submit('/guilds/own', '/guilds/own/settings/sign-out', {});
      expect(await dashboard.store.client.exists('gr:sessions:{own}')).toBe(0);
      const next = await dashboard.signIn('own', 'u3');
      expect(listed(await next.get(ACCESS)).map(({ user }) => user)).toEqual([`${LINK} for u3`]);
      expect(await dashboard.store.client.ttl('gr:sessions:{own}')).toBeGreaterThan(11 * 3600);
    });

    it('the list of an owner leaves out the sessions of operators, which operators see and end themselves', async () => {
      const operator = await dashboard.signIn(null);
      const other = await dashboard.signIn(null);
      const all = listed(await operator.get('/operator'));
      expect(all).toHaveLength(2);
      const { id } = all[0] ?? { id: '' };
      expect((await owner.submit(ACCESS, '/operator/sessions/end', { id })).status).toBe(404);
      await operator.submit('/operator', '/operator/sessions/end', { id });
      expect((await other.get('/operator')).status).toBe(401);
      expect(dashboard.logText()).toContain(`Ended the session ${id}`);
    });
  });
});
