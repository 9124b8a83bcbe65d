import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, startTestDashboard, type TestDashboard, type Visitor } from '../support/dashboard.ts';
import { needs } from '../support/needs.ts';

const MEMBERS = '/guilds/own/members';
const FORM = `${MEMBERS}/correct`;

describe('changes of a member in the dashboard', needs('redis-server'), () => {
  let dashboard: TestDashboard;
  let owner: Visitor;
  beforeAll(async () => {
    dashboard = await startTestDashboard();
  });
  afterAll(() => dashboard?.close());
  beforeEach(async () => {
    const { client, writer } = dashboard.store;
    await client.flushall();
    await writer.recordMany('own', [
      { userId: 'a', set: 100, username: 'Ann' },
      { userId: 'b', set: 50 },
    ]);
    owner = await dashboard.signIn('own', 'u1');
  });

  const member = async (userId = 'a') => (await dashboard.store.members.read('own', [userId])).members[0];
  const entries = async () =>
    (await dashboard.store.client.xrange('gr:{own}:audit', '-', '+')).map(([, fields]) => fields[3]);
  const alert = ({ text }: Answer) => /role="alert".*?<p>(.*?)<\/p>/s.exec(text)?.[1];
  const hidden = (text: string, name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(text)?.[1] ?? '';
  /** Returns the form of a member as its page sends it, with what a person enters. */
  const filled = async (fields: Record<string, string>, userId = 'a') => {
    const { text } = await owner.get(`${FORM}?id=${userId}`);
    return { _token: hidden(text, '_token'), id: hidden(text, 'id'), once: hidden(text, 'once'), ...fields };
  };
  const change = async (fields: Record<string, string>, userId = 'a') => {
    const answer = await owner.post(FORM, await filled(fields, userId));
    return { answer, path: answer.headers.get('location') ?? '' };
  };
  const undo = (path: string) =>
    owner.submit(path, `${MEMBERS}/correction/undo`, { id: new URLSearchParams(path.split('?')[1]).get('of') ?? '' });
  const words = ({ text }: Answer) => text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');

  it('the page of a change shows level and XP before and after, and the activity shows the reason', async () => {
    expect(words(await owner.get(`${MEMBERS}?id=a`))).toContain('Change');
    const { answer, path } = await change({
      ...{ xp_choice: 'add', xp: '155', name_choice: 'set', name: 'Anne', reason: 'won the <b>quiz</b>' },
    });
    expect(answer.status).toBe(303);
    const page = words(await owner.get(path));
    expect(page).toContain('Level 1 2');
    expect(page).toContain('XP 100 255');
    expect(page).toContain('Name Ann Anne');
    expect(await member()).toMatchObject({ xp: 255, username: 'Anne' });
    const entry = 'Changed the member a (won the <b>quiz</b>): added 155 XP to 100, set the name to "Anne"';
    expect(await entries()).toEqual([entry]);
    expect((await owner.get('/guilds/own/activity')).text).toContain('won the &lt;b&gt;quiz&lt;/b&gt;');
  });

  it('an undo takes the difference back once and keeps the XP that the member earned meanwhile', async () => {
    const { path } = await change({ xp_choice: 'set', xp: '900', level_choice: 'set', level: '7' });
    await dashboard.store.writer.record('own', { userId: 'a', add: 7 });
    const answers = await Promise.all([undo(path), undo(path)]);
    expect(answers.map(({ status, headers }) => [status, headers.get('location')])).toEqual([
      [303, path],
      [303, path],
    ]);
    await undo(path);
    expect(await member()).toMatchObject({ xp: 107, level: null });
    const page = words(await owner.get(path));
    expect(page).toContain('The XP went from 907 to 107.');
    expect(page).toContain('The level is as it was before the change.');
    expect(page).not.toContain('Undo the change');
    expect(await entries()).toEqual([
      'Changed the member a: set the XP from 100 to 900, set the level to 7',
      'Undid a change of the member a: took 800 XP, the level as before',
    ]);
  });

  it('an undo says what it leaves because it changed again, and what the member no longer had', async () => {
    const { path } = await change({
      xp_choice: 'add',
      xp: '500',
      name_choice: 'none',
      level_choice: 'set',
      level: '4',
    });
    await dashboard.store.writer.record('own', { userId: 'a', add: -200, username: 'Annie', level: 9 });
    await undo(path);
    expect(await member()).toMatchObject({ xp: 0, username: 'Annie', level: 9 });
    const page = words(await owner.get(path));
    expect(page).toContain('The change had given 500 XP, but the member did not have as much any more.');
    expect(page).toContain('The level stays as it is, because it was changed again since then.');
    expect(page).toContain('The name stays as it is, because it was changed again since then.');
  });

  it('a form that is sent twice changes the member once, and writes one entry', async () => {
    const form = await filled({ xp_choice: 'add', xp: '5' });
    const answers = [
      ...(await Promise.all([owner.post(FORM, form), owner.post(FORM, form)])),
      await owner.post(FORM, form),
    ];
    expect(new Set(answers.map(({ headers }) => headers.get('location'))).size).toBe(1);
    expect((await member())?.xp).toBe(105);
    expect(await entries()).toHaveLength(1);
  });

  it('a form that is sent again with other values gets 400', async () => {
    const form = await filled({ xp_choice: 'add', xp: '5' });
    await owner.post(FORM, form);
    const answer = await owner.post(FORM, { ...form, xp: '6' });
    expect([answer.status, alert(answer)]).toEqual([
      400,
      'This form was sent already, with other values: look at the member, and fill in the form again.',
    ]);
    expect((await member())?.xp).toBe(105);
    // The page that says so has a form of its own.
    expect(hidden(answer.text, 'once')).not.toBe(form.once);
  });

  it.each([
    [{}, 'Nothing was changed: choose what to do with XP, level or name'],
    [{ xp: '5' }, 'XP: choose what to do with 5, or leave it empty'],
    [{ xp_choice: 'add' }, 'XP: enter a value, or leave it as it is'],
    [{ xp_choice: 'add', xp: '-5' }, 'XP must be a whole number from 0 to 9007199254740991, without separators'],
    [{ xp_choice: 'set', xp: '1,000' }, 'XP must be a whole number from 0 to 9007199254740991, without separators'],
    [{ xp_choice: 'set', xp: '9007199254740992' }, 'XP must be a whole number from 0 to 9007199254740991'],
    [{ xp_choice: 'double', xp: '5' }, 'Choose one of add, take, set'],
    [{ level_choice: 'none', level: '5' }, 'Level: leave it empty to remove it, or set it'],
    [{ level_choice: 'set', level: 'x' }, 'Level must be a whole number'],
    [{ name_choice: 'set', name: 'é'.repeat(257) }, 'The name must have 512 bytes at most'],
    [{ xp_choice: 'add', xp: '5', reason: 'é'.repeat(61) }, 'The reason must have 120 bytes at most: shorten it'],
    [{ xp_choice: 'add', xp: '9007199254740991' }, 'The addition would take the XP out of the range'],
    [{ xp_choice: 'add', xp: '5', once: 'x' }, 'Open this form again: it is not complete'],
  ])('a form with %o gets 400, says what is wrong, and shows the input again', async (fields, problem) => {
    const { answer } = await change({ reason: 'because', ...fields });
    expect([answer.status, alert(answer)]).toEqual([400, expect.stringContaining(problem)]);
    if (!('reason' in fields)) expect(answer.text).toContain('value="because"');
    expect(await member()).toMatchObject({ xp: 100, username: 'Ann', level: null });
  });

  it('each wrong field of a change says what is wrong beside it', async () => {
    const { answer } = await change({ xp_choice: 'add', xp: '-5', name: 'Anne' });
    const beside = [...answer.text.matchAll(/<p class="error" id="field-(\w+)-error">(.*?)<\/p>/g)];
    expect(beside.map(([, field, problem]) => [field, problem])).toEqual([
      ['xp', expect.stringContaining('XP must be a whole number')],
      ['name', 'Name: choose what to do with Anne, or leave it empty.'],
    ]);
    const { answer: long } = await change({ xp_choice: 'add', xp: '5', reason: 'x'.repeat(121) });
    expect(long.text).toContain('id="field-reason-error">The reason must have 120 bytes at most');
  });

  it('a hidden member whom an owner changes stays hidden', async () => {
    await dashboard.store.writer.hide('own', ['a']);
    expect(words(await owner.get(`${FORM}?id=a`))).toContain('Level 1 with 100 XP The member is hidden');
    const { path } = await change({ xp_choice: 'take', xp: '500', level_choice: 'set', level: '3' });
    expect(words(await owner.get(path))).toContain('Level 1 3');
    expect(await member()).toMatchObject({ xp: 0, level: 3, hidden: true });
  });

  it('the form of a user who is no member gets 404, and so does the form of a member who was removed meanwhile', async () => {
    expect((await owner.get(`${FORM}?id=x`)).status).toBe(404);
    const form = await filled({ xp_choice: 'add', xp: '5' });
    const { path } = await change({ xp_choice: 'add', xp: '5' });
    await dashboard.store.writer.remove('own', ['a']);
    expect((await owner.post(FORM, form)).status).toBe(404);
    const undone = await undo(path);
    expect([undone.status, undone.text]).toEqual([409, expect.stringContaining('The member was removed')]);
    expect(await member()).toBeUndefined();
    expect((await entries()).at(-1)).toMatch(/^Not done: Undid a change/);
  });

  it('the page of an unknown change, or of an event of the bot, gets 404', async () => {
    await dashboard.store.writer.record('own', { userId: 'a', add: 1 }, { eventId: 'message' });
    for (const of of ['message', 'x'.repeat(43)]) {
      expect((await owner.get(`${MEMBERS}/correction?of=${of}`)).status).toBe(404);
      expect((await owner.submit(MEMBERS, `${MEMBERS}/correction/undo`, { id: of })).status).toBe(404);
    }
    expect((await owner.get(`${MEMBERS}/correction?of=a%20b`)).status).toBe(400);
  });
});
