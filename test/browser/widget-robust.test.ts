import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { needs } from '../support/needs.ts';
import { RESERVED, reservedSpace } from './widget-layout.ts';
import { type WidgetBench, widgetBench } from './widget-page.ts';

describe('the widget on pages of others', needs('tools', 'chromium'), () => {
  let bench: WidgetBench;

  beforeAll(async () => {
    bench = await widgetBench({ PLAN_QUOTAS: 'free=12,pro=10000', CACHE_MAX_AGE_S: '60' });
  });
  afterAll(() => bench.close());
  beforeEach(async () => {
    await bench.start();
    await bench.service.store.writer.recordMany(
      'guild',
      Array.from({ length: 30 }, (_, i) => ({
        userId: `u${i}`,
        set: 3000 - i * 37,
        profile: { username: `Member ${i}` },
      })),
    );
  });
  afterEach(() => bench.end());

  const live = () => bench.page.getByText('Live', { exact: true }).first().waitFor();
  const note = (text: string | RegExp) => bench.page.locator('.note').getByText(text).waitFor();
  /** Counts requests of an operation from now on. */
  function asked(path = '/servers/'): () => number {
    let count = 0;
    bench.page.on('request', (request) => {
      if (request.url().includes(path)) count++;
    });
    return () => count;
  }

  it.each(['3600000', '1e308', 'Infinity'])('asks once in a minute with refresh="%s"', async (refresh) => {
    await bench.page.clock.install();
    const count = asked('/leaderboard');
    await bench.open({ refresh });
    await live();
    await bench.page.clock.runFor(60_000);
    expect(count()).toBe(1);
    expect(bench.messages.join()).toContain('86400 are used');
  });

  it.each(RESERVED)(
    'moves nothing below it, %s pixels wide, with attributes "%s", with the reserved space',
    async (width, attributes, blockSize) => {
      await bench.page.setViewportSize({ width, height: 900 });
      await bench.openHtml(
        `<guild-leaderboard guild="guild" api-key="KEY" ${attributes}></guild-leaderboard><p>below</p>`,
        'lang="en"',
        reservedSpace(blockSize),
      );
      await bench.page.evaluate(`
        window.shift = 0;
        window.shifted = [];
        new PerformanceObserver((list) => {
          for (const { value, sources } of list.getEntries()) {
            window.shift += value;
            window.shifted.push(...sources.map(({ node }) => node?.className ?? node?.nodeName));
          }
        }).observe({ type: 'layout-shift', buffered: true });
        requestAnimationFrame(() => requestAnimationFrame(() => {
          const script = document.createElement('script');
          script.src = '${bench.service.url}/widget.js';
          document.body.append(script);
        }));`);
      await live();
      await expect.poll(() => bench.inWidget("all('.stats')[0].textContent")).toContain('30 members');
      await bench.page.evaluate('new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)))');
      expect(
        await bench.page.evaluate('window.shift'),
        await bench.page.evaluate('window.shifted.join()'),
      ).toBeLessThan(width < 320 ? 0.03 : 0.001);
    },
  );

  it('shows bars, disabled buttons and the found row in forced colours', async () => {
    await bench.page.emulateMedia({ forcedColors: 'active' });
    await bench.open({ member: 'u3' });
    await live();
    const seen = await bench.inWidget(`(() => {
        const style = (selector) => getComputedStyle(all(selector)[0]);
        const canvas = style('.card').backgroundColor;
        return [style('li:nth-child(4) .bar').backgroundColor !== canvas, style('.is-you').outlineStyle,
          style('.pager [aria-disabled=true]').color !== style('.pager [aria-disabled=false]').color];
      })()`);
    expect(seen).toEqual([true, 'solid', true]);
  });

  it.each([
    ['a wrong path', { 'base-url': 'SERVICE/wrong' }, /There is no leaderboard service at .*\/wrong\/api\/v1/],
    ['no address', { 'base-url': 'http://' }, 'The base-url attribute is not an address.'],
    [
      'a key with an invisible character',
      { 'api-key': 'KEY\u200b' },
      'The api-key attribute has an invisible character.',
    ],
    ['a wrong key', { 'api-key': 'gr_no' }, 'The API key was not accepted. Check the api-key attribute.'],
    ['another guild', { guild: 'a b' }, 'The guild attribute is not the id of a server.'],
  ] as const)(
    'says what to mend in the middle of the card and once in the console: %s',
    async (_, attributes, text) => {
      await bench.page.clock.install();
      const count = asked('/leaderboard');
      await bench.open(attributes);
      await note(text);
      const before = count();
      await bench.page.clock.runFor(600_000);
      expect(count()).toBe(before);
      const told = bench.messages.filter((message) => /Guildrank widget|uncaught/.test(message));
      expect(told).toEqual([expect.stringMatching(text)]);
    },
  );
});
