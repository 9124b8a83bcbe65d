import request from 'supertest';
import { beforeEach, describe, expect, it } from 'vitest';
import { sharedChromium } from '../../tools/browser.ts';
import { needs } from '../support/needs.ts';
import { startService } from '../support/service.ts';
import { storeOn } from '../support/stores.ts';
import { ALL_VARIANTS } from '../support/variants.ts';
import { dashboardVisit, GUILD } from './dashboard-visit.ts';
import { MANY_LOOKS_MS } from './engines.ts';

/** A name that runs, pushes or turns what does not treat it as text. */
const EVIL = `\u202e<img src=x onerror="document.title=1">${'W'.repeat(20)}`;

describe('the dashboard in Chromium', needs('chromium', 'redis-server'), () => {
  const visit = dashboardVisit((n) => (n === 5 ? EVIL : `Member ${n}`));

  beforeEach(async () => {
    const { client, writer, apiKeys } = visit.dashboard.store;
    await client.set(`gr:quota:{${GUILD}}`, '850', 'EX', 1200);
    await apiKeys.create(GUILD, EVIL.slice(0, 64), 86_400_000, ['https://www.example.com']);
    await apiKeys.create(GUILD, 'old', -1000);
    await writer.record('another', { userId: 'x', set: 5 });
    const hour = Math.floor(Date.now() / 3_600_000);
    const [key] = await apiKeys.list(GUILD);
    const counts = {
      [`${hour}:${key?.id}`]: 1200,
      [`${hour - 1}:${key?.id}`]: 40,
      [`${hour - 30}:${key?.id}:refused`]: 25,
    };
    await client.hset(`gr:{${GUILD}}:usage`, counts);
  });

  const heading = async () => (await visit.page.getByRole('heading', { level: 1 }).textContent()) ?? '';

  /** Goes through every page and form of an owner and of the operator, and calls `look` on each. */
  async function tour(look: (name: string) => Promise<void>): Promise<void> {
    await look('overview');
    await visit.follow('API keys');
    await look('keys');
    await visit.page.getByLabel('Name').fill('website');
    await visit.page.getByLabel(/Web origins/).fill('nonsense');
    await visit.press('Make the key');
    await look('keys, refused');
    await visit.page.getByLabel(/Web origins/).fill('https://a.example');
    await visit.press('Make the key');
    await look('key made');
    await visit.follow('Back to all keys');
    await visit.follow('Rotate website');
    await look('key rotate');
    await visit.press('Make the new key');
    await look('key rotated');
    await visit.follow('Back to all keys');
    await visit.follow('Revoke old');
    await look('key revoke');
    await visit.press('Revoke it');
    await look('key revoked');
    await visit.follow('Settings');
    await look('settings');
    await visit.page.locator('select[name=curve]').selectOption('amari');
    await visit.press('See what it does');
    await look('curve preview');
    await visit.press('Save the curve');
    await look('settings, saved');
    await visit.page.getByLabel(/Multiplier/).fill('9999');
    await visit.press('Save');
    await look('settings, refused');
    await visit.follow('Make rules');
    await visit.page.getByLabel('Multipliers of roles').fill('400000000000000003 1001');
    await visit.press('Save the rules');
    await look('rules, refused');
    await visit.page.getByLabel('Multipliers of roles').fill('400000000000000003 1.5');
    await visit.press('Save the rules');
    await visit.follow('Activity');
    await look('activity');
    await visit.page.goto(`${visit.dashboard.url}/guilds/nowhere`);
    await look('refusal');
    await visit.page.goto(`${visit.dashboard.url}/sign-in/x`);
    await look('sign-in, refused');
    await visit.page.goto(await visit.dashboard.link(null));
    await look('sign-in');
    await visit.press('Sign in');
    await look('operator');
    await visit.follow(`Plan and invite of ${GUILD}`);
    await look('settings of the operator');
    await visit.press('Make the link');
    await look('invite');
    await visit.page.goto(`${visit.dashboard.url}/operator?search=new-guild`);
    await look('operator, searched');
    await visit.press('Sign out');
    await look('signed out');
  }

  const SEEN = {
    overview: 'Overview',
    'keys, refused': 'API keys',
    'key made': 'Your new key',
    'key rotated': 'Your new key',
    'key revoked': 'API keys',
    'curve preview': 'A new curve',
    'settings, saved': 'Settings',
    'rules, refused': 'XP rules and roles',
    activity: 'Activity',
    refusal: 'Not found',
    'sign-in, refused': 'This link does not work',
    operator: 'All guilds',
    invite: 'A link to this dashboard',
    'signed out': 'Sign in',
  };

  /** Goes through all pages, expects their headings, and that the forms did what they say. */
  async function expectTour(look: (step: string) => Promise<void> = async () => {}): Promise<void> {
    const seen: Record<string, string> = {};
    await tour(async (step) => {
      seen[step] = await heading();
      await look(step);
    });
    expect(seen).toMatchObject(SEEN);
    expect(Object.keys(seen)).toHaveLength(22);
    const keys = await visit.dashboard.store.apiKeys.list(GUILD);
    expect(keys.map(({ name }) => name)).toEqual([EVIL.slice(0, 64), 'website', 'website']);
    const stored = await visit.dashboard.store.client.hmget(`gr:{${GUILD}}:config`, 'xp_curve', 'rules');
    expect(stored).toEqual(['amari', expect.stringContaining('"roles":{"400000000000000003":1.5}')]);
  }

  it('has no violations of axe, fits, runs nothing foreign and works', { timeout: MANY_LOOKS_MS }, async () => {
    await visit.signIn();
    await expectTour((step) => visit.expectRight(step));
    await visit.expectNothingForeign();
  });

  // The second tier has the pages that scripts change most: those of sites, imports and members.
  if (ALL_VARIANTS)
    it('works in full without scripts', async () => {
      await visit.signIn(GUILD, { javaScriptEnabled: false });
      await expectTour();
    });

  it('shows all digits of any total, and all columns of its tables, on a phone', async () => {
    const { writer } = visit.dashboard.store;
    await writer.record(GUILD, { userId: 'm0', set: Number.MAX_SAFE_INTEGER });
    await writer.record(GUILD, { userId: 'm1', set: Number.MAX_SAFE_INTEGER });
    await visit.signIn();
    expect(await visit.text()).toContain('18,014,398,509,');
    await visit.expectFits('overview of a large guild');
  });

  it('shows the figures of the guild, and the times of the charts by the clock of the reader', async () => {
    await visit.signIn(GUILD, { timezoneId: 'Asia/Kolkata', locale: 'en-GB' });
    expect(await visit.text()).toContain('850 of 1,000 used. The count starts anew in 20 min.');
    expect(await visit.text()).toContain('Plan starter');
    expect(await visit.page.getByRole('meter').getAttribute('value')).toBe('850');
    expect(await visit.page.getByRole('row').nth(1).textContent()).toMatch(/1Member 11\s*\d+6,000/);
    expect(await visit.page.getByRole('row').count()).toBe(11);
    const bars = await visit.page.locator('svg title').allTextContents();
    expect(bars).toHaveLength(24 + 7);
    // Hours of UTC begin at half past there.
    for (const text of bars) expect(text).toMatch(/^\d\d? \w+ \d{4}, \d\d:30: \d/);
    const axes = visit.page.locator('.axis');
    expect(await axes.first().locator('time').allTextContents()).toEqual(
      Array(3).fill(expect.stringMatching(/^\d\d?:30$/)),
    );
    expect(await axes.last().locator('time').allTextContents()).toEqual(
      Array(7).fill(expect.stringMatching(/^[A-Z]\w\w$/)),
    );
  });

  it('makes a key that the service takes at once, with the line of curl that is shown, and refuses it once it is revoked', async () => {
    const store = storeOn(visit.dashboard.redis);
    const service = await startService(store);
    try {
      await visit.signIn(GUILD, { permissions: ['clipboard-read', 'clipboard-write'] });
      await visit.follow('API keys');
      await visit.page.getByLabel('Name').fill('phone app');
      await visit.page.getByLabel('Valid').selectOption('30 days');
      await visit.press('Make the key');
      await visit.press('Copy the key');
      const key = (await visit.page.evaluate('navigator.clipboard.readText()')) as string;
      expect(key).toMatch(/^gr_\w{38}$/);
      expect(await visit.page.locator('#curl').textContent()).toBe(
        `curl -H 'x-api-key: ${key}' 'https://ranks.example.com/api/v1/servers/${GUILD}/leaderboard?limit=5'`,
      );
      const status = async () =>
        (await request(service.url).get(`/api/v1/servers/${GUILD}/stats`).set('x-api-key', key)).status;
      expect(await status()).toBe(200);

      await visit.follow('Back to all keys');
      expect(await visit.text()).toContain(`${key.slice(0, 7)}…`);
      expect(await visit.text()).not.toContain(key);
      await visit.follow('Revoke phone app');
      await visit.press('Revoke it');
      expect(await visit.text()).toContain('The key is revoked.');
      expect(await status()).toBe(401);
      await visit.follow('Activity');
      expect(await visit.text()).toMatch(
        /Revoked the API key \w{10} "phone app" ?owner u1, session [0-9a-f]{8} ?127\.0\.0\.1/,
      );
    } finally {
      await service.close();
      store.disconnect();
    }
  });

  it('says what a curve does to the average level before it is saved, and it does just that', async () => {
    await visit.signIn();
    await visit.follow('Settings');
    await visit.page.locator('select[name=curve]').selectOption('custom');
    await visit.page.getByLabel(/custom curve/).fill('0, 0, 50, 0, 1, 1');
    await visit.press('See what it does');
    const promised = Number(await visit.page.locator('b.figure').textContent());
    expect(promised).toBeGreaterThan(10);
    expect(await visit.dashboard.store.client.hget(`gr:{${GUILD}}:config`, 'xp_curve')).toBeNull();
    await visit.press('Save the curve');
    expect(await visit.text()).toContain(`Now custom, with an average level of ${promised}.`);
    expect((await visit.dashboard.store.counters.check(GUILD)).exact).toBe(true);
  });

  it('leads the operator from all guilds to a plan, and to a link for the owner', async () => {
    await visit.signIn(null);
    expect(await visit.page.getByRole('region', { name: 'Guilds' }).getByRole('row').count()).toBe(3);
    await visit.follow(`Plan and invite of another`);
    await visit.page.locator('select[name=plan]').selectOption('pro');
    await visit.press('Change the plan');
    expect(await visit.dashboard.store.client.hget('gr:{another}:config', 'plan')).toBe('pro');
    await visit.page.getByLabel(/User id of the person/).fill('u7');
    await visit.press('Make the link');
    const link = (await visit.page.locator('#link').textContent()) ?? '';
    const owner = await (await sharedChromium()).newPage();
    await owner.goto(link);
    await owner.getByRole('button', { name: 'Sign in' }).click();
    expect(owner.url()).toBe(`${visit.dashboard.url}/guilds/another`);
    expect(await owner.textContent('footer')).toContain('an owner (u7)');
    await owner.close();
  });

  it('keeps a form that is too large, and says how large it may be', async () => {
    await visit.signIn();
    await visit.follow('Settings');
    await visit.follow('Make rules');
    const field = visit.page.getByLabel(/Document of rules/);
    // Three bytes of the form are a quote, and six a line break.
    const text = `${'"'.repeat(32)}\n`.repeat(970);
    await field.fill(text);
    await visit.press('Save the JSON');
    const button = "document.querySelector('form[action$=json] button')";
    expect(await visit.page.evaluate(`${button}.validationMessage`)).toBe(
      'This form has 97 kB, and 96 kB at most are taken: shorten it.',
    );
    expect(await field.inputValue()).toBe(text);
    await field.fill('{}');
    await visit.press('Save the JSON');
    expect(await visit.text()).toContain('The rules are saved.');
  });

  it('is used by the keyboard alone', async () => {
    await visit.signIn();
    // A key that is pressed before the page has replaced the one of the sign-in is lost.
    await visit.page.getByRole('heading', { name: 'Overview' }).waitFor();
    await visit.page.waitForLoadState();
    await visit.page.keyboard.press('Tab');
    expect(await visit.page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
    await visit.page.keyboard.press('Enter');
    await visit.page.getByRole('link', { name: 'API keys', exact: true }).focus();
    await visit.page.keyboard.press('Enter');
    await visit.page.getByLabel('Name').focus();
    await visit.page.keyboard.type('typed');
    await visit.page.keyboard.press('Enter');
    await visit.page.locator('#key').waitFor();
    expect(await heading()).toBe('Your new key');
  });
});
