import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestDashboard, type TestDashboard, Visitor } from '../support/dashboard.ts';
import { needs } from '../support/needs.ts';

const KEYS = '/guilds/own/keys';

describe('buttons of the dashboard that a person presses twice', needs('redis-server'), () => {
  let dashboard: TestDashboard;
  let owner: Visitor;

  beforeAll(async () => {
    dashboard = await startTestDashboard({ TRUST_PROXY: '1' });
  });
  afterAll(() => dashboard?.close());
  beforeEach(async () => {
    await dashboard.store.client.flushall();
    owner = await dashboard.signIn('own', 'u1');
  });
  const entries = () => dashboard.store.client.xlen('gr:{own}:audit:security');

  it('a sign-in that is pressed twice opens one session, and both answers lead to the page of the guild', async () => {
    const before = await entries();
    const link = await dashboard.link('own', 'u1');
    const answers = await Promise.all([owner.signIn(link), owner.signIn(link)]);
    expect(answers.map(({ status }) => status)).toEqual([303, 303]);
    expect((await owner.get('/guilds/own')).status).toBe(200);
    expect(await entries()).toBe(before + 1);
  });

  it('a link that ten browsers use at once lets one browser in, and writes one entry', async () => {
    const before = await entries();
    const link = await dashboard.link('own', 'u1');
    const others = Array.from({ length: 10 }, () => new Visitor(dashboard));
    const answers = await Promise.all(others.map((each) => each.signIn(link)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, ...Array(9).fill(410)]);
    expect(await entries()).toBe(before + 1);
  });

  it('a form that is sent twice makes one key, which the page of the last answer shows', async () => {
    const { text } = await owner.get(KEYS);
    const hidden = (name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(text)?.[1] ?? '';
    const form = {
      _token: hidden('_token'),
      once: hidden('once'),
      name: 'site',
      lifetime: 'until revoked',
      origins: '',
    };
    const [, last] = await Promise.all([owner.post(KEYS, form), owner.post(KEYS, form)]);
    expect(await dashboard.store.apiKeys.list('own')).toHaveLength(1);
    expect((await owner.get(last?.headers.get('location') ?? '')).text).toMatch(/gr_[0-9A-Za-z]{38}/);
    const next = { ...form, once: /name="once" value="([^"]+)"/.exec((await owner.get(KEYS)).text)?.[1] ?? '' };
    await owner.post(KEYS, next);
    expect(await dashboard.store.apiKeys.list('own')).toHaveLength(2);
  });

  it('a rotation that is pressed twice makes one new key, and both answers lead to it', async () => {
    const { record } = await dashboard.store.apiKeys.create('own', 'site', null);
    const path = `${KEYS}/${record.id}/rotate`;
    const { text } = await owner.get(path);
    const hidden = (name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(text)?.[1] ?? '';
    const form = { _token: hidden('_token'), once: hidden('once'), overlap: '1 hour' };
    const answers = await Promise.all([owner.post(path, form), owner.post(path, form)]);
    expect(answers.map(({ status }) => status)).toEqual([303, 303]);
    expect(new Set(answers.map(({ headers }) => headers.get('location'))).size).toBe(1);
    expect(await dashboard.store.apiKeys.list('own')).toHaveLength(2);
  });
});
