import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type BrowserContext, type Page, sharedChromium } from '../../tools/browser.ts';
import { startTestDashboard } from '../support/dashboard.ts';
import { FakeDiscord } from '../support/discord.ts';
import { needs } from '../support/needs.ts';
import { DashboardVisit } from './dashboard-visit.ts';
import { MANY_LOOKS_MS, watchPage } from './engines.ts';

const DEN = '81384788765712384';
const BURROW = '81384788765712385';
const LODGE = '81384788765712386';
const NAMES = {
  [DEN]: 'The Den',
  [BURROW]: 'The Burrow with a name that is as long as names can be on Discord',
  [LODGE]: 'Lodge',
};
const ANN = {
  id: '100000000000000001',
  globalName: 'Ann',
  servers: [
    { id: DEN, owner: true },
    { id: BURROW, permissions: '32' },
  ],
};

describe('signing in and out of the dashboard in Chromium', needs('chromium', 'redis-server'), () => {
  const discord = new FakeDiscord();
  const visit = new DashboardVisit();
  const contexts: BrowserContext[] = [];

  beforeAll(async () => {
    await discord.start();
    visit.dashboard = await startTestDashboard(discord.env);
  });
  afterAll(async () => {
    await visit.dashboard?.close();
    await discord.stop();
  });
  beforeEach(async () => {
    discord.reset();
    discord.presses = null;
    discord.account = ANN;
    const { client, redisKeys, writer } = visit.dashboard.store;
    await client.flushall();
    for (const [guildId, name] of Object.entries(NAMES)) {
      await writer.record(guildId, { userId: 'm', set: 500 });
      await client.hset(redisKeys.guild(guildId).about, 'name', name);
    }
    await useBrowser();
  });
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close();
  });

  /** Begins with a browser of its own. */
  async function useBrowser(): Promise<Page> {
    visit.context = await (await sharedChromium()).newContext();
    contexts.push(visit.context);
    visit.page = await visit.context.newPage();
    visit.watch = watchPage(visit.page, visit.dashboard.url);
    return visit.page;
  }
  const open = (path: string) => visit.page.goto(visit.dashboard.url + path);
  const heading = async () => (await visit.page.getByRole('heading', { level: 1 }).textContent()) ?? '';
  const switchTo = async (name: string) => {
    await visit.page.locator('.switcher > summary').click();
    await visit.page.locator('header').getByRole('link', { name }).click();
  };
  const signInWithDiscord = async () => {
    await open('/');
    await visit.follow('Sign in with Discord');
    await visit.follow('Authorize');
  };

  it('a person signs in with Discord, changes the server in the header, and begins there next time', async () => {
    await signInWithDiscord();
    expect(await heading()).toBe('Your servers');
    await visit.page.locator('main').getByRole('link', { name: 'The Den' }).click();
    expect(visit.page.url()).toBe(`${visit.dashboard.url}/guilds/${DEN}`);
    expect(await visit.page.locator('.switcher > summary b').textContent()).toBe('The Den');
    await switchTo('The Burrow');
    expect(visit.page.url()).toBe(`${visit.dashboard.url}/guilds/${BURROW}`);
    await visit.press('Sign out');
    expect(await heading()).toBe('Sign in');
    await visit.follow('Sign in with Discord');
    await visit.follow('Authorize');
    expect(visit.page.url()).toBe(`${visit.dashboard.url}/guilds/${BURROW}`);
    expect(visit.watch.complaints.filter((line) => !/status of 401/.test(line))).toEqual([]);
  });

  it('a person who presses Cancel at Discord stays outside, and the page says so', async () => {
    await open('/');
    await visit.follow('Sign in with Discord');
    await visit.follow('Cancel');
    expect(await heading()).toBe('Not signed in');
    await open('/servers');
    expect(await heading()).toBe('Sign in');
  });

  it('a link adds its server to the servers of Discord, says so before its button, and says at once that it was used', async () => {
    await signInWithDiscord();
    const link = await visit.dashboard.link(LODGE, ANN.id);
    await visit.page.goto(link);
    expect(await visit.text()).toContain('This link opens the dashboard of Lodge.');
    expect(await visit.text()).toContain('You stay signed in to what this browser opens already.');
    // The page of a link knows nothing of the servers, so it shows no menu of them.
    expect(await visit.page.locator('.switcher').count()).toBe(0);
    await visit.press('Sign in');
    expect(visit.page.url()).toBe(`${visit.dashboard.url}/guilds/${LODGE}`);
    await switchTo('The Den');
    expect(visit.page.url()).toBe(`${visit.dashboard.url}/guilds/${DEN}`);
    await visit.page.goto(link);
    expect(await heading()).toBe('This link does not work');
    expect(await visit.page.locator('main').getByRole('button').count()).toBe(0);
  });

  it('"Sign out everywhere" asks first, and then ends the sessions in both browsers', async () => {
    await signInWithDiscord();
    const other = visit.page;
    await useBrowser();
    await visit.page.goto(await visit.dashboard.link(DEN, ANN.id));
    await visit.press('Sign in');
    await visit.page.locator('.switcher > summary').click();
    await visit.follow('Sign out everywhere');
    expect(await visit.text()).toContain(`This ends all sessions of ${ANN.id}`);
    await visit.follow('Stay signed in');
    expect(visit.page.url()).toBe(`${visit.dashboard.url}/guilds/${DEN}`);
    await visit.page.locator('.switcher > summary').click();
    await visit.follow('Sign out everywhere');
    await visit.press('Sign out everywhere');
    expect(await heading()).toBe('Sign in');
    await other.reload();
    expect(await other.getByRole('heading', { level: 1 }).textContent()).toBe('Sign in');
  });

  it('an owner ends all sessions of one server, after a question, and keeps the other servers', async () => {
    await signInWithDiscord();
    await open(`/guilds/${DEN}/settings/access`);
    await visit.follow('End all sessions');
    expect(await visit.text()).toContain('This signs everybody out of The Den');
    await visit.press('End all sessions');
    expect(visit.page.url()).toBe(`${visit.dashboard.url}/guilds/${BURROW}`);
    await open(`/guilds/${DEN}`);
    expect(await heading()).toBe('Not found');
  });

  /** Lets the last word of Discord about all sessions be an hour old. */
  async function passHour(): Promise<void> {
    const { client } = visit.dashboard.store;
    for (const key of await client.keys('gr:session:*')) {
      const stored = JSON.parse((await client.get(key)) ?? '');
      await client.set(key, JSON.stringify({ ...stored, checkedAt: stored.checkedAt - 3_600_000 }), 'KEEPTTL');
    }
  }

  it('a page appears after an hour once Discord was asked, without a question to the person', async () => {
    await signInWithDiscord();
    await passHour();
    await open(`/guilds/${DEN}/members?page=1`);
    expect([visit.page.url(), await heading()]).toEqual([
      `${visit.dashboard.url}/guilds/${DEN}/members?page=1`,
      'Members',
    ]);
    expect(discord.asked.get('prompt')).toBe('none');
  });

  it('a form is sent again with its values after an hour, once Discord has confirmed the rights in another tab', async () => {
    await signInWithDiscord();
    await open(`/guilds/${DEN}/settings/rules/multipliers`);
    await visit.page.getByLabel('XP multiplier').fill('2.5');
    await passHour();
    await visit.press('Save');
    expect(await heading()).toBe('Discord has to confirm your rights');
    const tab = visit.context.waitForEvent('page');
    await visit.follow('Confirm with Discord, in a new tab');
    const confirmed = await tab;
    await confirmed.getByRole('heading', { name: 'Discord has confirmed your rights' }).waitFor();
    await confirmed.close();
    await visit.press('Send it again');
    await visit.page.getByText('Saved.').first().waitFor();
    expect(await visit.dashboard.store.client.hget(`gr:{${DEN}}:config`, 'xp_multiplier')).toBe('2.5');
  });

  it('the pages of signing in and out fit a phone and a wide screen, and axe finds nothing', {
    timeout: MANY_LOOKS_MS,
  }, async () => {
    await open('/');
    await visit.expectRight('sign-in, with Discord');
    await signInWithDiscord();
    await visit.expectRight('servers');
    await visit.page.goto(await visit.dashboard.link(LODGE, ANN.id));
    await visit.expectRight('sign-in, adds');
    await open(`/guilds/${BURROW}`);
    await visit.expectRight('overview, with a switcher');
    await open('/sign-out-everywhere');
    await visit.expectRight('sign-out everywhere');
    await open(`/guilds/${BURROW}/settings/sign-out`);
    await visit.expectRight('end all sessions');
    await open(`/guilds/${BURROW}/settings/rules/multipliers`);
    await passHour();
    await visit.press('Save');
    await visit.expectRight('confirm rights');
    await open('/sign-in/discord/confirmed');
    await visit.expectRight('rights confirmed');
  });
});
