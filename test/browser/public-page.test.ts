import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations, COLOUR_RULES, SCROLL_RULES } from '../../tools/axe.ts';
import { type BrowserContext, type BrowserContextOptions, type Page, sharedChromium } from '../../tools/browser.ts';
import { needs } from '../support/needs.ts';
import { startService, type TestService } from '../support/service.ts';
import { mockStore, type TestStore } from '../support/stores.ts';
import { MANY_LOOKS_MS, type PageWatch, watchPage } from './engines.ts';

const PATHS = [
  '/g/guild',
  '/g/guild?board=week&lang=ar',
  '/g/guild?around=m20',
  '/g/guild/m/u5',
  '/g/guild/m/nobody',
  '/g/guild/rewards',
  '/g/guild/rewards?lang=ar',
  '/g/guild?overlay=1',
  '/g/empty',
  '/g/none',
  '/g/guild?find=a',
  '/g/guild?find=nobody&lang=ar',
];

describe('the public page, in Chromium', needs('chromium'), () => {
  let testStore: TestStore;
  let service: TestService;
  let context: BrowserContext;
  let page: Page;
  let watch: PageWatch;

  beforeAll(async () => {
    testStore = await mockStore.start();
    service = await startService(testStore, { PUBLIC_PAGES: '1' });
    const names = ['Ada', '<b>Grace</b>', 'محمد عبد الله', 'W'.repeat(300), '👩‍👩‍👧 Family', 'Quiet Raven'];
    const { writer, guildConfig } = service.store;
    await guildConfig.update('guild', {
      publicPage: true,
      boards: ['week'],
      pageTitle: 'Hall of fame',
      xpMultiplier: 1.5,
      pageLook: { accent: '#ffdd33', background: '#ecfdf5', backgroundDark: '#04211d' },
    });
    await guildConfig.setRules(
      'guild',
      JSON.stringify({
        voice: { xp: 10 },
        multipliers: { roles: { 801: 2 } },
        rewards: [
          { level: 5, role: '801' },
          { level: 10, role: '802' },
        ],
      }),
    );
    await testStore.client.hset('gr:{guild}:about', {
      roles: JSON.stringify([{ id: '801', name: `${'W'.repeat(60)}<b>`, color: 0xff0000, position: 1 }]),
    });
    await guildConfig.update('empty', { publicPage: true });
    const members = names.map((username, i) => ({ userId: `u${i}`, add: 1234567 - i * 1311, username }));
    await writer.recordMany('guild', members);
    await writer.recordMany(
      'guild',
      Array.from({ length: 30 }, (_, i) => ({ userId: `m${i}`, add: 30 - i })),
    );
  });
  afterAll(async () => {
    await service.close();
    await testStore.stop();
  });
  afterEach(() => context.close());

  async function open(path: string, options: BrowserContextOptions = {}): Promise<void> {
    service.advance(60_000);
    context = await (await sharedChromium()).newContext({ viewport: { width: 800, height: 900 }, ...options });
    page = await context.newPage();
    watch = watchPage(page, service.url);
    await page.goto(service.url + path);
  }
  /** Returns the names of the rows, once the page that shows them has loaded. */
  const names = async () => {
    await page.waitForLoadState();
    return page.locator('.name').allTextContents();
  };
  const overflow = () => page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

  it(
    'the public page is accessible and fits its window, in light and dark, even on a phone',
    async () => {
      await open('/g/guild');
      const found: unknown[] = [];
      for (const path of PATHS) {
        service.advance(60_000);
        await page.goto(service.url + path);
        // A theme changes colours alone. A phone hides some elements, and has no colours of its own.
        for (const [width, colorScheme, rules] of [
          [800, 'light', undefined],
          [800, 'dark', COLOUR_RULES],
          [320, 'dark', SCROLL_RULES],
        ] as const) {
          await page.setViewportSize({ width, height: 900 });
          await page.emulateMedia({ colorScheme });
          // Over a video, no ground is known that a colour could be judged against.
          const violations = path.includes('overlay') && rules ? [] : await axeViolations(page, rules);
          found.push(...violations.map((violation) => [path, width, colorScheme, violation]));
          if ((await overflow()) !== 0) found.push([path, width, 'is too wide']);
        }
        await page.setViewportSize({ width: 180, height: 900 });
        if ((await overflow()) !== 0) found.push([path, 180, 'is too wide']);
      }
      expect(found).toEqual([]);
      expect(watch.elsewhere).toEqual([]);
    },
    MANY_LOOKS_MS,
  );

  it('the public page works without JavaScript: pages, boards, a member, the search and the way back', async () => {
    await open('/g/guild', { javaScriptEnabled: false });
    expect((await names()).slice(0, 3)).toEqual(['Ada', '<b>Grace</b>', 'محمد عبد الله']);
    await page.getByRole('link', { name: 'Next' }).click();
    expect(await page.getByLabel('Page number').inputValue()).toBe('2');
    await page.getByRole('link', { name: 'Previous' }).click();
    await page.getByRole('link', { name: 'This week' }).click();
    expect(await page.locator('[aria-current]').textContent()).toBe('This week');
    await page.getByLabel('Page number').fill('2');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/g/guild?board=week&page=2');
    await page.getByRole('link', { name: 'First page' }).click();
    await page.getByRole('link', { name: 'Quiet Raven' }).click();
    expect(await page.locator('h1').textContent()).toBe('Quiet Raven');
    await page.getByRole('link', { name: 'Show in list' }).click();
    expect(await page.locator('.is-wanted .name').textContent()).toBe('Quiet Raven');
    await page.goBack();
    await page.getByLabel('Find a member by name or id').fill('u2');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'محمد عبد الله' }).waitFor();
    expect(page.url()).toBe(`${service.url}/g/guild/m/u2`);
    await page.getByLabel('Find a member by name or id').fill('ra');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Members for “ra”' }).waitFor();
    expect(await names()).toEqual(expect.arrayContaining(['<b>Grace</b>', 'Quiet Raven']));
    await page.getByRole('link', { name: 'Hall of fame' }).click();
    expect(page.url()).toBe(`${service.url}/g/guild`);
    await page.getByLabel('Find a member by name or id').fill('nobody');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByText('No member in this ranking has this name or id.').waitFor();
    expect(watch.complaints).toEqual([]);
  });

  it('the public page finds a visitor again who has chosen a member, until the visitor takes that back', async () => {
    await open('/g/guild');
    const findMe = page.getByRole('link', { name: 'Find me' });
    expect(await findMe.isVisible()).toBe(false);
    await page.goto(`${service.url}/g/guild/m/m20?board=week&lang=en`);
    await page.getByRole('button', { name: 'This is me' }).click();
    await page.goto(`${service.url}/g/guild?board=week&lang=en`);
    // On a phone, the own row is in sight at once, however many stand above it.
    await page.setViewportSize({ width: 360, height: 640 });
    await findMe.click();
    await page.waitForLoadState();
    await expect
      .poll(() =>
        page.evaluate(
          `(({ top, bottom }) => top > 0 && bottom < innerHeight)(document.querySelector('.is-wanted').getBoundingClientRect())`,
        ),
      )
      .toBe(true);
    expect(page.url()).toBe(`${service.url}/g/guild?board=week&around=m20&lang=en#wanted`);
    expect(await page.locator('.is-wanted .name').allTextContents()).toEqual(['m20']);
    await page.goto(`${service.url}/g/guild?page=2`);
    expect(await page.locator('.is-wanted .name').allTextContents()).toEqual(['m20']);
    await page.goto(`${service.url}/g/guild/m/m20`);
    await page.getByRole('button', { name: 'This is not me' }).click();
    await page.goto(`${service.url}/g/guild`);
    expect(await findMe.isVisible()).toBe(false);
    expect(watch.complaints).toEqual([]);
  });

  it('the public page copies and shares the address of a member, where the browser can', async () => {
    await open('/g/guild/m/u5?lang=en', { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.getByRole('button', { name: 'Copy the link' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(page.url());
    await page.addInitScript('navigator.share = (data) => { window.shared = data; return Promise.resolve(); }');
    await page.reload();
    await page.getByRole('button', { name: 'Share' }).click();
    expect(await page.evaluate('window.shared')).toEqual({ title: 'Quiet Raven · Hall of fame', url: page.url() });
    await page.getByRole('link', { name: 'Rank card' }).click();
    await page.waitForURL('**/m/u5/card.svg?lang=en');
    expect(await page.evaluate('document.documentElement.localName')).toBe('svg');
    expect(watch.complaints).toEqual([]);
  });

  it('the arrow keys turn the pages in the direction of the page, but not within a field', async () => {
    await open('/g/guild');
    await page.keyboard.press('ArrowRight');
    await page.waitForURL('**/g/guild?page=2');
    await page.getByLabel('Page number').focus();
    await page.keyboard.press('ArrowLeft');
    await page.locator('h1').click();
    await page.keyboard.press('ArrowLeft');
    await page.waitForURL('**/g/guild');
    await page.goto(`${service.url}/g/guild?lang=ar`);
    await page.keyboard.press('ArrowLeft');
    await page.waitForURL('**/g/guild?page=2&lang=ar');
  });

  it('the public page aligns the columns of all rows, and shows a long name from its start in each direction', async () => {
    await open('/g/guild?page=1');
    const edges = (selector: string, edge: 'left' | 'right') =>
      page.evaluate(
        `[...new Set([...document.querySelectorAll('.list ${selector}')].map((each) => Math.round(each.getBoundingClientRect().${edge})))].length`,
      );
    for (const width of [800, 360]) {
      await page.setViewportSize({ width, height: 900 });
      expect([
        width,
        await edges('.avatar', 'left'),
        await edges('.level', 'left'),
        await edges('.xp', 'right'),
      ]).toEqual([width, 1, 1, 1]);
    }
    await page.goto(`${service.url}/g/guild?lang=ar&page=2`);
    expect([await edges('.name', 'right'), await edges('.avatar', 'right')]).toEqual([1, 1]);
    for (const [lang, left] of [
      ['en', 'ltr'],
      ['ar', 'ltr'],
    ] as const) {
      await page.goto(`${service.url}/g/guild?lang=${lang}&around=u3&limit=2`);
      // The end of a long Latin name is cut, also on an Arabic page.
      expect(
        await page.evaluate(
          `getComputedStyle([...document.querySelectorAll('.name')].find((each) => each.textContent.startsWith('W'))).direction`,
        ),
      ).toBe(left);
    }
  });

  it('the public page asks anew every 30 seconds with JavaScript, shows what has changed and keeps the focus', async () => {
    await open('/g/guild?limit=4');
    await page.clock.install();
    await page.reload();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Ada' }).focus();
    let asked = 0;
    page.on('response', () => asked++);
    await service.store.writer.record('guild', { userId: 'u1', add: 1_000_000 });
    await page.clock.fastForward(31_000);
    await expect.poll(names).toMatchObject({ 0: '<b>Grace</b>', 1: 'Ada' });
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Ada');
    await page.clock.fastForward(31_000);
    await expect.poll(() => asked).toBe(2);
    // More than the rows: the whole page loads.
    await service.store.guildConfig.update('guild', { pageTitle: 'Wall of fame', pageLook: { accent: '#0f766e' } });
    await page.clock.fastForward(31_000);
    await page.getByRole('heading', { name: 'Wall of fame' }).waitFor();
    await service.store.guildConfig.update('guild', { pageTitle: 'Hall of fame', pageLook: { accent: '#ffdd33' } });
    await page.route('**/g/guild**', (route) => route.abort());
    await page.clock.fastForward(31_000);
    await page.getByText('Not up to date').waitFor();
    expect(await page.locator('.status').getAttribute('class')).toBe('status');
    await page.unroute('**/g/guild**');
    await service.store.guildConfig.update('guild', { publicPage: false });
    await page.clock.fastForward(31_000);
    await page.getByRole('heading', { name: 'Nothing here' }).waitFor();
    // An overlay that is off is empty, and comes back by itself.
    await page.goto(`${service.url}/g/guild?overlay=1`);
    expect(await page.evaluate('getComputedStyle(document.querySelector(".card")).backgroundColor')).toBe(
      'rgba(0, 0, 0, 0)',
    );
    await service.store.guildConfig.update('guild', { publicPage: true });
    await page.clock.fastForward(31_000);
    await page.getByText('Quiet Raven').waitFor();
    expect(watch.complaints.filter((text) => !/404|ERR_FAILED/.test(text))).toEqual([]);
  });
});
