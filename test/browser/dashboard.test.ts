import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import request from 'supertest';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { axeViolations } from '../support/axe.ts';
import { hasChromium, launchChromium } from '../support/browser.ts';
import { startTestDashboard, type TestDashboard } from '../support/dashboard.ts';
import { startService, type TestService } from '../support/service.ts';
import { hasRedis, type TestStore } from '../support/stores.ts';

const GUILD = '81384788765712384';
const WIDE = { width: 1100, height: 800 };
const PHONE = { width: 360, height: 740 };
/** A name that runs, pushes or turns what does not treat it as text. */
const EVIL = `\u202e<img src=x onerror="document.title=1">${'W'.repeat(20)}`;

describe.skipIf(!hasChromium || !hasRedis)('the dashboard in Chromium', () => {
  let browser: Browser;
  let dashboard: TestDashboard;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];
  let elsewhere: string[];

  beforeAll(async () => {
    [browser, dashboard] = await Promise.all([
      launchChromium(),
      startTestDashboard({ DASHBOARD_API_URL: 'https://ranks.example.com' }),
    ]);
  });
  afterAll(async () => {
    await browser?.close();
    await dashboard?.close();
  });
  beforeEach(async () => {
    const { client, writer, apiKeys, guildConfig } = dashboard.store;
    await client.flushall();
    const members = Array.from({ length: 12 }, (_, n) => ({
      userId: `m${n}`,
      set: 500 * (n + 1),
      profile: { username: n === 5 ? EVIL : `Member ${n}` },
    }));
    await writer.recordMany(GUILD, members);
    await guildConfig.update(GUILD, { plan: 'starter' });
    await client.set(`gr:quota:{${GUILD}}`, '850', 'EX', 1200);
    await apiKeys.create(GUILD, EVIL.slice(0, 64), 86_400_000, ['https://www.example.com']);
    await apiKeys.create(GUILD, 'old', -1000);
    await writer.record('another', { userId: 'x', set: 5 });
  });
  afterEach(() => context.close());

  /** Opens a browser and signs in, by the button of the link. */
  async function signIn(guildId: string | null = GUILD, options: BrowserContextOptions = {}): Promise<void> {
    context = await browser.newContext({ viewport: WIDE, ...options });
    page = await context.newPage();
    page.setDefaultTimeout(10_000);
    complaints = [];
    elsewhere = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`));
    page.on('request', (sent) => {
      if (!sent.url().startsWith(dashboard.url) && !sent.url().startsWith('data:')) elsewhere.push(sent.url());
    });
    await page.goto(await dashboard.link(guildId, 'u1'));
    await press('Sign in');
  }
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const follow = (name: string) => page.getByRole('link', { name, exact: true }).click();
  const heading = async () => (await page.getByRole('heading', { level: 1 }).textContent()) ?? '';
  const text = async () => ((await page.textContent('main')) ?? '').replace(/\s+/g, ' ');

  /** Goes through every page and form of an owner and of the operator, and calls `look` on each. */
  async function tour(look: (name: string) => Promise<void>): Promise<void> {
    await look('overview');
    await follow('API keys');
    await look('keys');
    await page.getByLabel('Name').fill('website');
    await page.getByLabel(/Web origins/).fill('nonsense');
    await press('Make the key');
    await look('keys, refused');
    await page.getByLabel(/Web origins/).fill('https://a.example');
    await press('Make the key');
    await look('key made');
    await follow('Back to all keys');
    await follow('Rotate website');
    await look('key rotate');
    await press('Make the new key');
    await look('key rotated');
    await follow('Back to all keys');
    await follow('Revoke old');
    await look('key revoke');
    await press('Revoke it');
    await look('key revoked');
    await follow('Settings');
    await look('settings');
    await page.locator('select[name=curve]').selectOption('amari');
    await press('See what it does');
    await look('curve preview');
    await press('Save the curve');
    await look('settings, saved');
    await page.getByLabel(/Multiplier/).fill('9999');
    await press('Save');
    await look('settings, refused');
    await follow('Activity');
    await look('activity');
    await page.goto(`${dashboard.url}/guilds/nowhere`);
    await look('refusal');
    await page.goto(`${dashboard.url}/sign-in/x`);
    await look('sign-in');
    await press('Sign in');
    await look('sign-in, refused');
    await page.goto(await dashboard.link(null));
    await press('Sign in');
    await look('operator');
    await follow(`Plan and invite of ${GUILD}`);
    await look('settings of the operator');
    await press('Make the link');
    await look('invite');
    await page.goto(`${dashboard.url}/operator?search=new-guild`);
    await look('operator, searched');
    await press('Sign out');
    await look('signed out');
  }

  it.each([
    ['wide and light', { viewport: WIDE, colorScheme: 'light' }],
    ['wide and dark', { viewport: WIDE, colorScheme: 'dark' }],
    ['a phone and light', { viewport: PHONE, colorScheme: 'light' }],
    ['a phone and dark', { viewport: PHONE, colorScheme: 'dark' }],
  ] as const)('has no violations of axe, fits and runs nothing foreign: %s', async (name, options) => {
    await signIn(GUILD, options);
    const seen: string[] = [];
    await tour(async (step) => {
      seen.push(step);
      expect([step, await axeViolations(page)]).toEqual([step, []]);
      const { scroll, wide } = (await page.evaluate(
        '({ scroll: document.documentElement.scrollWidth, wide: innerWidth })',
      )) as { scroll: number; wide: number };
      expect([step, scroll]).toEqual([step, wide]);
      // Right to left, it fits as well.
      await page.evaluate(`document.documentElement.dir = 'rtl'`);
      expect([step, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([step, wide]);
      await page.evaluate(`document.documentElement.dir = 'ltr'`);
      const { SCREENSHOTS } = process.env;
      const file = `${SCREENSHOTS}/${name} ${step}.png`.replaceAll(' ', '-').replaceAll(',', '');
      if (SCREENSHOTS) await page.screenshot({ path: file, fullPage: true });
    });
    expect(seen).toHaveLength(21);
    // Answers that refuse are reported by the browser as such; nothing else is.
    expect(complaints.filter((line) => !/status of 4\d\d/.test(line))).toEqual([]);
    expect(elsewhere).toEqual([]);
    expect(await page.title()).not.toBe('1');
  });

  it('works in full without scripts', async () => {
    await signIn(GUILD, { javaScriptEnabled: false });
    const seen: [string, string][] = [];
    await tour(async (step) => void seen.push([step, await heading()]));
    expect(Object.fromEntries(seen)).toMatchObject({
      overview: 'Overview',
      'keys, refused': 'API keys',
      'key made': 'Your new key',
      'key rotated': 'Your new key',
      'key revoked': 'API keys',
      'curve preview': 'A new curve',
      'settings, saved': 'Settings',
      activity: 'Activity',
      refusal: 'Not found',
      'sign-in, refused': 'This link does not work',
      operator: 'All guilds',
      invite: 'A link to this dashboard',
      'signed out': 'Sign in',
    });
    const keys = await dashboard.store.apiKeys.list(GUILD);
    expect(keys.map(({ name }) => name)).toEqual([EVIL.slice(0, 64), 'website', 'website']);
    expect(await dashboard.store.client.hget(`gr:{${GUILD}}:config`, 'xp_curve')).toBe('amari');
  });

  it('shows the figures of the guild', async () => {
    await signIn();
    expect(await text()).toContain('850 of 1,000 used. The count starts anew in 20 min.');
    expect(await text()).toContain('Plan starter');
    expect(await page.getByRole('meter').getAttribute('value')).toBe('850');
    expect(await page.getByRole('row').nth(1).textContent()).toMatch(/1Member 11\s*\d+6,000/);
    expect(await page.getByRole('row').count()).toBe(11);
  });

  it('makes a key that the service takes at once, with the line of curl that is shown, and refuses it once it is revoked', async () => {
    const service: TestService = await startService(onRedis(dashboard));
    try {
      await signIn(GUILD, { permissions: ['clipboard-read', 'clipboard-write'] });
      await follow('API keys');
      await page.getByLabel('Name').fill('phone app');
      await page.getByLabel('Valid').selectOption('30 days');
      await press('Make the key');
      await press('Copy the key');
      const key = (await page.evaluate('navigator.clipboard.readText()')) as string;
      expect(key).toMatch(/^gr_\w{38}$/);
      expect(await page.locator('#curl').textContent()).toBe(
        `curl -H 'x-api-key: ${key}' 'https://ranks.example.com/api/v1/servers/${GUILD}/leaderboard?limit=5'`,
      );
      const status = async () =>
        (await request(service.url).get(`/api/v1/servers/${GUILD}/stats`).set('x-api-key', key)).status;
      expect(await status()).toBe(200);

      await follow('Back to all keys');
      expect(await text()).toContain(`${key.slice(0, 7)}…`);
      expect(await text()).not.toContain(key);
      await follow('Revoke phone app');
      await press('Revoke it');
      expect(await text()).toContain('The key is revoked.');
      expect(await status()).toBe(401);
      await follow('Activity');
      expect(await text()).toMatch(
        /Revoked the API key \w{10} "phone app" ?owner u1, session [0-9a-f]{8} ?127\.0\.0\.1/,
      );
    } finally {
      await service.close();
    }
  });

  it('says what a curve does to the average level before it is saved, and it does just that', async () => {
    await signIn();
    await follow('Settings');
    await page.locator('select[name=curve]').selectOption('custom');
    await page.getByLabel(/custom curve/).fill('0, 0, 50, 0, 1, 1');
    await press('See what it does');
    const promised = Number(await page.locator('b.figure').textContent());
    expect(promised).toBeGreaterThan(10);
    expect(await dashboard.store.client.hget(`gr:{${GUILD}}:config`, 'xp_curve')).toBeNull();
    await press('Save the curve');
    expect(await text()).toContain(`Now custom, with an average level of ${promised}.`);
    expect((await dashboard.store.audit.check(GUILD)).exact).toBe(true);
  });

  it('leads the operator from all guilds to a plan, and to a link for the owner', async () => {
    await signIn(null);
    expect(await page.getByRole('row').count()).toBe(3);
    await follow(`Plan and invite of another`);
    await page.locator('select[name=plan]').selectOption('pro');
    await press('Change the plan');
    expect(await dashboard.store.client.hget('gr:{another}:config', 'plan')).toBe('pro');
    await page.getByLabel(/User id of the person/).fill('u7');
    await press('Make the link');
    const link = (await page.locator('#link').textContent()) ?? '';
    const owner = await (await browser.newContext()).newPage();
    await owner.goto(link);
    await owner.getByRole('button', { name: 'Sign in' }).click();
    expect(owner.url()).toBe(`${dashboard.url}/guilds/another`);
    expect(await owner.textContent('footer')).toContain('an owner of this guild (u7)');
    await owner.context().close();
  });

  it('is used by the keyboard alone', async () => {
    await signIn();
    // A key that is pressed before the page has replaced the one of the sign-in is lost.
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.waitForLoadState();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'API keys', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Name').focus();
    await page.keyboard.type('typed');
    await page.keyboard.press('Enter');
    await page.locator('#key').waitFor();
    expect(await heading()).toBe('Your new key');
  });
});

/** Returns the Redis of a dashboard as a store of the service. */
function onRedis({ redis, store }: TestDashboard): TestStore {
  const connect = () => store.client.duplicate() as typeof store.client;
  return { client: store.client, connect, url: redis.url, empty: async () => {}, stop: async () => {} };
}
