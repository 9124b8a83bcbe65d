import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { launchChromium, type Site, startSite } from './browser.ts';
import { startService, type TestService } from './service.ts';
import { mockStore, type TestStore } from './stores.ts';

/** A browser, the service, and a site of another origin with the widget on it. */
export interface WidgetBench {
  readonly service: TestService;
  readonly testStore: TestStore;
  readonly site: Site;
  /** Another origin that the policy of the site lets the widget ask. */
  alsoAllowed: string;
  /** A valid API key of the guild `guild`. */
  readonly key: string;
  /** The page of the running test. */
  readonly page: Page;
  /** Messages of the console and uncaught errors of the page. */
  readonly messages: readonly string[];
  /** Empties the store and opens a new page. */
  start(options?: BrowserContextOptions): Promise<void>;
  /** Ends the page. */
  end(): Promise<void>;
  close(): Promise<void>;
  /** Opens the site with markup, and `KEY` in it as the API key, under a policy that allows nothing inline. */
  openHtml(html: string, root?: string, style?: string): Promise<void>;
  /** Opens the site with one leaderboard. */
  open(attributes?: Record<string, string>, root?: string, before?: string): Promise<void>;
  /** Evaluates an expression in which `all` finds elements of the first widget. */
  inWidget<T>(expression: string): Promise<T>;
  /** Makes the page believe that its tab is hidden, or looked at again. */
  setHidden(hidden: boolean): Promise<void>;
  /** Returns how many requests of the guild the quota has counted. */
  counted(): Promise<number>;
}

/** Starts all parts. @param env settings of the service. */
export async function widgetBench(env: Record<string, string>): Promise<WidgetBench> {
  const [browser, site, testStore] = await Promise.all([
    launchChromium() as Promise<Browser>,
    startSite(),
    mockStore.start(),
  ]);
  const service = await startService(testStore, env);
  let context: BrowserContext;
  let page: Page;
  let key = '';
  let messages: string[] = [];
  const tag = (attributes: Record<string, string>) =>
    Object.entries(attributes)
      .map(([name, value]) => `${name}="${value}"`)
      .join(' ');

  async function openHtml(html: string, root = 'lang="en"', style = ''): Promise<void> {
    const { origin } = new URL(service.url);
    site.policy = `default-src 'none'; script-src ${origin}; connect-src ${origin} ${bench.alsoAllowed}; img-src data:; style-src 'nonce-x'`;
    site.html = `<!doctype html><html ${root}><meta charset="utf-8"><title>site</title><link rel="icon" href="data:,">
      <style nonce="x">${style}</style><body>${html.replaceAll('KEY', key).replaceAll('SERVICE', service.url)}</body></html>`;
    await page.goto(site.url);
  }
  const bench: WidgetBench = {
    alsoAllowed: '',
    service,
    testStore,
    site,
    openHtml,
    get key() {
      return key;
    },
    get page() {
      return page;
    },
    get messages() {
      return messages;
    },
    async start(options = {}) {
      await testStore.empty();
      await service.store.guildConfig.update('guild', { plan: 'pro' });
      ({ key } = await service.store.apiKeys.create('guild', 'test', null));
      context = await browser.newContext({ viewport: { width: 800, height: 900 }, ...options });
      page = await context.newPage();
      messages = [];
      page.on('console', (message) => messages.push(message.text()));
      page.on('pageerror', (error) => messages.push(`uncaught: ${error.message}`));
    },
    end: () => context.close(),
    async close() {
      await browser.close();
      await site.close();
      await service.close();
      await testStore.stop();
    },
    open: (attributes = {}, root, before = '') =>
      openHtml(
        `${before}<script src="SERVICE/widget.js" defer></script><main>
        <guild-leaderboard ${tag({ guild: 'guild', 'api-key': key, 'page-size': '5', ...attributes })}></guild-leaderboard></main>`,
        root,
      ),
    inWidget: (expression) =>
      page.evaluate(`((root) => {
        const all = (selector) => [...root.querySelectorAll(selector)];
        return ${expression};
      })(document.querySelector('guild-leaderboard').shadowRoot)`),
    setHidden: (hidden) =>
      page.evaluate(
        `Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${hidden} });
         document.dispatchEvent(new Event('visibilitychange'));`,
      ),
    counted: async () => Number(await testStore.client.get('gr:quota:{guild}')),
  };
  return bench;
}
