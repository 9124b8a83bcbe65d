import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inflateSync } from 'node:zlib';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';

// The package is optional, so its place is taken by a module that records what it is asked for.
const { calls, machine } = vi.hoisted(() => ({
  calls: [] as { readonly svg: string; readonly options: { readonly font: { readonly fontFiles: string[] } } }[],
  machine: { hasPackage: true },
}));
vi.mock('@resvg/resvg-js', () => ({
  get renderAsync() {
    if (!machine.hasPackage) throw new Error('no such package');
    return async (svg: string, options: (typeof calls)[0]['options']) => {
      calls.push({ svg, options });
      return { width: 1, height: 1, pixels: Uint8Array.of(1, 2, 3, 255) };
    };
  },
}));

const OWN = [
  'DejaVuSans.ttf',
  'DejaVuSans-Bold.ttf',
  'NotoEmoji-Bold.ttf',
  'NanumGothic-Bold.ttf',
  'DroidSansFallbackFull.ttf',
];
const FONTS = fileURLToPath(new URL('../../../../src/service/public/fonts/', import.meta.url));

const warnings: string[] = [];
const load = async (...fonts: string[]) => {
  // Each service loads the module when it starts.
  vi.resetModules();
  const { loadPainter } = await import('../../../../src/service/public/resvg.ts');
  return loadPainter(fonts, (text) => void warnings.push(text));
};
/** Returns the text that is drawn for a text. */
const drawnFor = async (text: string) => {
  await (await load())?.(`<text>${text}</text>`);
  return calls.at(-1)?.svg.replace(/^<text>|<\/text>$/g, '');
};

beforeEach(() => {
  machine.hasPackage = true;
  for (const list of [calls, warnings]) list.length = 0;
});

describe('the service with the package that draws', () => {
  it('a picture is drawn with the fonts that are named, then with the fonts of the service, and with no other font', async () => {
    const paint = await load(`${FONTS}NotoEmoji-Bold.ttf`);
    const png = Buffer.from((await paint?.('<svg/>')) ?? []);
    expect(calls).toMatchObject([{ svg: '<svg/>', options: { font: { loadSystemFonts: false } } }]);
    expect(calls[0]?.options.font.fontFiles.map((file) => basename(file))).toEqual(['NotoEmoji-Bold.ttf', ...OWN]);
    expect(png.toString('latin1', 1, 4)).toBe('PNG');
    const data = png.indexOf('IDAT') + 4;
    expect([...inflateSync(png.subarray(data))]).toEqual([0, 1, 2, 3, 255]);
    expect(warnings).toEqual([]);
  });

  it('pictures are drawn without a damaged font, and the log names its file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'guildrank-font-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const damaged = join(folder, 'damaged.ttf');
    writeFileSync(damaged, readFileSync(`${FONTS}NotoEmoji-Bold.ttf`).subarray(0, 100));
    await (await load(damaged, `${FONTS}NanumGothic-Bold.ttf`))?.('<svg/>');
    expect(calls[0]?.options.font.fontFiles.map((file) => basename(file))).toEqual(['NanumGothic-Bold.ttf', ...OWN]);
    expect(warnings).toEqual([expect.stringContaining(`PUBLIC_PAGE_FONTS: ${damaged} is damaged`)]);
  });

  it.each([
    ['a family', '👩\u200d👩\u200d👧', '👩'],
    ['a person with a colour and a thing', '👩🏽\u200d❤\ufe0f\u200d👨🏿', '👩🏽'],
    ['the flag of a region', '🏴\u{e0067}\u{e0062}\u{e007f}', '🏴'],
    ['one picture', '👍🏽❤\ufe0f', '👍🏽❤\ufe0f'],
  ])('only the first picture of a joined emoji is drawn: %s', async (_kind, emoji, shown) => {
    expect(await drawnFor(`a${emoji}b 漢 ${emoji}`)).toBe(`a${shown}b 漢 ${shown}`);
  });

  it.each([
    'Ωμέγα Привет',
    'محمد שלום',
    'さくら 山田',
    '한국어 이름',
    '中文 漢字',
    '\u2068Zoë Çağ Łoś\u2069',
    '🔥😎⭐',
  ])('the fonts of the service have all characters of %s', async (text) => expect(await drawnFor(text)).toBe(text));

  it.each([
    ['𝓢𝓮𝓷̃𝓸𝓻', 'Sen\u0303or'],
    ['ไทย Raj हिन्दी', '… Raj …'],
    ['ab\u0e31c', 'abc'],
  ])('a character that no font has becomes a plain letter, or an ellipsis: %s', async (text, shown) => {
    expect(await drawnFor(text)).toBe(shown);
  });
});

describe('the service without the package that draws', () => {
  beforeEach(() => {
    machine.hasPackage = false;
  });

  it('a service without the package that draws has no pictures, and the log says why where fonts are named', async () => {
    expect(await load('/fonts/a.ttf')).toBeUndefined();
    expect(warnings).toEqual([
      expect.stringMatching(/^PUBLIC_PAGE_FONTS is set, but there are no pictures without @resvg\/resvg-js: .+/),
    ]);
  });

  it('a service without the package that draws logs no warning where no font is named', async () => {
    expect(await load()).toBeUndefined();
    expect(warnings).toEqual([]);
  });
});
