import { existsSync } from 'node:fs';
import { messageOf } from '../../core/errors.ts';
import type { Painter } from './pictures.ts';
import { encodePng, type Image } from './png.ts';

/** The optional package that draws. It is named by a value, because nothing of it has to be there when this is compiled. */
const RESVG: string = '@resvg/resvg-js';

interface Resvg {
  renderAsync(svg: string, options: object): Promise<Image>;
}

/** Fonts of Debian's packages fonts-noto-core, fonts-noto-cjk, fonts-symbola and fonts-dejavu-core. The first one that exists draws most. */
const KNOWN_FONTS = [
  ...['Sans-Regular', 'Sans-Bold', 'SansArabic-Regular', 'SansArabic-Bold'].map(
    (name) => `/usr/share/fonts/truetype/noto/Noto${name}.ttf`,
  ),
  ...['DejaVuSans', 'DejaVuSans-Bold'].map((name) => `/usr/share/fonts/truetype/dejavu/${name}.ttf`),
  '/usr/share/fonts/opentype/noto/NotoSansCJK-Bold.ttc',
  '/usr/share/fonts/truetype/ancient-scripts/Symbola_hint.ttf',
];

/** What stands behind the first picture of an emoji of several. resvg draws no such emoji. */
const MORE_OF_EMOJI = /\u200d\p{Extended_Pictographic}[\ufe0f\p{EMod}]*|[\u{e0020}-\u{e007f}]/gu;

/**
 * Returns what draws pictures; undefined where the package is not installed, or where there is no font.
 * @param fonts files; none = known ones.
 * @param warn called with a text for the log when fonts are named, but nothing draws with them.
 */
export async function loadPainter(
  fonts: readonly string[],
  warn: (text: string) => void,
): Promise<Painter | undefined> {
  const fontFiles = fonts.length > 0 ? fonts : KNOWN_FONTS.filter((file) => existsSync(file));
  if (fontFiles.length === 0) return undefined;
  try {
    const { renderAsync } = (await import(RESVG)) as Resvg;
    const font = { loadSystemFonts: false, fontFiles };
    return async (svg) => encodePng(await renderAsync(svg.replace(MORE_OF_EMOJI, ''), { font }));
  } catch (error) {
    // Not installed, or not for this machine.
    if (fonts.length > 0)
      warn(`PUBLIC_PAGE_FONTS is set, but there are no pictures without ${RESVG}: ${messageOf(error)}`);
    return undefined;
  }
}
