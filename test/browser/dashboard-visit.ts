import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { axeViolations } from '../../tools/axe.ts';
import { type BrowserContext, type BrowserContextOptions, type Page, sharedChromium } from '../../tools/browser.ts';
import { startTestDashboard, type TestDashboard } from '../support/dashboard.ts';
import { ALL_VARIANTS } from '../support/variants.ts';
import { type PageWatch, watchPage } from './engines.ts';

export const GUILD = '81384788765712384';
const WIDE = { width: 1100, height: 800 };

/** Sizes and themes in which each page must be right. A theme changes colours alone, and no size hides an element. */
const LOOKS = [
  ['a phone', { width: 360, height: 740 }, 'light'],
  ['wide', WIDE, 'dark'],
] as const;

/** Texts that a person sees in part only: below the edge of a scrolled box, or a number on more than one line. The navigation scrolls on a phone. */
const CUT = `[
  ...[...document.querySelectorAll('td, tbody th, .figure, .row > .name, .xp')].filter((node) => {
    const box = node.closest('.scroll, .tile, main').getBoundingClientRect();
    const { left, right } = node.getBoundingClientRect();
    return left < box.left - 1 || right > box.right + 1 || node.scrollWidth > node.clientWidth + 1;
  }),
  ...[...document.querySelectorAll('.figure, td.right')].filter((node) => {
    const text = document.createRange();
    text.selectNodeContents(node);
    return new Set([...text.getClientRects()].map(({ top }) => Math.round(top))).size > 1;
  }),
].map(({ textContent }) => textContent)`;

/** A person with a browser at a dashboard. */
export class DashboardVisit {
  dashboard!: TestDashboard;
  context!: BrowserContext;
  page!: Page;
  watch!: PageWatch;
  #steps = 0;

  /** Opens a page and signs in, by the button of the link. */
  async signIn(guildId: string | null = GUILD, options: BrowserContextOptions = {}): Promise<void> {
    this.context = await (await sharedChromium()).newContext({ viewport: WIDE, ...options });
    this.page = await this.context.newPage();
    this.watch = watchPage(this.page, this.dashboard.url);
    await this.page.goto(await this.dashboard.link(guildId, 'u1'));
    await this.press('Sign in');
  }

  /** Presses a button, and waits until the page that it leads to has loaded. */
  async press(name: string): Promise<void> {
    await this.page.getByRole('button', { name, exact: true }).click();
    await this.page.waitForLoadState();
  }

  /** Follows a link, and waits until its page has loaded. */
  async follow(name: string): Promise<void> {
    await this.page.getByRole('link', { name, exact: true }).click();
    await this.page.waitForLoadState();
  }

  /** Returns the text of the page, in one line. */
  async text(): Promise<string> {
    return ((await this.page.textContent('main')) ?? '').replace(/\s+/g, ' ');
  }

  /** Expects in each size that the page fits with all that it can unfold. @param look what else is expected, in one size after the other. */
  async expectFits(step: string, look?: (of: (typeof LOOKS)[number]) => Promise<void>): Promise<void> {
    await this.page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })");
    for (const of of LOOKS) {
      const [size, viewport] = of;
      await this.page.setViewportSize(viewport);
      for (const dir of ['rtl', 'ltr']) {
        const found = `document.documentElement.dir = '${dir}'; [document.documentElement.scrollWidth - innerWidth, ${CUT}]`;
        expect([step, size, dir, await this.page.evaluate(found)]).toEqual([step, size, dir, [0, []]]);
      }
      await look?.(of);
    }
    // The menu of servers lies over the links that follow.
    await this.page.evaluate("document.querySelector('.switcher')?.removeAttribute('open')");
  }

  /**
   * The same, and expects that axe finds nothing, by all its rules. The steps take one look and the other by turns: those of a page follow
   * each other, and the long tier takes both. With SCREENSHOTS, pictures go into that folder.
   */
  async expectRight(step: string): Promise<void> {
    const turn = LOOKS[this.#steps++ % LOOKS.length];
    await this.expectFits(step, async (of) => {
      const { SCREENSHOTS } = process.env;
      if (of !== turn && !ALL_VARIANTS && !SCREENSHOTS) return;
      const [size, , colorScheme] = of;
      await this.page.emulateMedia({ colorScheme });
      expect([step, size, colorScheme, await axeViolations(this.page)]).toEqual([step, size, colorScheme, []]);
      const path = `${SCREENSHOTS}/${size} ${colorScheme} ${step}.png`.replaceAll(' ', '-').replaceAll(',', '');
      if (SCREENSHOTS) await this.page.screenshot({ path, fullPage: true });
    });
  }

  /** Expects that nothing ran, and no other host was asked. */
  async expectNothingForeign(): Promise<void> {
    // Answers that refuse are reported by the browser as such; nothing else is.
    expect(this.watch.complaints.filter((line) => !/status of 4\d\d/.test(line))).toEqual([]);
    expect(this.watch.elsewhere).toEqual([]);
    expect(await this.page.title()).not.toBe('1');
  }
}

/** Starts a dashboard before the tests of a suite. Each test has a guild of twelve members. @param nameOf their names. */
export function dashboardVisit(nameOf: (n: number) => string): DashboardVisit {
  const visit = new DashboardVisit();
  beforeAll(async () => {
    visit.dashboard = await startTestDashboard({ DASHBOARD_API_URL: 'https://ranks.example.com' });
  });
  afterAll(() => visit.dashboard?.close());
  beforeEach(async () => {
    const { client, writer, guildConfig } = visit.dashboard.store;
    await client.flushall();
    const members = Array.from({ length: 12 }, (_, n) => ({
      userId: `m${n}`,
      set: 500 * (n + 1),
      username: nameOf(n),
    }));
    await writer.recordMany(GUILD, members);
    await guildConfig.update(GUILD, { plan: 'starter' });
  });
  afterEach(() => visit.context.close());
  return visit;
}
