import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestDashboard, type TestDashboard, Visitor } from '../support/dashboard.ts';
import { FakeDiscord } from '../support/discord.ts';
import { needs } from '../support/needs.ts';

const ACCESS = '/guilds/own/settings/access';
const HELP = 'https://discord.gg/help?a=1&b=2';
const PRIVACY = 'https://example.com/privacy';

describe('what the dashboard tells an owner about access and data', needs('redis-server'), () => {
  const discord = new FakeDiscord();
  let dashboard: TestDashboard;
  let withDiscord: TestDashboard;
  beforeAll(async () => {
    await discord.start();
    dashboard = await startTestDashboard({ PUBLIC_PAGES: '1' });
    const links = { DASHBOARD_HELP_URL: HELP, DASHBOARD_PRIVACY_URL: PRIVACY };
    withDiscord = await startTestDashboard({ ...discord.env, ...links });
  });
  afterAll(async () => {
    await dashboard?.close();
    await withDiscord?.close();
    await discord.stop();
  });
  beforeEach(() => dashboard.store.client.flushall());

  const section = (text: string, id: string) =>
    (new RegExp(`<section class="card" id="${id}">(.*?)</section>`, 's').exec(text)?.[1] ?? '').replace(/<[^>]+>/g, '');
  const footer = (text: string) => /<footer.*?<\/footer>/s.exec(text)?.[0];

  it('the navigation of every page leads to the page about access', async () => {
    const owner = await dashboard.signIn('own', 'u1');
    expect((await owner.get('/guilds/own/keys')).text).toMatch(
      /<nav aria-label="Pages">.*<a href="\/guilds\/own\/settings\/access">.*?Who has access<\/a>/s,
    );
    expect((await owner.get(ACCESS)).text).toContain('<a href="/guilds/own/settings/access" aria-current="page">');
    const operator = await dashboard.signIn(null);
    expect((await operator.get('/guilds/own/keys')).text).toMatch(/<nav aria-label="Pages">.*Plan and access<\/a>/s);
  });

  it('the page about access says who can see and change the server, as it is set up', async () => {
    const owner = await dashboard.signIn('own', 'u1');
    const before = section((await owner.get(ACCESS)).text, 'who');
    expect(before).toContain(`They run Guildrank at ${dashboard.url}.`);
    expect(before).toContain('This server has 0 API Keys.');
    expect(before).toContain('Nobody else: this server has no public page.');
    expect(before).not.toContain('Discord');
    await dashboard.store.guildConfig.update('own', { publicPage: true, avatars: true });
    await dashboard.store.apiKeys.create('own', 'site', null);
    const after = section((await owner.get(ACCESS)).text, 'who');
    expect(after).toContain('This server has 1 API Key.');
    expect(after).toContain('user ids, names, XP, levels and ranks, with pictures, to everybody');
  });

  it('the page about access says what is stored, and how to delete a member and the whole server', async () => {
    const owner = await dashboard.signIn('own', 'u1');
    const { text } = await owner.get(ACCESS);
    expect(section(text, 'stored')).toContain('No messages, and no addresses.');
    expect(section(text, 'delete')).toContain('Then ask an operator to delete the server');
    expect(section(text, 'delete')).not.toContain('guild delete');
    const operator = await dashboard.signIn(null);
    expect(section((await operator.get(ACCESS)).text, 'delete')).toContain('delete --guild own');
  });

  it('the page about access names Discord and the pages of the operator when they are set up', async () => {
    const owner = await withDiscord.signIn('own', 'u1');
    const { text } = await owner.get(ACCESS);
    expect(section(text, 'who')).toContain('has Manage Server or Administrator there');
    expect(section(text, 'stored')).toContain('the name on Discord');
    expect(text).toContain(`<a href="${HELP.replace('&', '&amp;')}">How to reach them</a>`);
  });

  it('the end of a page has links for help and privacy only if the operator has set them', async () => {
    const owner = await dashboard.signIn('own', 'u1');
    expect(footer((await owner.get('/guilds/own')).text)).not.toMatch(/Help|Privacy/);
    expect(footer((await new Visitor(dashboard).get('/')).text)).toBeUndefined();
    const signedOut = footer((await new Visitor(withDiscord).get('/')).text);
    expect(signedOut).toContain(`<a href="${HELP.replace('&', '&amp;')}">Help</a>`);
    expect(signedOut).toContain(`<a href="${PRIVACY}">Privacy</a>`);
  });
});
