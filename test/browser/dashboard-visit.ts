import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { axeViolations } from '../../tools/axe.ts';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from '../../tools/browser.ts';
import { launchChromium } from '../../tools/browser.ts';
import { startTestDashboard, type TestDashboard } from '../support/dashboard.ts';
import { type PageWatch, watchPage } from './page-watch.ts';

export const GUILD = '81384788765712384';
const WIDE = { width: 1100, height: 800 };
const PHONE = { width: 360, height: 740 };

/** Sizes and themes in which each page must be right. */
export const LOOKS = [
  ['wide and light', { viewport: WIDE, colorScheme: 'light' }],
  ['wide and dark', { viewport: WIDE, colorScheme: 'dark' }],
  ['a phone and light', { viewport: PHONE, colorScheme: 'light' }],
  ['a phone and dark', { viewport: PHONE, colorScheme: 'dark' }],
] as const satisfies [string, BrowserContextOptions][];

/** A person with a browser at a dashboard. */
export class DashboardVisit {
  browser!: Browser;
  dashboard!: TestDashboard;
  context!: BrowserContext;
  page!: Page;
  watch!: PageWatch;

  /** Opens a browser and signs in, by the button of the link. */
  async signIn(guildId: string | null = GUILD, options: BrowserContextOptions = {}): Promise<void> {
    this.context = await this.browser.newContext({ viewport: WIDE, ...options });
    this.page = await this.context.newPage();
    this.watch = watchPage(this.page, this.dashboard.url);
    await this.page.goto(await this.dashboard.link(guildId, 'u1'));
    await this.press('Sign in');
  }

  press(name: string): Promise<void> {
    return this.page.getByRole('button', { name, exact: true }).click();
  }

  follow(name: string): Promise<void> {
    return this.page.getByRole('link', { name, exact: true }).click();
  }

  /** Returns the text of the page, in one line. */
  async text(): Promise<string> {
    return ((await this.page.textContent('main')) ?? '').replace(/\s+/g, ' ');
  }

  /** Expects that axe finds nothing and that the page fits. With SCREENSHOTS, a picture goes into that folder. */
  async expectRight(step: string, look: string): Promise<void> {
    expect([step, await axeViolations(this.page)]).toEqual([step, []]);
    for (const dir of ['rtl', 'ltr']) {
      const tooWide = `document.documentElement.dir = '${dir}'; document.documentElement.scrollWidth - innerWidth`;
      expect([step, dir, await this.page.evaluate(tooWide)]).toEqual([step, dir, 0]);
    }
    const { SCREENSHOTS } = process.env;
    const path = `${SCREENSHOTS}/${look} ${step}.png`.replaceAll(' ', '-').replaceAll(',', '');
    if (SCREENSHOTS) await this.page.screenshot({ path, fullPage: true });
  }

  /** Expects that nothing ran, and no other host was asked. */
  async expectNothingForeign(): Promise<void> {
    // Answers that refuse are reported by the browser as such; nothing else is.
    expect(this.watch.complaints.filter((line) => !/status of 4\d\d/.test(line))).toEqual([]);
    expect(this.watch.elsewhere).toEqual([]);
    expect(await this.page.title()).not.toBe('1');
  }
}

/** Starts a browser and a dashboard before the tests of a suite. Each test has a guild of twelve members. @param nameOf their names. */
export function dashboardVisit(nameOf: (n: number) => string): DashboardVisit {
  const visit = new DashboardVisit();
  beforeAll(async () => {
    [visit.browser, visit.dashboard] = await Promise.all([
      launchChromium(),
      startTestDashboard({ DASHBOARD_API_URL: 'https://ranks.example.com' }),
    ]);
  });
  afterAll(async () => {
    await visit.browser?.close();
    await visit.dashboard?.close();
  });
  beforeEach(async () => {
    const { client, writer, guildConfig } = visit.dashboard.store;
    await client.flushall();
    const members = Array.from({ length: 12 }, (_, n) => ({
      userId: `m${n}`,
      set: 500 * (n + 1),
      profile: { username: nameOf(n) },
    }));
    await writer.recordMany(GUILD, members);
    await guildConfig.update(GUILD, { plan: 'starter' });
  });
  afterEach(() => visit.context.close());
  return visit;
}
