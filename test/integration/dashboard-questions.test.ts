import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Answer,
  type FormFields,
  startTestDashboard,
  type TestDashboard,
  type Visitor,
} from '../support/dashboard.ts';
import { needs } from '../support/needs.ts';

const BOARDS = '/guilds/own/settings/boards';
const PUBLIC_PAGE = '/guilds/own/settings/public-page';
const JSON_PAGE = '/guilds/own/settings/rules/json';
const ACCESS = '/guilds/own/settings/access';

describe('questions before something is deleted or ends', needs('redis-server'), () => {
  let dashboard: TestDashboard;
  let owner: Visitor;
  beforeAll(async () => {
    dashboard = await startTestDashboard({ PUBLIC_PAGES: '1' });
  });
  afterAll(() => dashboard?.close());
  beforeEach(async () => {
    await dashboard.store.client.flushall();
    owner = await dashboard.signIn('own', 'u1');
  });

  const config = (field: string) => dashboard.store.client.hget('gr:{own}:config', field);
  const title = ({ text }: Answer) => /<h1>(.*?)<\/h1>/.exec(text)?.[1];
  const main = ({ text }: Answer) => (/<main.*?<\/main>/s.exec(text)?.[0] ?? '').replace(/<[^>]+>/g, ' ');
  const plain = (text: string) =>
    text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
  /** Presses the button of the only form on a page. */
  const press = ({ text }: Answer) => {
    const [, action = '', content = ''] = /<main.*?<form method="post" action="(.*?)">(.*?)<\/form>/s.exec(text) ?? [];
    const fields: Record<string, string[]> = {};
    for (const [, name = '', value = ''] of content.matchAll(/name="([^"]*)" value="([^"]*)"/g))
      fields[name] = [...(fields[name] ?? []), plain(value)];
    return owner.post(plain(action), fields);
  };
  /** Sends a form whose question is asked, expects that nothing has changed, answers it, and returns the question. */
  const expectQuestion = async (page: string, path: string, fields: FormFields, state: () => Promise<unknown>) => {
    const before = await state();
    const question = await owner.submit(page, path, fields);
    expect([question.status, await state()]).toEqual([200, before]);
    expect((await press(question)).status).toBe(303);
    return question;
  };

  it('the form of boards asks before a board is turned off, says which rankings are deleted, and saves the whole form after the answer', async () => {
    await dashboard.store.guildConfig.update('own', { boards: ['week', 'month'] });
    await dashboard.store.writer.recordMany('own', [
      { userId: 'a', add: 70 },
      { userId: 'b', add: 30 },
    ]);
    const fields = { month: 'on', clock: 'Europe/Berlin' };
    const question = await expectQuestion(BOARDS, BOARDS, fields, () => config('boards'));
    expect(title(question)).toBe('Turn off the board of the week?');
    expect(main(question)).toContain(
      'This deletes the ranking of this week (2 members with 100 XP gained) and the ranking of the week before.',
    );
    expect(question.text).toContain(`href="${BOARDS}">Keep it</a>`);
    expect([await config('boards'), await config('time_zone')]).toEqual(['month', 'Europe/Berlin']);
  });

  it('the form of boards asks again when another board was turned on since the question', async () => {
    const { guildConfig } = dashboard.store;
    await guildConfig.update('own', { boards: ['week'] });
    const question = await owner.submit(BOARDS, BOARDS, { clock: 'UTC' });
    await guildConfig.update('own', { boards: ['week', 'month'] });
    const next = await press(question);
    expect([next.status, title(next), await config('boards')]).toEqual([200, 'Turn off both boards?', 'week,month']);
    expect((await press(next)).status).toBe(303);
    expect(await config('boards')).toBeNull();
  });

  it('the form of boards asks nothing when boards are added or stay', async () => {
    for (const fields of [{ week: 'on' }, { week: 'on' }, { week: 'on', month: 'on' }])
      expect((await owner.submit(BOARDS, BOARDS, { clock: 'UTC', ...fields })).status).toBe(303);
    const both = await owner.submit(BOARDS, BOARDS, { clock: 'UTC' });
    expect(title(both)).toBe('Turn off both boards?');
    expect(await config('boards')).toBe('week,month');
  });

  it('the form of the public page asks before the page is turned off, and says what stops', async () => {
    await dashboard.store.guildConfig.update('own', { publicPage: true });
    const look = { page_accent: '', page_accent_dark: '', page_background: '', page_background_dark: '' };
    const fields = { title: 'The "Den" <b>', index: 'none', page_picture: '', ...look };
    const question = await expectQuestion(PUBLIC_PAGE, PUBLIC_PAGE, fields, () => config('public_page'));
    expect(title(question)).toBe('Turn off the public page?');
    expect(main(question)).toContain('Visitors of http://127.0.0.1:8080/g/own find nothing there any more.');
    expect(await config('public_page')).not.toBe('on');
    expect(await config('page_title')).toBe('The "Den" <b>');
    expect((await owner.submit(PUBLIC_PAGE, PUBLIC_PAGE, fields)).status).toBe(303);
  });

  const RULES = {
    message: { xp: 5 },
    rewards: [{ level: 5, role: '1' }],
    no_xp: { roles: ['7'], channels: ['8', '9'] },
  };
  const version = async () => /name="version" value="(\w+)"/.exec((await owner.get(JSON_PAGE)).text)?.[1] ?? '';

  it('the form of rules asks before other rules take the place of the present rules, and shows the present rules to keep them', async () => {
    await dashboard.store.guildConfig.setRules('own', JSON.stringify(RULES));
    const json = '{"multipliers":{"roles":{"3":1.5}},\n"message":{"xp":7}}';
    const fields = { json, version: await version() };
    const question = await expectQuestion(JSON_PAGE, JSON_PAGE, fields, () => config('rules'));
    expect(title(question)).toBe('Replace all rules?');
    expect(main(question)).toContain(
      'The present rules have 1 reward, 0 multipliers, and 1 role and 2 channels without XP. The new rules have 0 rewards, 1 multiplier, and 0 roles and 0 channels without XP.',
    );
    expect(JSON.parse(plain(/<pre id="present".*?>(.*?)<\/pre>/s.exec(question.text)?.[1] ?? ''))).toEqual(RULES);
    expect(JSON.parse((await config('rules')) ?? '')).toEqual(JSON.parse(json));
    // The same again loses nothing.
    expect((await owner.submit(JSON_PAGE, JSON_PAGE, { json, version: await version() })).status).toBe(303);
  });

  it('a form of the largest size comes through its question, whose answer is the same form again', async () => {
    await dashboard.store.guildConfig.setRules('own', JSON.stringify(RULES));
    const fields = { json: '{"message":{"xp":7}}', version: await version(), _token: await owner.tokenOf(JSON_PAGE) };
    const largest = 96 * 1024;
    const room = largest - new URLSearchParams(fields).toString().length;
    const json = fields.json + ' '.repeat(room);
    expect(new URLSearchParams({ ...fields, json }).toString()).toHaveLength(largest);
    const question = await owner.post(JSON_PAGE, { ...fields, json });
    expect([question.status, title(question)]).toEqual([200, 'Replace all rules?']);
    expect((await press(question)).status).toBe(303);
    expect(JSON.parse((await config('rules')) ?? '')).toEqual({ message: { xp: 7 } });
  });

  it('the form of rules asks before the rules are removed', async () => {
    await dashboard.store.guildConfig.setRules('own', JSON.stringify(RULES));
    const remove = '/guilds/own/settings/rules/remove';
    const question = await expectQuestion(JSON_PAGE, remove, { version: await version() }, () => config('rules'));
    expect(title(question)).toBe('Remove all rules?');
    expect(await config('rules')).toBeNull();
  });

  it('the form of sessions asks before one session ends, says whose it is, and the question alone ends nothing', async () => {
    const other = await dashboard.signIn('own', 'u2');
    const listed = await owner.get(ACCESS);
    const [, path = ''] = /<a class="button tight" href="([^"]+)">End/.exec(listed.text) ?? [];
    const question = await owner.get(plain(path));
    expect(title(question)).toBe('End this session?');
    expect(main(question)).toMatch(/Signed in by a link for\s+u2.*is signed out of\s+own\s+at once/s);
    expect((await other.get('/guilds/own')).status).toBe(200);
    expect((await press(question)).status).toBe(303);
    expect((await other.get('/guilds/own')).status).toBe(401);
    expect((await owner.get(plain(path))).status).toBe(404);
  });

  it.each(['keys/ID/revoke', 'members/hide?id=a', 'members/remove?id=a', 'settings/sign-out'])(
    'the form at %s asks on a page of its own',
    async (path) => {
      const { apiKeys, writer } = dashboard.store;
      await writer.record('own', { userId: 'a', set: 5 });
      const { record } = await apiKeys.create('own', 'site', null);
      const question = await owner.get(`/guilds/own/${path.replace('ID', record.id)}`);
      expect([question.status, title(question)]).toEqual([200, expect.stringMatching(/\?$/)]);
      expect(main(question)).toMatch(/cannot undo|stays?\b/);
    },
  );

  it('the form of the level curve says before a change how to go back to the present curve', async () => {
    await dashboard.store.guildConfig.update('own', { xpCurve: 'custom=0,0,50,0,1,1' });
    const curve = '/guilds/own/settings/curve';
    const preview = await owner.submit(curve, `${curve}/preview`, { curve: 'lurkr', custom: '' });
    expect(main(preview).replace(/\s+/g, ' ')).toContain(
      'To go back, choose custom again, with the numbers 0,0,50,0,1,1 .',
    );
    expect(await config('xp_curve')).toBe('custom');
  });
});
