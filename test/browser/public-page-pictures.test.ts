import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations } from '../../tools/axe.ts';
import { type BrowserContext, type Page, sharedChromium } from '../../tools/browser.ts';
import { needs } from '../support/needs.ts';
import { PictureHost } from '../support/picture-host.ts';
import { startService, type TestService } from '../support/service.ts';
import { mockStore, type TestStore } from '../support/stores.ts';
import { waitLongForHosts } from '../support/wait.ts';
import { picturesSettled, watchPage } from './engines.ts';

const HASH = '0123456789abcdef0123456789abcdef';
const PICTURE = `https://cdn.discordapp.com/avatars/1/${HASH}.webp?size=128`;
/** A picture that is all red. */
const RED =
  '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9" fill="red"/></svg>';

describe('the pictures of members on the public page, in Chromium', needs('chromium'), () => {
  let testStore: TestStore;
  let service: TestService;
  let context: BrowserContext;
  const host = new PictureHost();
  let waitUsual = () => {};
  beforeAll(async () => {
    waitUsual = waitLongForHosts();
    testStore = await mockStore.start();
    await host.start();
    service = await startService(testStore, { PUBLIC_PAGES: '1' }, { pictureHost: host.url });
    const { writer, guildConfig } = service.store;
    await guildConfig.update('guild', { publicPage: true, avatars: true });
    await writer.recordMany('guild', [
      { userId: '1', set: 300, username: 'Ada', avatar: HASH },
      { userId: '2', set: 200, username: 'Bob' },
    ]);
  });
  afterAll(async () => {
    await context?.close();
    await service.close();
    await host.stop();
    await testStore.stop();
    waitUsual();
  });

  /** Opens the page, whose picture gets an answer. Returns the page, what it complained of, and the first two circles as pictures. */
  async function open(
    answer: (route: Parameters<Parameters<Page['route']>[1]>[0]) => Promise<void>,
    path = '/g/guild',
  ) {
    service.advance(60_000);
    await context?.close();
    context = await (await sharedChromium()).newContext({ viewport: { width: 800, height: 600 } });
    const page = await context.newPage();
    const watch = watchPage(page, service.url);
    await page.route('https://cdn.discordapp.com/**', answer);
    await page.goto(service.url + path);
    await picturesSettled(page);
    const boxes = await Promise.all([0, 1].map((n) => page.locator('.avatar').nth(n).boundingBox()));
    return { page, watch, boxes };
  }
  const loaded = (page: Page) => page.evaluate('document.querySelector(".avatar img").naturalWidth > 0');

  it('pictures fill the circle of a member, load from their host without a referrer, and change neither layout nor accessibility', async () => {
    const referrers: (string | undefined)[] = [];
    const { page, watch, boxes } = await open(async (route) => {
      referrers.push(route.request().headers().referer);
      await route.fulfill({ contentType: 'image/svg+xml', body: RED });
    });
    expect(await loaded(page)).toBe(true);
    expect(await page.locator('.avatar img').count()).toBe(1);
    const circle = boxes[0];
    const picture = await page.locator('.avatar img').boundingBox();
    // All but the border.
    expect(picture?.width).toBeGreaterThanOrEqual((circle?.width ?? 0) - 4);
    expect(picture?.height).toBe(picture?.width);
    expect([watch.elsewhere, referrers, watch.complaints]).toEqual([[PICTURE], [undefined], []]);
    expect(await axeViolations(page)).toEqual([]);
  });

  it.each(['/g/guild', '/g/guild?overlay=1', '/g/guild/m/2'])(
    'pictures that do not load leave the initials on %s',
    async (path) => {
      const { page } = await open((route) => route.abort(), path);
      expect(await loaded(page)).toBe(false);
      expect(await page.locator('.avatar').allTextContents()).toEqual(['A', 'B']);
      // Nothing is painted over the initial: no broken picture, and no ground.
      const top = await page.evaluate(
        `getComputedStyle(document.querySelector('.avatar img')).backgroundColor + document.querySelector('.avatar img').alt`,
      );
      expect(top).toBe('rgba(0, 0, 0, 0)');
    },
  );

  it('pictures stand in the rank card, opened by itself and as a picture of another page, and a member without a picture has the initial', async () => {
    const { page, watch } = await open((route) => route.abort());
    /** Returns the colours of the middle of the avatar and of a place beside it, where the letter of an initial is not. */
    const coloursIn = async (show: () => Promise<unknown>) => {
      await show();
      const png = (await page.screenshot({ clip: { x: 0, y: 0, width: 934, height: 282 } })).toString('base64');
      return page.evaluate(`(async () => {
        const canvas = new OffscreenCanvas(934, 282).getContext('2d');
        const bytes = Uint8Array.from(atob('${png}'), (character) => character.charCodeAt(0));
        canvas.drawImage(await createImageBitmap(new Blob([bytes])), 0, 0);
        return [[120, 114], [65, 114]].map(([x, y]) => [...canvas.getImageData(x, y, 1, 1).data].join(' '));
      })()`);
    };
    const red = '255 0 0 255';
    const card = (id: number) => `${service.url}/g/guild/m/${id}/card.svg`;
    await page.setViewportSize({ width: 934, height: 300 });
    const asDocument = (id: number) => () => page.goto(card(id), { waitUntil: 'networkidle' });
    expect(await coloursIn(asDocument(1))).toEqual([red, red]);
    expect(await coloursIn(asDocument(2))).not.toContain(red);
    host.instead = (_req, res) =>
      res
        .setHeader('Content-Type', 'text/html')
        .end(`<body style="margin: 0"><img src="${card(1)}" style="display: block">`);
    const asPicture = () => page.goto(host.url, { waitUntil: 'networkidle' });
    expect(await coloursIn(asPicture)).toEqual([red, red]);
    expect(watch.elsewhere.filter((url) => url.includes('.png'))).toEqual([]);
  });
});
