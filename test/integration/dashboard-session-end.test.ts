import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, startTestDashboard, type TestDashboard, type Visitor } from '../support/dashboard.ts';
import { needs } from '../support/needs.ts';

const FORM = { name: 'phone <b>app</b>', lifetime: '30 days', origins: 'https://a.example' };

describe('forms that are sent after the end of their session', needs('redis-server'), () => {
  let dashboard: TestDashboard;
  let owner: Visitor;
  let token: string;

  beforeAll(async () => {
    dashboard = await startTestDashboard();
  });
  afterAll(() => dashboard?.close());
  beforeEach(async () => {
    await dashboard.store.client.flushall();
    owner = await dashboard.signIn('own', 'u1');
    token = await owner.tokenOf('/guilds/own/keys');
  });

  const send = () => owner.post('/guilds/own/keys', { _token: token, ...FORM });

  async function expectKept({ status, text }: Answer, refused: number): Promise<void> {
    expect(status).toBe(refused);
    expect(text).toContain('Nothing was changed.');
    expect(text).toContain('<dt>name</dt><dd><bdi>phone &lt;b&gt;app&lt;/b&gt;</bdi></dd>');
    expect(text).toContain('<dt>origins</dt><dd><bdi>https://a.example</bdi></dd>');
    expect(text).not.toContain(token);
    expect(await dashboard.store.apiKeys.list('own')).toEqual([]);
  }

  it('a late form changes nothing, comes back with its input, and says how to sign in from the chat', async () => {
    await dashboard.store.client.flushall();
    const answer = await send();
    await expectKept(answer, 401);
    expect(answer.text).toContain('<h1>Your session has ended</h1>');
    expect(answer.text).toContain('Type <code>/dashboard</code> in the chat of your server');
    const commands = answer.text.indexOf('npm run');
    expect(answer.text.slice(0, commands)).toMatch(/<details>\s*<summary>For the operator<\/summary>/);
  });

  it('a late form comes back with its input when another sign-in followed', async () => {
    await owner.signIn(await dashboard.link('own', 'u1'));
    await expectKept(await send(), 403);
  });

  it('a late form has no input to show when only its button was pressed', async () => {
    await dashboard.store.client.flushall();
    const { text } = await owner.post('/guilds/own/members/hide', { _token: token, id: 'a' });
    expect(text).toContain('Nothing was changed.');
    expect(text).not.toContain('Your input');
  });
});
