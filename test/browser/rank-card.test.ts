import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rankCard } from '../../src/pictures/card.ts';
import { needs } from '../support/needs.ts';
import { anyCard, anyOptions, PIXEL } from '../support/random-card.ts';
import { openChromium } from './engines.ts';

/** Where a text is, in pixels. */
interface Box {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

describe('the rank card', needs('chromium'), () => {
  let tab: Awaited<ReturnType<typeof openChromium>>;
  beforeAll(async () => {
    tab = await openChromium({ colorScheme: 'light' });
  });
  afterAll(() => tab?.close());

  it('a rank card is well-formed XML of the elements of a picture, whatever the name', async () => {
    const svgs = fc
      .sample(fc.tuple(anyCard, anyOptions), 500)
      .map(([card, options]) => rankCard(card, { ...options, avatar: PIXEL }));
    // The parser of XML ends at the first error, as it does for a file.
    const found = await tab.page.evaluate(`(() => {
      const [names, attributes] = [new Set(), new Set()];
      for (const svg of ${JSON.stringify(svgs)}) {
        for (const element of new DOMParser().parseFromString(svg, 'image/svg+xml').querySelectorAll('*')) {
          names.add(element.localName);
          for (const { name } of element.attributes) attributes.add(name);
        }
      }
      return { names: [...names].sort(), attributes: [...attributes].filter((name) => /^on|style|src/.test(name)) };
    })()`);
    const names = ['circle', 'clipPath', 'g', 'image', 'path', 'rect', 'svg', 'text', 'title', 'tspan'];
    // A sample may lack some of them, such as a bar.
    expect(found).toEqual({
      names: expect.toSatisfy((own: string[]) => own.every((name) => names.includes(name))),
      attributes: [],
    });
  });

  it.each(['en', 'ar'])(
    'a rank card keeps its texts apart and inside of it in %s, with the fonts of this machine',
    async (lang) => {
      const username = 'A display name of 32 characters.';
      const row = { userId: '2', username, level: 19, xp: 123_456 };
      const svg = rankCard(
        {
          ...{ ...row, rank: 12_345, total: 123_456, progress: { gained: 1234, needed: 2231 }, nextLevelXp: 123_999 },
          ...{ above: { ...row, rank: 12_344 }, below: { ...row, rank: 12_346 }, dailyStreak: 365, hidden: null },
        },
        { theme: 'dark', lang },
      );
      await tab.page.setContent(`<body style="margin: 0">${svg}</body>`);
      const boxes = (await tab.page.evaluate(`[...document.querySelectorAll('text')].map((text) => {
      const { left, right, top, bottom } = text.getBoundingClientRect();
      return { text: text.textContent, left, right, top, bottom };
    })`)) as Box[];
      expect(boxes.length).toBeGreaterThan(8);
      for (const box of boxes) {
        expect(Math.min(box.left, box.top), box.text).toBeGreaterThan(0);
        expect(box.right, box.text).toBeLessThan(934);
        expect(box.bottom, box.text).toBeLessThan(282);
        for (const other of boxes) {
          // Two texts of one row.
          if (other === box || Math.abs(other.bottom - box.bottom) > 12) continue;
          expect(other.left >= box.right || other.right <= box.left, `${box.text} beside ${other.text}`).toBe(true);
        }
      }
    },
  );
});
