import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BrowserContext, type Page, sharedChromium } from '../../tools/browser.ts';
import { needs } from '../support/needs.ts';
import { startService, type TestService } from '../support/service.ts';
import { mockStore, type TestStore } from '../support/stores.ts';
import { LANGUAGES, LEADERS, LONG_LEVELS, unreadable } from './numbers.ts';

const FAULTS = unreadable('document.body', '.row, .facts > div');
const WIDTHS = [180, 240, 288, 319, 320, 344, 360, 390, 479, 480, 640];
const PATHS = ['/g/usual', '/g/levels', '/g/equal', '/g/levels/m/u0'];

describe('the numbers of the public page', needs('chromium'), () => {
  let testStore: TestStore;
  let service: TestService;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    testStore = await mockStore.start();
    service = await startService(testStore, { PUBLIC_PAGES: '1' });
    const { writer, guildConfig } = service.store;
    for (const guild of ['usual', 'levels', 'equal']) {
      await guildConfig.update(guild, { publicPage: true, xpCurve: guild === 'levels' ? LONG_LEVELS : 'lurkr' });
      const members = guild === 'equal' ? LEADERS.map((member) => ({ ...member, set: 987_654_321 })) : LEADERS;
      await writer.recordMany(guild, members);
    }
    context = await (await sharedChromium()).newContext();
    page = await context.newPage();
  });
  afterAll(async () => {
    await context.close();
    await service.close();
    await testStore.stop();
  });

  it.each(LANGUAGES)('in %s, no number is broken or cut at any width', async (lang) => {
    const found: unknown[] = [];
    for (const path of PATHS) {
      service.advance(60_000);
      await page.goto(`${service.url}${path}?lang=${lang}`);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        const faults = (await page.evaluate(FAULTS)) as string[];
        if (faults.length) found.push([path, width, ...faults]);
      }
    }
    expect(found).toEqual([]);
  });
});
