import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { axeViolations } from '../../tools/axe.ts';
import type { PuppeteerPage } from '../../tools/browser.ts';
import { needs } from '../support/needs.ts';
import { ALL_VARIANTS } from '../support/variants.ts';
import { type DocsService, startDocsService } from './docs-service.ts';
import { MANY_LOOKS_MS, openFirefox, type PageWatch, type Tab, watchPage } from './engines.ts';

describe('/docs in Firefox', needs('firefox-esr'), () => {
  let docs: DocsService;
  let tab: Tab<PuppeteerPage>;
  let page: PuppeteerPage;
  let watch: PageWatch;

  beforeAll(async () => {
    docs = await startDocsService();
  });
  afterAll(() => docs.close());
  beforeEach(start);
  afterEach(() => tab.close());

  async function start(): Promise<void> {
    await docs.renewQuota();
    tab = await openFirefox({ colorScheme: 'dark' });
    page = tab.page;
    watch = watchPage(page, docs.url);
    await open('/docs');
  }
  async function open(path: string): Promise<void> {
    await page.goto(docs.url + path);
    await page.waitForSelector('[aria-label="Statistics of the server"]');
  }
  const card = (name: string) => `section[aria-label="${name}"]`;
  const STATS = card('Statistics of the server');
  const text = (selector: string) => page.$eval(selector, (node) => node.textContent);
  async function fillIn(): Promise<void> {
    await page.type('#key', docs.key);
    await page.type('#guild', 'guild');
  }
  async function send(name: string, status: string): Promise<void> {
    await page.click(`${card(name)} form button`);
    await expect.poll(() => text(`${card(name)} .answer`)).toContain(status);
  }

  it('/docs sends what a person fills in, and shows names as text, all digits, and the quota that is left', async () => {
    await fillIn();
    await send('A page of the leaderboard', '200 OK');
    expect(await text(`${card('A page of the leaderboard')} .answer pre[aria-label=Body]`)).toContain('<b>Grace</b>');
    await send('Statistics of the server', '200 OK');
    expect(await text(`${STATS} .answer pre[aria-label=Body]`)).toContain('"total_xp": 18014398509481984');
    expect(await text(`${STATS} .facts`)).toMatch(/^\d+ ms · 98 of 100 requests left, renewed in 60 min$/);
    await page.click(`${STATS} .status button`);
    await expect.poll(() => text(`${STATS} .answer`)).toContain('304 Not Modified');
    expect(watch).toEqual({ complaints: [], elsewhere: [] });
  });

  it('/docs has no sideways scroll at any width, with the colours of the system', {
    timeout: MANY_LOOKS_MS,
  }, async () => {
    await fillIn();
    await send('Statistics of the server', '200 OK');
    await page.type(`${card('One member')} input[name=user_id]`, 'nobody');
    await send('One member', '404 Not Found');
    await page.evaluate('for (const details of document.querySelectorAll("details")) details.open = true');
    expect(await page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")).toBe(true);
    for (const width of [180, 360, 1280, 1600]) {
      await tab.resize(width, 800);
      // The width without the scroll bar, which takes space in Firefox. It may round the rest.
      const tooWide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      expect(await page.evaluate(tooWide)).toBeLessThanOrEqual(1);
    }
    if (!ALL_VARIANTS) return;
    // The elements and colours are those that axe judges in Chromium, in the other theme and width.
    await tab.resize(360, 800);
    expect(await axeViolations(page)).toEqual([]);
  });

  if (!ALL_VARIANTS) return;

  it('/docs shows code for the request before it is sent, and copies it', async () => {
    await fillIn();
    expect(await text(`${STATS} pre[aria-label=Code]`)).toContain("/servers/guild/stats'");
    await page.click(`${STATS} input[value=Python]`);
    expect(await text(`${card('One member')} pre[aria-label=Code]`)).toContain('import os');
    await page.click(`${STATS} [aria-label="Copy Code"]`);
    await expect.poll(() => text(`${STATS} [aria-label="Copy Code"]`)).toMatch(/^(Copied|Selected)$/);
    expect(await text('main')).not.toContain(docs.key);
  });

  it.each(['getStats', 'code-wrong_guild', 'schema-Problem'])('/docs shows #%s in view on a fresh load', async (id) => {
    await page.goto('about:blank');
    await open(`/docs#${id}`);
    await page.waitForFunction(`((target) => {
    const top = target?.getBoundingClientRect().top ?? -1;
    return target?.id === ${JSON.stringify(id)} && top >= 0 && top < innerHeight;
  })(document.querySelector(':target'))`);
  });

  it('/docs keeps key and server in this tab only when a person asks for it', async () => {
    await fillIn();
    await open('/docs/');
    expect(page.url()).toBe(`${docs.url}/docs`);
    expect(await page.$eval('#key', (node) => (node as unknown as { value: string }).value)).toBe('');
    await fillIn();
    await page.click('#keep');
    await open('/docs');
    expect(await page.$eval('#key', (node) => (node as unknown as { value: string }).value)).toBe(docs.key);
    expect(await page.evaluate('JSON.stringify([{ ...localStorage }, document.cookie])')).toBe('[{},""]');
  });
});
