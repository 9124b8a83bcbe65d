import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Answer,
  type FormFields,
  startTestDashboard,
  type TestDashboard,
  type Visitor,
} from '../support/dashboard.ts';
import { needs } from '../support/needs.ts';

const RULES = '/guilds/own/settings/rules';
const REWARDS = `${RULES}/rewards`;
const MULTIPLIERS = `${RULES}/multipliers`;
const JSON_PAGE = `${RULES}/json`;

/** The forms of the three pages, filled in. */
const EARNING = {
  message_min: '5',
  message_max: '9',
  cooldown_s: '1.5',
  min_chars: '3',
  voice_min: '2',
  voice_max: '2',
  muted: 'on',
  no_xp_roles: 'r1, r2\r\nr3',
  no_xp_channels: '',
};
const REWARD_ROWS = {
  reward_level: ['5', '10', ''],
  reward_role: ['r6', 'r7', ''],
  reward_end: ['kept', 'replaced', 'kept'],
};
const MULTIPLIER_ROWS = {
  role: ['r4', 'r5', ''],
  role_multiplier: ['1.5', '0', ''],
  role_stacking: 'sum',
  stacking: 'product',
};

describe('pages of the rules', needs('redis-server'), () => {
  let dashboard: TestDashboard;
  let owner: Visitor;
  beforeAll(async () => {
    dashboard = await startTestDashboard();
  });
  afterAll(() => dashboard?.close());
  beforeEach(async () => {
    await dashboard.store.client.flushall();
    owner = await dashboard.signIn('own', 'u1');
  });

  const rules = () => dashboard.store.client.hget('gr:{own}:config', 'rules');
  const stored = async () => JSON.parse((await rules()) ?? 'null');
  const alert = ({ text }: Answer) => /role="alert".*?<p>(.*?)<\/p>/s.exec(text)?.[1];
  const notice = ({ text }: Answer) => /role="status".*?<p>(.*?)<\/p>/s.exec(text)?.[1];
  const follow = async (answer: Answer) => owner.get(answer.headers.get('location') ?? '');
  const unescaped = (text: string) =>
    text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
  /** Returns the texts of all fields of a name, as the browser sends them. */
  const fields = ({ text }: Answer, name: string) =>
    [...text.matchAll(new RegExp(`<(input|textarea|select)([^>]* name="${name}"[^>]*)>`, 'g'))].map((match) => {
      const [whole, tag, attributes = ''] = match;
      const content = text.slice(match.index + whole.length).split(`</${tag}>`)[0] ?? '';
      const value = / value="(.*?)"/.exec(attributes)?.[1] ?? '';
      const chosen = /<option value="([^"]*)" selected>/.exec(content)?.[1] ?? '';
      if (tag === 'textarea') return unescaped(content);
      return unescaped(tag === 'select' ? chosen : value);
    });
  const field = (answer: Answer, name: string) => fields(answer, name)[0] ?? '';
  /** Sends the form of a page as the page is now. */
  const save = async (page: string, form: FormFields) =>
    owner.submit(page, page, { version: field(await owner.get(page), 'version'), ...form });
  /** Lets the bot tell a role and a channel in a category. */
  const describeGuild = () =>
    dashboard.store.writer.describeGuild('own', {
      name: 'The Den',
      roles: [
        { id: 'r1', name: 'Regular', color: 0x16a34a, position: 2 },
        { id: 'r2', name: '<b>Muted', color: 0, position: 1 },
      ],
      channels: [
        { id: 'c1', name: 'Talk', type: 4, parent: null },
        { id: 'c2', name: 'memes', type: 0, parent: 'c1' },
      ],
    });

  it('each form saves what it says, leaves the other parts as they are, and comes back to its page', async () => {
    const saved = await save(RULES, EARNING);
    expect(saved.headers.get('location')).toBe(`${RULES}?saved=1`);
    expect(notice(await follow(saved))).toBe('Saved. Your bot follows the rules within a minute or so.');
    expect((await save(REWARDS, REWARD_ROWS)).headers.get('location')).toBe(`${REWARDS}?saved=1`);
    expect((await save(MULTIPLIERS, MULTIPLIER_ROWS)).headers.get('location')).toBe(`${MULTIPLIERS}?saved=1`);
    const document = await stored();
    expect(document).toEqual({
      message: { xp: { min: 5, max: 9 }, cooldown_ms: 1500, min_chars: 3 },
      voice: { xp: 2, counts: { alone: false, deafened: false, muted: true, afk: false } },
      no_xp: { roles: ['r1', 'r2', 'r3'], channels: [] },
      multipliers: { roles: { r4: 1.5, r5: 0 }, channels: {}, role_stacking: 'sum', stacking: 'product' },
      rewards: [
        { level: 5, role: 'r6', kept: true },
        { level: 10, role: 'r7', kept: false },
      ],
    });
  });

  it.each([
    [RULES, EARNING],
    [REWARDS, REWARD_ROWS],
    [MULTIPLIERS, MULTIPLIER_ROWS],
  ])('the form at %s shows what it saved, and saves the same again, with ids or with names', async (page, form) => {
    await save(page, form);
    const document = await stored();
    for (const isDescribed of [false, true]) {
      if (isDescribed) await describeGuild();
      const shown = await owner.get(page);
      const again = Object.fromEntries(Object.keys(form).map((name) => [name, fields(shown, name)]));
      await save(page, { ...again, ...(page === RULES && { muted: 'on' }) });
      expect(await stored()).toEqual(document);
    }
  });

  it.each<[string, FormFields, string, string]>([
    [RULES, { message_min: '10' }, 'message_min', 'XP for a message cannot begin at 10, above the 9 that it ends at'],
    [RULES, { message_min: '-1' }, 'message_min', 'XP for a message must be a whole number from 0 to'],
    [RULES, { message_max: '' }, 'message_max', 'XP for a message is missing'],
    [RULES, { voice_max: 'x' }, 'voice_max', 'XP for a tick of voice must be a whole number'],
    [RULES, { min_chars: '-3' }, 'min_chars', 'The shortest message must be a whole number from 0 to 10000, not -3'],
    [RULES, { cooldown_s: 'soon' }, 'cooldown_s', 'The cooldown must be a number of seconds from 0 to 31536000'],
    [RULES, { no_xp_roles: 'a\nb!' }, 'no_xp_roles', '"b!" is not the id of a role'],
    [RULES, { no_xp_channels: '<@&1>' }, 'no_xp_channels', '"<@&1>" is not the id of a channel'],
    [REWARDS, { reward_level: ['5', 'x', ''] }, 'reward_level', 'The level must be a whole number from 0 to 1000000'],
    [REWARDS, { reward_role: ['', 'r7', ''] }, 'reward_role', 'Choose a role'],
    [
      REWARDS,
      { reward_level: ['5', '05', ''], reward_role: ['r6', 'r6', ''] },
      'reward_level',
      'Level 5 gives this role already',
    ],
    [
      MULTIPLIERS,
      { role: ['<@&1>', '1'], role_multiplier: ['1.5', '2'] },
      'role',
      'This role has a multiplier already',
    ],
    [
      MULTIPLIERS,
      { role_multiplier: ['1001', '0', ''] },
      'role_multiplier',
      'The multiplier must be a number from 0 to',
    ],
    [MULTIPLIERS, { role_multiplier: ['', '0', ''] }, 'role_multiplier', 'The multiplier is missing'],
    [MULTIPLIERS, { role_stacking: 'min' }, 'role_stacking', 'This must be max, sum or product'],
  ])(
    'the form at %s with %o says beside the field what is wrong, keeps the input and stores nothing',
    async (page, wrong, name, message) => {
      const forms: Record<string, FormFields> = {
        [RULES]: EARNING,
        [REWARDS]: REWARD_ROWS,
        [MULTIPLIERS]: MULTIPLIER_ROWS,
      };
      const form: FormFields = { ...forms[page], ...wrong };
      const answer = await save(page, form);
      expect([answer.status, await rules()]).toEqual([400, null]);
      expect(unescaped(alert(answer) ?? '')).toContain(message);
      const [, id = ''] =
        new RegExp(
          `<(?:input|select|textarea)[^>]* name="${name}"[^>]* aria-describedby="(?:\\S+ )?(\\S+-error)" aria-invalid="true" autofocus`,
        ).exec(answer.text) ?? [];
      expect(unescaped(new RegExp(`<p class="error" id="${id}">(.*?)</p>`).exec(answer.text)?.[1] ?? '')).toContain(
        message,
      );
      expect(answer.text.match(/ autofocus/g)).toHaveLength(1);
      if (name !== 'role_stacking') expect(fields(answer, name)).toEqual([form[name]].flat());
    },
  );

  it('the forms take mentions as a person copies them from a chat', async () => {
    await save(RULES, { ...EARNING, no_xp_roles: '<@&1> <@&2>', no_xp_channels: '<#3>' });
    await save(REWARDS, { reward_level: '5', reward_role: '<@&6>', reward_end: 'kept' });
    await save(MULTIPLIERS, {
      ...MULTIPLIER_ROWS,
      role: '<@&4>',
      role_multiplier: '2',
      channel: '<#5>',
      channel_multiplier: '3',
    });
    expect(await stored()).toMatchObject({
      no_xp: { roles: ['1', '2'], channels: ['3'] },
      multipliers: { roles: { 4: 2 }, channels: { 5: 3 } },
      rewards: [{ level: 5, role: '6' }],
    });
  });

  it('the buttons add, sort and remove rows without saving anything, and keep what was entered', async () => {
    const press = (page: string, form: FormFields, button: string) => save(page, { ...form, do: button });
    const added = await press(
      REWARDS,
      { reward_level: ['20', '5'], reward_role: ['r2', 'r1'], reward_end: ['kept', 'replaced'] },
      'add reward',
    );
    expect([added.status, fields(added, 'reward_level'), fields(added, 'reward_end')]).toEqual([
      200,
      ['20', '5', ''],
      ['kept', 'replaced', 'kept'],
    ]);
    expect(notice(added)).toBe('Not saved yet.');
    const rows = { reward_level: ['20', '5'], reward_role: ['r2', 'r1'], reward_end: ['kept', 'replaced'] };
    const sorted = await press(REWARDS, rows, 'sort reward');
    expect([fields(sorted, 'reward_level'), fields(sorted, 'reward_role')]).toEqual([
      ['5', '20'],
      ['r1', 'r2'],
    ]);
    expect(fields(await press(REWARDS, rows, 'remove reward 0'), 'reward_role')).toEqual(['r1']);
    const channels = { role_stacking: 'max', stacking: 'max', channel: ['c1'], channel_multiplier: ['2'] };
    expect(fields(await press(MULTIPLIERS, channels, 'add channel'), 'channel')).toEqual(['c1', '']);
    expect(fields(await press(REWARDS, rows, 'remove reward x'), 'reward_role')).toEqual(['r2', 'r1']);
    for (const button of ['add __proto__', 'remove reward 99', 'constructor']) {
      expect((await press(REWARDS, rows, button)).status).toBeLessThan(400);
    }
    await dashboard.store.client.hdel('gr:{own}:config', 'rules');
    expect((await press(REWARDS, rows, 'remove reward 9')).status).toBe(200);
    expect(await rules()).toBeNull();
  });

  it('the forms offer roles and channels by the names that the bot tells, and ids where the owner wants them', async () => {
    expect((await owner.get(REWARDS)).text).not.toContain('<select name="reward_role"');
    await describeGuild();
    await save(REWARDS, { reward_level: ['5', '9'], reward_role: ['r1', 'r9'], reward_end: ['kept', 'kept'] });
    const { text } = await owner.get(REWARDS);
    expect(text).toContain('<option value="r1" selected>Regular</option>');
    expect(text).toContain('<option value="r2">&lt;b&gt;Muted</option>');
    expect(text).toContain('<option value="r9" selected>Unknown role r9</option>');
    expect(text).toContain('<circle cx="5" cy="5" r="5" fill="#16a34a">');
    expect(fields(await owner.get(`${REWARDS}?by=id`), 'reward_role')).toEqual(['r1', 'r9']);
    const channels = (await owner.get(RULES)).text;
    expect(channels).toMatch(
      /<optgroup label="Talk"><option value="c1">All of Talk<\/option><option value="c2">#memes</,
    );
    await save(RULES, { ...EARNING, no_xp_roles: ['r2', ''], no_xp_channels: ['', 'c2'] });
    expect((await stored()).no_xp).toEqual({ roles: ['r2'], channels: ['c2'] });
    expect((await owner.get(RULES)).text).toMatch(/name="no_xp_channels" value="c2" checked>\s*<bdi>#memes</);
  });

  it('the form calls a role and a channel that were deleted unknown, and keeps them', async () => {
    await describeGuild();
    await save(RULES, { ...EARNING, no_xp_roles: ['r2', 'r9'], no_xp_channels: ['c2', 'c9'] });
    const { text } = await owner.get(RULES);
    expect(text).toContain('<bdi>Unknown role r9</bdi>');
    expect(text).toContain('<bdi>Unknown channel c9</bdi>');
    expect((await stored()).no_xp).toEqual({ roles: ['r2', 'r9'], channels: ['c2', 'c9'] });
  });

  it('the form offers a role and a channel by the id when nobody can see the name', async () => {
    const unseen = '\u200b\u3164';
    const roles = [{ id: 'r1', name: unseen, color: 0, position: 1 }];
    const channels = [
      { id: 'c1', name: unseen, type: 4, parent: null },
      { id: 'c2', name: unseen, type: 0, parent: 'c1' },
    ];
    await dashboard.store.writer.describeGuild('own', { name: unseen, roles, channels });
    const { text } = await owner.get(RULES);
    expect(text).toContain('<option value="r1">r1</option>');
    expect(text).toContain('<optgroup label="c1"><option value="c1">All of c1</option><option value="c2">#c2</option>');
    expect(text).toContain('<b><bdi>own</bdi></b>');
  });

  it('the form shows ids instead of names where lists of names would make a page of many megabytes', async () => {
    const roles = Array.from({ length: 250 }, (_, n) => ({
      id: `r${n}`,
      name: 'x'.repeat(100),
      color: 0,
      position: n,
    }));
    await dashboard.store.writer.describeGuild('own', { name: 'The Den', roles, channels: [] });
    const rewards = Array.from({ length: 400 }, (_, n) => ({ level: n, role: `r${n}` }));
    await dashboard.store.guildConfig.setRules('own', JSON.stringify({ rewards }));
    const { status, text } = await owner.get(REWARDS);
    expect([status, text.includes('<select name="reward_role"')]).toEqual([200, false]);
    expect(text).toContain('With so many rows, this page shows ids instead of names.');
    expect(text.length).toBeLessThan(1_000_000);
  });

  it('the trial of a message says how much XP the stored rules give, and why', async () => {
    const trial = async (query = '') => {
      const [, text = ''] = /<h2>Try it<\/h2>\s*<p>(.*?)<\/p>/s.exec((await owner.get(`${RULES}${query}`)).text) ?? [];
      return unescaped(text.replace(/<[^>]*>/g, ''))
        .replace(/\s+/g, ' ')
        .trim();
    };
    expect(await trial()).toBe(
      'A member without a special role writes in any other channel → 15 to 25 XP, as any message does.',
    );
    await describeGuild();
    await save(MULTIPLIERS, {
      ...MULTIPLIER_ROWS,
      role: 'r1',
      role_multiplier: '1.5',
      channel: 'c1',
      channel_multiplier: '2',
    });
    expect(await trial('?role=r1&channel=')).toBe(
      'A member with Regular writes in any other channel → 23 to 38 XP, because Regular earns 1.5×.',
    );
    await dashboard.store.guildConfig.update('own', { xpMultiplier: 0.5 });
    expect(await trial('?role=r1&channel=c2')).toBe(
      'A member with Regular writes in #memes → 23 to 38 XP, because Regular earns 1.5× and All of Talk gives 2× and the whole server earns 0.5×.',
    );
    const stack = (stacking: string) =>
      save(MULTIPLIERS, {
        ...{ ...MULTIPLIER_ROWS, role: 'r1', role_multiplier: '1.5', channel: 'c1', channel_multiplier: '2' },
        ...{ role_stacking: 'max', stacking },
      });
    await stack('max');
    expect(await trial('?role=r1&channel=c2')).toBe(
      'A member with Regular writes in #memes → 15 to 25 XP, because All of Talk gives 2× (of role and channel, only the greatest counts) and the whole server earns 0.5×.',
    );
    await dashboard.store.guildConfig.update('own', { xpMultiplier: 1 });
    await stack('sum');
    expect(await trial('?role=r1&channel=c2')).toBe(
      'A member with Regular writes in #memes → 38 to 63 XP, because Regular earns 1.5× and All of Talk gives 2× (what each has above 1 is added).',
    );
    await save(RULES, { ...EARNING, no_xp_roles: 'r2', no_xp_channels: 'c1' });
    expect(await trial('?role=r2&channel=')).toBe(
      'A member with <b>Muted writes in any other channel → no XP, because <b>Muted earns no XP.',
    );
    expect(await trial('?role=&channel=c2')).toBe(
      'A member without a special role writes in #memes → no XP, because #memes gives no XP.',
    );
    await save(RULES, { ...EARNING, message_min: '0', message_max: '0' });
    expect(await trial('?role=r1&channel=')).toContain('→ no XP, because messages give no XP.');
  });

  it('the JSON form takes all rules, checks them with the same parser, and removes them', async () => {
    const send = async (json: string) => {
      const version = field(await owner.get(JSON_PAGE), 'version');
      return owner.submit(JSON_PAGE, `${JSON_PAGE}?confirm=Replace+all+rules%3F`, { json, version });
    };
    const bad = await send('{"message":{"xp":-1}}');
    expect([bad.status, await rules()]).toEqual([400, null]);
    expect(alert(bad)).toContain('message.xp must be');
    expect(field(bad, 'json')).toBe('{"message":{"xp":-1}}');
    expect((await send('{')).text).toContain('The rules are no valid JSON');
    const deep = await send(`${'['.repeat(15_000)}${']'.repeat(15_000)}`);
    expect([deep.status, alert(deep)]).toEqual([400, 'The text is nested deeper than 100 levels: these are no rules.']);
    // Lists of rewards take most room in the form.
    const rewards = Array.from({ length: 700 }, () => ({ level: 1, role: '1' }));
    await send(JSON.stringify({ rewards }));
    expect((await send(field(await owner.get(JSON_PAGE), 'json'))).status).toBe(303);
    expect(await stored()).toEqual({ rewards });
    expect(alert(await send(JSON.stringify({ rewards: [...rewards, ...rewards] })))).toContain('the most is 16384');
    // As many rows fit into the form of rewards.
    const page = await owner.get(REWARDS);
    const rows = Object.fromEntries(Object.keys(REWARD_ROWS).map((name) => [name, fields(page, name)]));
    expect(rows.reward_level).toHaveLength(700);
    expect((await save(REWARDS, { ...rows, do: 'add reward' })).status).toBe(200);
    const version = field(await owner.get(JSON_PAGE), 'version');
    const removed = await owner.submit(JSON_PAGE, `${RULES}/remove?confirm=Remove+all+rules%3F`, { version });
    expect(notice(await follow(removed))).toBe('The rules are removed. Your bot decides by itself now.');
    expect(await rules()).toBeNull();
  });

  it('every page says that stored rules do not work, and saves other rules in their place', async () => {
    await dashboard.store.client.hset('gr:{own}:config', 'rules', '{"message":5}');
    for (const page of [RULES, REWARDS, MULTIPLIERS, JSON_PAGE])
      expect(alert(await owner.get(page))).toContain('The stored rules do not work: message must be an object');
    expect(field(await owner.get(JSON_PAGE), 'json')).toBe('{"message":5}');
    await save(REWARDS, REWARD_ROWS);
    expect(Object.keys(await stored())).toEqual(['rewards']);
  });

  const upload = async (content: string | Buffer) => {
    const body = new FormData();
    body.set('_token', await owner.tokenOf(RULES));
    body.set('file', new Blob([content]), 'rules <b>.json');
    return owner.request('POST', `${RULES}/file`, { origin: dashboard.url }, body);
  };
  const fixture = (name: string) => readFileSync(new URL(`../fixtures/imports/${name}`, import.meta.url));

  it('a file of another bot shows its rules before they are saved', async () => {
    const answer = await upload(gzipSync(fixture('polaris-rules.json')));
    expect([answer.status, await rules()]).toEqual([200, null]);
    expect(notice(answer)).toContain('These are the rules in rules &lt;b&gt;.json. Nothing is saved yet');
    expect(notice(answer)).toContain('noSync has no equal here');
    expect(JSON.parse(field(answer, 'json'))).toMatchObject({ message: { cooldown_ms: 45_500 } });
    await save(JSON_PAGE, { json: field(answer, 'json') });
    expect(fields(await owner.get(REWARDS), 'reward_role')).toEqual(['200000000000000003', '200000000000000004']);
    const lurkr = await upload(fixture('lurkr-rules.json'));
    expect(JSON.parse(field(lurkr, 'json')).multipliers.roles).toMatchObject({ '200000000000000001': 2 });
  });

  it.each<[string, string, FormFields]>([
    [RULES, '', EARNING],
    [REWARDS, '/rewards', REWARD_ROWS],
    [JSON_PAGE, '/json', { json: '{"message":{"xp":8}}' }],
    [JSON_PAGE, '/remove', {}],
  ])(
    'a form at %s from before other rules were stored gets 409 on its way to "rules%s", and saves the second time',
    async (page, path, form) => {
      const version = field(await owner.get(page), 'version');
      await save(RULES, { ...EARNING, cooldown_s: '7' });
      const present = await rules();
      const late = await owner.submit(page, RULES + path, { version, ...form });
      expect([late.status, await rules()]).toEqual([409, present]);
      expect(alert(late)).toContain('Somebody changed the rules meanwhile, and nothing was saved.');
      expect(late.text).toContain(`<a href="${page}">Show the present rules</a>`);
      if (path === '') expect(field(late, 'cooldown_s')).toBe(EARNING.cooldown_s);
      if (path === '/json') expect(field(late, 'json')).toBe('{"message":{"xp":8}}');
      const answer = `?confirm=${path === '/remove' ? 'Remove' : 'Replace'}+all+rules%3F`;
      const again = { version: field(late, 'version'), ...form };
      expect((await owner.submit(page, RULES + path + answer, again)).status).toBe(303);
      expect(await rules()).not.toBe(present);
    },
  );

  it('a form that is sent twice at once saves twice, and of two different forms one saves', async () => {
    const version = field(await owner.get(RULES), 'version');
    const _token = await owner.tokenOf(RULES);
    const post = (form: object) => owner.post(RULES, { version, _token, ...EARNING, ...form });
    const statuses = async (...sent: object[]) =>
      (await Promise.all(sent.map(post))).map(({ status }) => status).sort();
    expect(await statuses({}, {})).toEqual([303, 303]);
    await dashboard.store.client.hdel('gr:{own}:config', 'rules');
    expect(await statuses({ cooldown_s: '7' }, { cooldown_s: '8' })).toEqual([303, 409]);
  });

  it.each([
    ['', 'Choose a file that is not empty.'],
    ['{', 'The file is not valid JSON'],
    ['{"xp":1}', 'xp is no field of the rules'],
    [`{"rewards":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, 'The file is nested deeper than 100 levels'],
    [`{"rewards":[${'{},'.repeat(1e6)}{}]}`, 'The file has more than 1 MiB beside members'],
    [gzipSync('['.repeat(9 << 20)), 'The file is nested deeper than 100 levels'],
  ])('a file that has no rules gets 400 and says what is wrong', async (content, message) => {
    const answer = await upload(content);
    expect([answer.status, await rules()]).toEqual([400, null]);
    expect(alert(answer)).toContain(message);
  });
});
