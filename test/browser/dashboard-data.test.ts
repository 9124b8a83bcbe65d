import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { axeViolations } from '../support/axe.ts';
import { hasChromium, launchChromium } from '../support/browser.ts';
import { startTestDashboard, type TestDashboard } from '../support/dashboard.ts';
import { hasRedis } from '../support/stores.ts';

const GUILD = '81384788765712384';
const WIDE = { width: 1100, height: 800 };
const PHONE = { width: 360, height: 740 };
const EVIL = `<img src=x onerror="document.title=1">`;

describe.skipIf(!hasChromium || !hasRedis)('the dashboard in Chromium, its pages widget, import and members', () => {
  let browser: Browser;
  let dashboard: TestDashboard;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];
  let elsewhere: string[];
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-files-'));
  const file = join(folder, 'members.csv');

  beforeAll(async () => {
    writeFileSync(file, `user_id,xp,username\nnew,900,"${EVIL.replaceAll('"', '""')}"\nbad,x,y\nnewer,20,Nora\n`);
    [browser, dashboard] = await Promise.all([
      launchChromium(),
      startTestDashboard({ DASHBOARD_API_URL: 'https://ranks.example.com' }),
    ]);
  });
  afterAll(async () => {
    await browser?.close();
    await dashboard?.close();
    rmSync(folder, { recursive: true });
  });
  beforeEach(async () => {
    const { client, writer, guildConfig } = dashboard.store;
    await client.flushall();
    const members = Array.from({ length: 12 }, (_, n) => ({
      userId: `m${n}`,
      set: 500 * (n + 1),
      profile: { username: n === 11 ? EVIL : `Member ${n}` },
    }));
    await writer.recordMany(GUILD, members);
    await guildConfig.update(GUILD, { plan: 'starter' });
  });
  afterEach(() => context.close());

  async function signIn(options: BrowserContextOptions = {}): Promise<void> {
    context = await browser.newContext({ viewport: WIDE, ...options });
    page = await context.newPage();
    complaints = [];
    elsewhere = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`));
    page.on('request', (sent) => {
      if (!sent.url().startsWith(dashboard.url) && !sent.url().startsWith('data:')) elsewhere.push(sent.url());
    });
    await page.goto(await dashboard.link(GUILD, 'u1'));
    await press('Sign in');
  }
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const follow = (name: string) => page.getByRole('link', { name, exact: true }).click();
  const text = async () => (await page.textContent('main')) ?? '';
  /** Waits for a member in the preview, which asks for nothing before it is seen. */
  const previewed = async (name: string): Promise<void> => {
    await board().scrollIntoViewIfNeeded();
    await board().getByText(name).first().waitFor();
  };
  const board = () => page.locator('#preview');
  const ranking = () => dashboard.store.client.zrevrange(`gr:{${GUILD}}:xp`, 0, -1);
  /** Waits for the end of the load: the page follows it. */
  const ended = () => page.getByRole('button', { name: 'Import another file' }).waitFor();

  /** Goes through the pages and forms, and calls `look` on each. */
  async function tour(look: (name: string) => Promise<void>): Promise<void> {
    await follow('Widget');
    await look('widget');
    await page.getByLabel(/Refresh in seconds/).fill('5');
    await press('Show');
    await look('widget, changed');
    await page.goto(`${dashboard.url}/guilds/${GUILD}/widget?page-size=999`);
    await look('widget, refused');
    await follow('Import');
    await look('import');
    await page.getByLabel('File', { exact: true }).setInputFiles(file);
    await press('Check the file');
    await look('import, checked');
    await press('Load the members');
    await ended();
    await look('import, loaded');
    await press('Import another file');
    await follow('Members');
    await look('members');
    await page.getByLabel('User id').fill('nobody');
    await press('Find');
    await look('members, not found');
    await page.getByLabel('User id').fill('m11');
    await press('Find');
    await look('member');
    await follow('Hide');
    await look('member, to hide');
    await press('Hide the member');
    await look('member, hidden');
    await follow('Show again');
    await press('Show the member again');
    await follow('Remove');
    await look('member, to remove');
    await press('Remove the member');
    await look('member, removed');
    await follow('Activity');
    await look('activity');
  }

  it.each([
    ['wide and light', { viewport: WIDE, colorScheme: 'light' }],
    ['wide and dark', { viewport: WIDE, colorScheme: 'dark' }],
    ['a phone and light', { viewport: PHONE, colorScheme: 'light' }],
    ['a phone and dark', { viewport: PHONE, colorScheme: 'dark' }],
  ] as const)('have no violations of axe, fit and run nothing foreign: %s', async (name, options) => {
    await signIn(options);
    const seen: string[] = [];
    await tour(async (step) => {
      seen.push(step);
      if (step.startsWith('widget')) await previewed('Member 10');
      expect([step, await axeViolations(page)]).toEqual([step, []]);
      const width = 'document.documentElement.scrollWidth - innerWidth';
      expect([step, await page.evaluate(width)]).toEqual([step, 0]);
      await page.evaluate(`document.documentElement.dir = 'rtl'`);
      expect([step, await page.evaluate(width)]).toEqual([step, 0]);
      await page.evaluate(`document.documentElement.dir = 'ltr'`);
      const { SCREENSHOTS } = process.env;
      const path = `${SCREENSHOTS}/${name} ${step}.png`.replaceAll(' ', '-').replaceAll(',', '');
      if (SCREENSHOTS) await page.screenshot({ path, fullPage: true });
    });
    expect(seen).toHaveLength(14);
    expect(complaints.filter((line) => !/status of 4\d\d/.test(line))).toEqual([]);
    expect(elsewhere).toEqual([]);
    expect(await page.title()).not.toBe('1');
  });

  it('work in full without scripts', async () => {
    await signIn({ javaScriptEnabled: false });
    const seen: Record<string, string> = {};
    await tour(async (step) => {
      seen[step] = await text();
    });
    expect(seen['widget, changed']).toContain(
      '<guild-leaderboard guild="81384788765712384" api-key="gr_..." refresh="5">',
    );
    expect(seen['widget, changed']).toMatch(/10086,400 requests/);
    expect(seen.widget).toContain('The preview needs JavaScript');
    expect(seen['import, checked']).toContain('members.csv line 3: xp "x" is not a whole number');
    expect(seen['import, loaded']).toContain('loaded 2 members');
    expect(seen['member, hidden']).toContain('hidden: in no ranking');
    expect(seen.activity).toContain('Removed the member m11');
    expect((await ranking()).slice(0, 2)).toEqual(['m10', 'm9']);
    expect(await ranking()).toContain('newer');
    expect((await dashboard.store.audit.check(GUILD)).exact).toBe(true);
  });

  it('show the widget itself with the data of the guild, and it follows the form, its tag and its cost too', async () => {
    await signIn();
    await follow('Widget');
    await previewed('Member 10');
    expect(await board().getByText(EVIL).count()).toBeGreaterThan(0);
    expect(await text()).toContain('172 requests, 7 % of the quota');
    await page.getByLabel(/Rows of a page/).fill('5');
    await page.getByLabel('Theme').selectOption('dark');
    await page.getByLabel(/Refresh in seconds/).fill('10');
    await page.getByLabel('Accent', { exact: true }).fill('#0f766e');
    const snippet = page.locator('#snippet');
    await snippet.getByText('theme="dark" page-size="5" refresh="10"').waitFor();
    expect(await snippet.textContent()).toContain('guild-leaderboard { --guildrank-accent: #0f766e }');
    expect(await snippet.textContent()).toContain('block-size: 30em');
    await previewed('Member 7');
    expect(await board().getByText('Member 6').count()).toBe(0);
    expect(await board().getAttribute('theme')).toBe('dark');
    const accent = "getComputedStyle(document.getElementById('preview')).getPropertyValue('--guildrank-accent')";
    expect(await page.evaluate(accent)).toBe('#0f766e');
    expect(await page.locator('[data-visitors="10"]').textContent()).toBe('4,320 requests, 432 % of the quota');
    expect(await page.locator('[data-visitors="10"]').getAttribute('class')).toBe('bad');
    // The address has the settings: they stay when the page is loaded again.
    await page.reload();
    await previewed('Member 7');
    expect(await page.getByLabel('Theme').inputValue()).toBe('dark');
    expect(await dashboard.store.client.exists(`gr:quota:{${GUILD}}`)).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('search a member in the preview, and say that there is none', async () => {
    await signIn();
    await follow('Widget');
    await previewed('Member 10');
    await board().getByRole('button', { name: /find/i }).click();
    await board().getByRole('textbox').fill('m3');
    await board().getByRole('textbox').press('Enter');
    await board().getByText('Member 3').first().waitFor();
  });

  it('follow a replacement of all members to its end', async () => {
    await signIn();
    await follow('Import');
    await page.locator('select[name=format]').selectOption('csv');
    await page.getByLabel('File', { exact: true }).setInputFiles(file);
    await press('Check the file');
    await press('Replace all members');
    // The browser holds the form back until the box is checked.
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Check the import');
    await page.getByLabel(/Remove all members that are not/).check();
    await press('Replace all members');
    await ended();
    expect(await text()).toContain('1 bad row: nothing was replaced. Correct them, or load it without replacing');
    expect(await ranking()).toHaveLength(12);
    writeFileSync(join(folder, 'good.csv'), 'user_id,xp\nz,9\n');
    await press('Import another file');
    await page.getByLabel('File', { exact: true }).setInputFiles(join(folder, 'good.csv'));
    await press('Check the file');
    await page.getByLabel(/Remove all members that are not/).check();
    await press('Replace all members');
    await ended();
    expect(await text()).toContain('replaced by 1 members');
    expect(await ranking()).toEqual(['z']);
  });

  it('give all members as a file', async () => {
    await signIn();
    await follow('Members');
    const downloading = page.waitForEvent('download');
    await follow('Download the CSV file');
    expect((await downloading).suggestedFilename()).toBe(`${GUILD}.csv`);
  });
});
