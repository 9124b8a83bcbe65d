import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, startTestDashboard, type TestDashboard, type Visitor } from '../support/dashboard.ts';
import { needs } from '../support/needs.ts';

const LIST = '/guilds/own/members/list';
const EVIL = `<img src=x onerror="document.title=1">`;

describe('changes of many members by a file in the dashboard', needs('redis-server'), () => {
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

  const members = async () => (await dashboard.store.members.read('own', ['a', 'b'])).members;
  const entries = async () =>
    (await dashboard.store.client.xrange('gr:{own}:audit', '-', '+')).map(([, fields]) => fields[3]);
  const alert = ({ text }: Answer) => /role="alert".*?<p>(.*?)<\/p>/s.exec(text)?.[1];
  const words = ({ text }: Answer) => text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
  const listId = ({ text }: Answer) => /name="id" value="([^"]+)"/.exec(text)?.[1] ?? '';
  const upload = async (content: string, visitor = owner, name = 'prizes.csv') => {
    const body = new FormData();
    body.set('_token', await visitor.tokenOf(LIST));
    body.set('file', new File([content], name));
    return visitor.request('POST', LIST, { origin: dashboard.url }, body);
  };
  const start = async (visitor = owner, fields: Record<string, string> = {}) =>
    visitor.submit(LIST, `${LIST}/start`, { id: listId(await visitor.get(LIST)), ...fields });

  it('a file shows what it will do and the earlier values, and then changes the members with a reason', async () => {
    const sent = await upload(
      `user_id,add,level,name,note\na,155,,,x\nb,,4,"${EVIL.replaceAll('"', '""')}",\nx,5,,,\n`,
    );
    expect([sent.status, sent.headers.get('location')]).toEqual([303, LIST]);
    const checked = await owner.get(LIST);
    expect(words(checked)).toContain('2 members will be changed Nothing is changed yet.');
    expect(words(checked)).toContain('Ann a 1 to 2 100 to 255 as before');
    expect(words(checked)).toContain('not used: note');
    expect(words(checked)).toContain('prizes.csv line 4: no member of the server has this id (x)');
    expect(checked.text).not.toContain(EVIL);
    expect((await members()).map(({ xp }) => xp)).toEqual([100, 50]);
    const earlier = await owner.get(`${LIST}/earlier.csv`);
    expect(earlier.text).toBe('user_id,xp,level,name\na,100,,\nb,,none,b\n');
    expect(earlier.headers.get('content-disposition')).toContain('own-earlier.csv');
    expect((await owner.get(`${LIST}/refused.csv`)).text).toContain('prizes.csv,line,4,x,,no member');
    expect((await start(owner, { reason: 'the quiz' })).status).toBe(303);
    expect(words(await owner.get(LIST))).toContain('Done 2 of 2 members changed.');
    expect(await members()).toMatchObject([
      { xp: 255, username: 'Ann' },
      { xp: 50, level: 4, username: EVIL },
    ]);
    expect(await entries()).toEqual([
      'Began to change 2 members (the quiz) by "prizes.csv"',
      'Changed 2 of 2 members by "prizes.csv"',
    ]);
    await owner.submit(LIST, `${LIST}/discard`, {});
    expect((await owner.get(LIST)).text).toContain('Check the file');
  });

  it('a list that is started twice changes its members once', async () => {
    await upload('user_id,add\na,5\n');
    const page = await owner.get(LIST);
    const form = { _token: await owner.tokenOf(LIST), id: listId(page) };
    const answers = await Promise.all([1, 2].map(() => owner.post(`${LIST}/start`, form)));
    answers.push(await owner.post(`${LIST}/start`, form));
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303]);
    expect((await members())[0]?.xp).toBe(105);
    expect(await entries()).toHaveLength(2);
  });

  it('a file that is no list gets 400 with the reason, and the list before it still waits', async () => {
    const answer = await upload('name,xp\nAnn,5\n');
    expect([answer.status, alert(answer)]).toEqual([
      400,
      'prizes.csv has no column user_id: name the columns in its first line (it has name, xp).',
    ]);
    await upload('user_id,add\na,5\n');
    expect(alert(await upload('', owner, 'other.csv'))).toContain(
      'Below is &quot;prizes.csv&quot;, which you sent before.',
    );
    await start();
    expect((await members())[0]?.xp).toBe(105);
  });

  it('a list of another session of the guild is not shown, and cannot be started', async () => {
    await upload('user_id,add\na,5\n');
    const id = listId(await owner.get(LIST));
    const other = await dashboard.signIn('own', 'u2');
    expect((await other.get(LIST)).text).toContain('Check the file');
    expect((await other.get(`${LIST}/earlier.csv`)).status).toBe(404);
    const answer = await other.submit(LIST, `${LIST}/start`, { id });
    expect([answer.status, alert(answer)]).toEqual([
      400,
      expect.stringContaining('not the file that was checked last'),
    ]);
    expect((await members())[0]?.xp).toBe(100);
  });

  it('a file above 2 MB gets 413', async () => {
    expect((await upload(`user_id,name\na,${'x'.repeat(2 << 20)}\n`)).status).toBe(413);
  });

  it('a list without a member that can be changed offers no start', async () => {
    await upload('user_id,add\nx,5\n');
    const page = await owner.get(LIST);
    expect(words(page)).toContain('0 members will be changed');
    expect(page.text).not.toContain('/start"');
  });
});
