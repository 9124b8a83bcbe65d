import type { Browser, BrowserContext, BrowserContextOptions, Page, Response } from '../../tools/browser.ts';
import { launchChromium } from '../../tools/browser.ts';
import { watchPage } from './page-watch.ts';
import { inFirstWidget, startWidgetSite, WidgetSite } from './widget-site.ts';

/** A browser, the service, and a site of another origin with the widget on it. */
export class WidgetBench extends WidgetSite {
  /** The page of the running test. */
  page!: Page;
  /** Messages of the console and uncaught errors of the page. */
  messages: string[] = [];
  #context: BrowserContext | undefined;
  readonly #browser: Browser;

  constructor(browser: Browser, parts: WidgetSite) {
    super(parts);
    this.#browser = browser;
  }

  /** Empties the store and opens a new page. */
  async start(options: BrowserContextOptions = {}): Promise<void> {
    await this.reset();
    this.#context = await this.#browser.newContext({ viewport: { width: 800, height: 900 }, ...options });
    this.page = await this.#context.newPage();
    this.messages = watchPage(this.page, this.site.url).complaints;
  }

  /** Ends the page. */
  async end(): Promise<void> {
    await this.#context?.close();
  }

  override async close(): Promise<void> {
    await this.#browser.close();
    await super.close();
  }

  /** Opens the site with markup, as `write` makes it. */
  async openHtml(html: string, root?: string, style?: string): Promise<void> {
    this.write(html, root, style);
    await this.page.goto(this.site.url);
  }

  /** Opens the site with one leaderboard. */
  open(attributes: Record<string, string> = {}, root?: string, before = ''): Promise<void> {
    return this.openHtml(before + this.leaderboard(attributes), root);
  }

  /** Evaluates an expression in which `all` finds elements of the first widget. */
  inWidget<T>(expression: string): Promise<T> {
    return this.page.evaluate(inFirstWidget(expression));
  }

  /** Makes the page believe that its tab is hidden, or looked at again. */
  setHidden(hidden: boolean): Promise<void> {
    return this.page.evaluate(
      `Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${hidden} });
       document.dispatchEvent(new Event('visibilitychange'));`,
    );
  }

  /**
   * Lets the time of an installed clock pass until the widget requests its page, and returns the response. A single `runFor` would let
   * more time pass while the request is on its way.
   */
  async nextPage(): Promise<Response | null> {
    const asked = this.page.waitForRequest((request) => request.url().includes('/leaderboard?'));
    let isOver = false;
    asked
      .catch(() => {}) // Awaited below.
      .finally(() => {
        isOver = true;
      });
    while (!isOver) await this.page.clock.runFor(10_000);
    return (await asked).response();
  }

  /** Returns how many requests of the guild the quota has counted. */
  async counted(): Promise<number> {
    return Number(await this.testStore.client.get('gr:quota:{guild}'));
  }
}

/** Starts all parts. @param env settings of the service. */
export async function widgetBench(env: Record<string, string>): Promise<WidgetBench> {
  const [browser, parts] = await Promise.all([launchChromium(), startWidgetSite(env)]);
  return new WidgetBench(browser, parts);
}
