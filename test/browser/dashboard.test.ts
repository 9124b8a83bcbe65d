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
      [`${hour}:data`]: 108,
    };
    await client.hset(`gr:{${GUILD}}:usage`, counts);
  });

  const heading = async () => (await visit.page.getByRole('heading', { level: 1 }).textContent()) ?? '';

  /** Goes through every page and form of an owner and of the operator, and calls `look` on each. */
  async function tour(look: (name: string) => Promise<void>): Promise<void> {
    await look('overview');
    await visit.follow('API Keys');
    await look('keys');
    await visit.page.getByLabel('Name').fill('website');
    await visit.page.getByLabel(/Allowed websites/).fill('nonsense');
    await visit.press('Make the API Key');
    await look('keys, refused');
    await visit.page.getByLabel(/Allowed websites/).fill('https://a.example');
    await visit.press('Make the API Key');
    await look('key made');
    await visit.follow('All API Keys');
    await visit.follow('Rotate website');
    await look('key rotate');
    await visit.press('Make the new API Key');
    await look('key rotated');
    await visit.follow('All API Keys');
    await visit.follow('Revoke old');
    await look('key revoke');
    await visit.press('Revoke it');
    await look('key revoked');
    await visit.follow('XP and rewards');
    await look('earning');
    await visit.follow('Level curve');
    await look('curve');
    await visit.page.locator('select[name=curve]').selectOption('amari');
    await visit.press('See what it does');
    await look('curve preview');
    await visit.press('Save the curve');
    await look('curve, saved');
    await visit.follow('Multipliers');
    await visit.page.getByLabel('XP multiplier').fill('9999');
    await visit.press('Save');
    await look('multiplier, refused');
    await visit.press('Add a role');
    await visit.page.getByLabel('Role', { exact: true }).fill('400000000000000003');
    await visit.page.getByLabel('Multiplier', { exact: true }).fill('1001');
    await visit.press('Save changes');
    await look('multipliers, refused');
    const wrong = visit.page.getByLabel('Multiplier', { exact: true });
    expect(await wrong.evaluate('document.activeElement.name')).toBe('role_multiplier');
    await wrong.fill('1.5');
    await visit.press('Save changes');
    await visit.follow('Rewards');
    await visit.press('Add a reward');
    await visit.page.getByLabel('Level', { exact: true }).fill('5');
    await visit.page.getByLabel('Role', { exact: true }).fill('400000000000000005');
    await look('rewards, added');
    await visit.press('Save changes');
    await visit.follow('File and JSON');
    await look('rules as JSON');
    await visit.follow('Boards');
    await visit.page.getByLabel(/Board of the week/).check();
    await visit.press('Save the boards');
    await look('boards');
    await visit.follow('Public page');
    await visit.page.getByLabel('Accent', { exact: true }).fill('teal');
    await visit.press('Save the page');
    await look('public page, refused');
    await visit.follow('Who has access');
    await look('access');
    await visit.page.locator('.switcher > summary').click();
    await visit.follow('Sign out everywhere');
    await look('sign out everywhere');
    await visit.follow('Stay signed in');
    await visit.follow('Activity');
    await look('activity');
    await visit.page.goto(`${visit.dashboard.url}/guilds/nowhere`);
    await look('refused page');
    await visit.page.goto(`${visit.dashboard.url}/sign-in/x`);
    await look('sign-in, refused');
    await visit.page.goto(await visit.dashboard.link(null));
    await look('sign-in');
    await visit.press('Sign in');
    await look('operator');
    await visit.follow(`Plan and access of ${GUILD}`);
    await look('access of the operator');
    await visit.press('Make the link');
    await look('invite');
    await visit.page.goto(`${visit.dashboard.url}/operator?search=new-guild`);
    await look('operator, searched');
    await visit.press('Sign out');
    await look('signed out');
  }

  const SEEN = {
    overview: 'Overview',
    'keys, refused': 'API Keys',
    'key made': 'Your new API Key',
    'key rotated': 'Your new API Key',
    'key revoked': 'API Keys',
    'curve preview': 'A new level curve',
    'curve, saved': 'XP and rewards',
    'multipliers, refused': 'XP and rewards',
    'rewards, added': 'XP and rewards',
    boards: 'Boards',
    'public page, refused': 'Public page',
    access: 'Who has access',
    'sign out everywhere': 'Sign out everywhere?',
    activity: 'Activity',
    'refused page': 'Not found',
    'sign-in, refused': 'This link does not work',
    operator: 'All servers',
    invite: 'A link for the owner',
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
    expect(Object.keys(seen)).toHaveLength(29);
    const keys = await visit.dashboard.store.apiKeys.list(GUILD);
    expect(keys.map(({ name }) => name)).toEqual([EVIL.slice(0, 64), 'website', 'website']);
    const stored = await visit.dashboard.store.client.hmget(`gr:{${GUILD}}:config`, 'xp_curve', 'rules');
    expect(stored[0]).toBe('amari');
    expect(JSON.parse(stored[1] ?? '')).toMatchObject({
      multipliers: { roles: { '400000000000000003': 1.5 } },
      rewards: [{ level: 5, role: '400000000000000005', kept: true }],
    });
  }

  it('every page of the dashboard works and fits its screens, axe finds nothing, and nothing foreign runs', {
    timeout: MANY_LOOKS_MS,
  }, async () => {
    await visit.signIn();
    await expectTour((step) => visit.expectRight(step));
    await visit.expectNothingForeign();
  });

  // The second tier has the pages that scripts change most: those of sites, imports and members.
  if (ALL_VARIANTS)
    it('every page of the dashboard works in full without scripts', async () => {
      await visit.signIn(GUILD, { javaScriptEnabled: false });
      await expectTour();
    });

  it('the dashboard shows all digits of any total, and all columns of its tables, on a phone', async () => {
    const { writer } = visit.dashboard.store;
    await writer.record(GUILD, { userId: 'm0', set: Number.MAX_SAFE_INTEGER });
    await writer.record(GUILD, { userId: 'm1', set: Number.MAX_SAFE_INTEGER });
    await visit.signIn();
    expect(await visit.text()).toContain('18,014,398,509,');
    await visit.expectFits('overview of a large guild');
  });

  it('the overview shows the figures of the guild, and the times of the charts by the clock of the reader', async () => {
    await visit.signIn(GUILD, { timezoneId: 'Asia/Kolkata', locale: 'en-GB' });
    expect(await visit.text()).toMatch(/API requests this hour ?850 ?of 1,000 · renews in 20 min/);
    const rows = visit.page.locator('main .rows a.row');
    expect(await rows.first().textContent()).toMatch(/Rank 1.*Member 11\s*Level \d+\s*6,000 XP/s);
    expect(await rows.count()).toBe(5);
    const bars = await visit.page.locator('svg title').allTextContents();
    expect(bars).toHaveLength(24);
    // Hours of UTC begin at half past there.
    for (const text of bars) expect(text).toMatch(/^\d\d? \w+ \d{4}, \d\d:30: \d/);
    const axis = visit.page.locator('.axis time');
    expect(await axis.allTextContents()).toEqual(Array(3).fill(expect.stringMatching(/^\d\d:30$/)));
    await visit.follow('7 days');
    expect(await visit.page.locator('svg title').count()).toBe(7);
    expect(await axis.allTextContents()).toEqual(Array(7).fill(expect.stringMatching(/^[A-Z]\w\w$/)));
  });

  it('the service takes a new key at once, with the line of curl that the page shows, and refuses the key once it is revoked', async () => {
    const store = storeOn(visit.dashboard.redis);
    const service = await startService(store);
    try {
      await visit.signIn(GUILD, { permissions: ['clipboard-read', 'clipboard-write'] });
      await visit.follow('API Keys');
      await visit.page.getByLabel('Name').fill('phone app');
      await visit.page.getByLabel('Valid for').selectOption('30 days');
      await visit.press('Make the API Key');
      await visit.press('Copy the API Key');
      const clipboard = () => visit.page.evaluate('navigator.clipboard.readText()') as Promise<string>;
      await expect.poll(clipboard).toMatch(/^gr_\w{38}$/);
      const key = await clipboard();
      expect(await visit.page.locator('#curl').textContent()).toBe(
        `curl -H 'x-api-key: ${key}' 'https://ranks.example.com/api/v1/servers/${GUILD}/leaderboard?limit=5'`,
      );
      const status = async () =>
        (await request(service.url).get(`/api/v1/servers/${GUILD}/stats`).set('x-api-key', key)).status;
      expect(await status()).toBe(200);

      await visit.follow('All API Keys');
      expect(await visit.text()).toContain(`${key.slice(0, 7)}…`);
      expect(await visit.text()).not.toContain(key);
      await visit.follow('Revoke phone app');
      await visit.press('Revoke it');
      expect(await visit.text()).toContain('API Key revoked.');
      await expect.poll(status).toBe(401);
      await visit.follow('Activity');
      expect(await visit.text()).toMatch(
        /Revoked the API Key \w{10} "phone app" ?owner u1, session [0-9a-f]{8} ?127\.0\.0\.1/,
      );
    } finally {
      await service.close();
      store.disconnect();
    }
  });

  it('the page of the curve says before saving which average level a curve makes, and the curve does just that', async () => {
    await visit.signIn();
    await visit.follow('XP and rewards');
    await visit.follow('Level curve');
    await visit.page.locator('select[name=curve]').selectOption('custom');
    await visit.page.getByLabel(/custom curve/).fill('0, 0, 50, 0, 1, 1');
    await visit.press('See what it does');
    const promised = Number(await visit.page.locator('#after').textContent());
    expect(promised).toBeGreaterThan(10);
    expect(await visit.dashboard.store.client.hget(`gr:{${GUILD}}:config`, 'xp_curve')).toBeNull();
    await visit.press('Save the curve');
    expect(await visit.text()).toContain(`Your server uses custom, which makes an average level of ${promised}.`);
    expect((await visit.dashboard.store.counters.check(GUILD)).exact).toBe(true);
  });

  it('the operator comes from all guilds to a plan, and to a link for the owner', async () => {
    await visit.signIn(null);
    expect(await visit.page.getByRole('region', { name: 'Servers' }).getByRole('row').count()).toBe(3);
    await visit.follow(`Plan and access of another`);
    await visit.page.locator('select[name=plan]').selectOption('pro');
    await visit.press('Change the plan');
    expect(await visit.dashboard.store.client.hget('gr:{another}:config', 'plan')).toBe('pro');
    await visit.page.getByLabel(/User id of the owner/).fill('u7');
    await visit.press('Make the link');
    const link = (await visit.page.locator('#link').textContent()) ?? '';
    const owner = await (await sharedChromium()).newPage();
    await owner.goto(link);
    await owner.getByRole('button', { name: 'Sign in' }).click();
    expect(owner.url()).toBe(`${visit.dashboard.url}/guilds/another`);
    expect(await owner.textContent('.account')).toMatch(/Owner\s*Signed in by a link/);
    await owner.close();
  });

  it('a row shows the level and both ends of the id on a phone, and the navigation fades where it goes on', async () => {
    const ids = ['200000000000010000', '200000000000010001'];
    await visit.dashboard.store.writer.recordMany(
      GUILD,
      ids.map((userId) => ({ userId, set: 9_000_000, username: 'A name that is long on a phone' })),
    );
    await visit.signIn(GUILD, { viewport: { width: 360, height: 740 } });
    await visit.follow('Members');
    const rows = visit.page.locator('main .rows a.row');
    for (const [n, id] of [...ids].reverse().entries()) {
      const row = rows.nth(n);
      expect(await row.locator('.level').isVisible()).toBe(true);
      expect(await row.locator('.id').textContent()).toBe(id);
      const end = await row.locator('.id > :last-child').boundingBox();
      const line = await row.locator('.lines').boundingBox();
      expect(end && line && end.x + end.width <= line.x + line.width + 1).toBe(true);
      expect(await row.locator('.id > :last-child').textContent()).toBe(id.slice(-6));
    }
    const fade = `(({ position, backgroundImage }) => position + ' ' + backgroundImage)(getComputedStyle(document.querySelector('.side nav'), '::after'))`;
    expect(await visit.page.evaluate(fade)).toMatch(/^sticky linear-gradient/);
    const width = "document.querySelector('.side nav').scrollWidth > innerWidth";
    expect(await visit.page.evaluate(width)).toBe(true);
    await visit.page.setViewportSize({ width: 1100, height: 800 });
    const shown = "getComputedStyle(document.querySelector('.side nav'), '::after').display";
    expect(await visit.page.evaluate(shown)).toBe('none');
  });

  it('a list shows three lines of the longest name, and the page of the member shows all of it', async () => {
    const longest = 'W'.repeat(512);
    await visit.dashboard.store.writer.record(GUILD, { userId: 'long', set: 9000, username: longest });
    await visit.signIn();
    await visit.page.setViewportSize({ width: 360, height: 740 });
    await visit.page.goto(`${visit.dashboard.url}/guilds/${GUILD}/members`);
    const row = visit.page.locator('#members > li').first();
    expect((await row.boundingBox())?.height).toBeLessThan(160);
    await row.getByRole('link').click();
    await visit.page.waitForLoadState();
    const heading = visit.page.getByRole('heading', { level: 1 });
    expect(await heading.textContent()).toBe(longest);
    expect((await heading.boundingBox())?.height).toBeGreaterThan(500);
  });

  it('a new owner sees the first steps above the requests on a phone, and beside them on a wide screen', async () => {
    await visit.signIn();
    await visit.page.goto(`${visit.dashboard.url}/guilds/${GUILD}`);
    const steps = visit.page.locator('.setup');
    const requests = visit.page.locator('#requests');
    await visit.page.setViewportSize({ width: 1440, height: 900 });
    const wideSteps = await steps.boundingBox();
    const wideRequests = await requests.boundingBox();
    await visit.page.setViewportSize({ width: 360, height: 740 });
    const phoneSteps = await steps.boundingBox();
    const phoneRequests = await requests.boundingBox();
    expect(wideSteps?.y).toBe(wideRequests?.y);
    expect(wideSteps?.x).toBeGreaterThan(wideRequests?.x ?? 0);
    expect(phoneSteps?.y).toBeLessThan(phoneRequests?.y ?? 0);
  });

  it('a form that is too large keeps its input, and says how large it may be', async () => {
    await visit.signIn();
    await visit.follow('XP and rewards');
    await visit.follow('File and JSON');
    const field = visit.page.getByLabel(/Rules as JSON/);
    // Three bytes of the form are a quote, and six a line break.
    const text = `${'"'.repeat(32)}\n`.repeat(970);
    await field.fill(text);
    await visit.press('Save the rules');
    const button = "document.querySelector('form[action$=json] button')";
    expect(await visit.page.evaluate(`${button}.validationMessage`)).toBe(
      'This form has 97 kB, and may have at most 96 kB: shorten it.',
    );
    expect(await field.inputValue()).toBe(text);
    await field.fill('{}');
    await visit.press('Save the rules');
    expect(await visit.text()).toContain('Saved. Your bot follows the rules');
  });

  it('a person can use the dashboard by the keyboard alone', async () => {
    await visit.signIn();
    // A key that is pressed before the page has replaced the one of the sign-in is lost.
    await visit.page.getByRole('heading', { name: 'Overview' }).waitFor();
    await visit.page.waitForLoadState();
    await visit.page.keyboard.press('Tab');
    expect(await visit.page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
    await visit.page.keyboard.press('Enter');
    await visit.page.getByRole('link', { name: 'API Keys', exact: true }).focus();
    await visit.page.keyboard.press('Enter');
    await visit.page.waitForURL('**/keys');
    await visit.page.getByLabel('Name').focus();
    await visit.page.keyboard.type('typed');
    await visit.page.keyboard.press('Enter');
    await visit.page.locator('#key').waitFor();
    expect(await heading()).toBe('Your new API Key');
  });
});
