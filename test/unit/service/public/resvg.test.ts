import { inflateSync } from 'node:zlib';
import { beforeEach, describe, expect, it, vi } from 'vitest';

// The package is optional, so its place is taken by a module that records what it is asked for.
const { calls, files, machine } = vi.hoisted(() => ({
  calls: [] as { readonly svg: string; readonly options: unknown }[],
  files: new Set<string>(),
  machine: { hasPackage: true },
}));
vi.mock('node:fs', async (original) => ({
  ...(await original<typeof import('node:fs')>()),
  existsSync: (file: string) => files.has(file),
}));
vi.mock('@resvg/resvg-js', () => ({
  get renderAsync() {
    if (!machine.hasPackage) throw new Error('no such package');
    return async (svg: string, options: unknown) => {
      calls.push({ svg, options });
      return { width: 1, height: 1, pixels: Uint8Array.of(1, 2, 3, 255) };
    };
  },
}));

const warnings: string[] = [];
const load = async (...fonts: string[]) => {
  // Each service loads the module when it starts.
  vi.resetModules();
  const { loadPainter } = await import('../../../../src/service/public/resvg.ts');
  return loadPainter(fonts, (text) => void warnings.push(text));
};

beforeEach(() => {
  machine.hasPackage = true;
  files.clear();
  for (const list of [calls, warnings]) list.length = 0;
});

const optionsOf = (...fontFiles: string[]) => ({ font: { loadSystemFonts: false, fontFiles } });

describe('with the package that draws', () => {
  it('a picture is drawn with the fonts that are named, and no other ones', async () => {
    files.add('/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf');
    const paint = await load('/fonts/b.ttf', '/fonts/a.otf');
    const png = Buffer.from((await paint?.('<svg/>')) ?? []);
    expect(calls).toEqual([{ svg: '<svg/>', options: optionsOf('/fonts/b.ttf', '/fonts/a.otf') }]);
    expect(png.toString('latin1', 1, 4)).toBe('PNG');
    const data = png.indexOf('IDAT') + 4;
    expect([...inflateSync(png.subarray(data))]).toEqual([0, 1, 2, 3, 255]);
    expect(warnings).toEqual([]);
  });

  it.each([
    [
      'fonts-noto-core',
      'truetype/noto/Noto',
      'Sans-Regular.ttf Sans-Bold.ttf SansArabic-Regular.ttf SansArabic-Bold.ttf',
    ],
    ['fonts-dejavu-core', 'truetype/dejavu/', 'DejaVuSans.ttf DejaVuSans-Bold.ttf'],
    ['fonts-noto-cjk', 'opentype/noto/', 'NotoSansCJK-Bold.ttc'],
    ['fonts-symbola', 'truetype/ancient-scripts/', 'Symbola_hint.ttf'],
  ])('a picture is drawn with the fonts of %s where none is named', async (_package, folder, names) => {
    const there = names.split(' ').map((name) => `/usr/share/fonts/${folder}${name}`);
    for (const file of there) files.add(file);
    await (await load())?.('<svg/>');
    expect(calls).toEqual([{ svg: '<svg/>', options: optionsOf(...there) }]);
  });

  it('there is no picture without a font, and nothing to say in the log', async () => {
    expect(await load()).toBeUndefined();
    expect(warnings).toEqual([]);
  });

  it.each([
    ['a family', '👩\u200d👩\u200d👧', '👩'],
    ['a person with a colour and a thing', '👩🏽\u200d❤\ufe0f\u200d👨🏿', '👩🏽'],
    ['the flag of a region', '🏴\u{e0067}\u{e0062}\u{e007f}', '🏴'],
    ['one picture', '👍🏽❤\ufe0f', '👍🏽❤\ufe0f'],
    ['a text whose letters are joined', 'क्\u200dष', 'क्\u200dष'],
  ])('of an emoji only the first picture is drawn: %s', async (_kind, emoji, shown) => {
    await (await load('/a.ttf'))?.(`<text>a${emoji}b 漢 ${emoji}</text>`);
    expect(calls[0]?.svg).toBe(`<text>a${shown}b 漢 ${shown}</text>`);
  });
});

describe('without the package that draws', () => {
  beforeEach(() => {
    machine.hasPackage = false;
  });

  it('there is no picture, and the log says why where fonts are named', async () => {
    expect(await load('/fonts/a.ttf')).toBeUndefined();
    expect(warnings).toEqual([
      expect.stringMatching(/^PUBLIC_PAGE_FONTS is set, but there are no pictures without @resvg\/resvg-js: .+/),
    ]);
  });

  it('there is no picture and no warning where the fonts are those of the machine', async () => {
    files.add('/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf');
    expect(await load()).toBeUndefined();
    expect(warnings).toEqual([]);
  });
});
