import { type Site, startSite } from '../../tools/browser.ts';
import { startService, type TestService } from '../support/service.ts';
import { realStore, type TestStore } from '../support/stores.ts';

/** The service, and a site of another origin for the widget. */
export class WidgetSite {
  /** Another origin that the policy of the site lets the widget ask. */
  alsoAllowed = '';
  /** A valid API key of the guild `guild`. */
  key = '';
  readonly testStore: TestStore;
  readonly service: TestService;
  readonly site: Site;

  constructor({ testStore, service, site }: Pick<WidgetSite, 'testStore' | 'service' | 'site'>) {
    this.testStore = testStore;
    this.service = service;
    this.site = site;
  }

  /** Empties the store and creates an API key. */
  async reset(): Promise<void> {
    await this.testStore.empty();
    await this.service.store.guildConfig.update('guild', { plan: 'pro' });
    ({ key: this.key } = await this.service.store.apiKeys.create('guild', 'test', null));
  }

  /** Makes the page of the site: markup, and `KEY` in it as the API key, under a policy that allows nothing inline. */
  write(html: string, root = 'lang="en"', style = ''): void {
    const { origin } = new URL(this.service.url);
    this.site.policy = `default-src 'none'; script-src ${origin}; connect-src ${origin} ${this.alsoAllowed}; img-src data: https://pictures.example; style-src 'nonce-x'`;
    this.site.html = `<!doctype html><html ${root}><meta charset="utf-8"><title>site</title><link rel="icon" href="data:,">
      <style nonce="x">${style}</style><body>${html.replaceAll('KEY', this.key).replaceAll('SERVICE', this.service.url)}</body></html>`;
  }

  /** Returns the markup of one leaderboard. */
  leaderboard(attributes: Record<string, string>): string {
    const tag = Object.entries({ guild: 'guild', 'api-key': this.key, 'page-size': '5', ...attributes })
      .map(([name, value]) => `${name}="${value}"`)
      .join(' ');
    return `<script src="SERVICE/widget.js" defer></script><main><guild-leaderboard ${tag}></guild-leaderboard></main>`;
  }

  async close(): Promise<void> {
    await this.site.close();
    await this.service.close();
    await this.testStore.stop();
  }
}

/** Starts all parts. @param env settings of the service. */
export async function startWidgetSite(env: Record<string, string>): Promise<WidgetSite> {
  const [site, testStore] = await Promise.all([startSite(), realStore.start()]);
  return new WidgetSite({ site, testStore, service: await startService(testStore, env) });
}
