import { fileURLToPath } from 'node:url';
import { messageOf } from '../../core/errors.ts';
import { escaped } from '../../pictures/text.ts';
import { charactersOf, type HasCharacter } from './font-characters.ts';
import type { Painter } from './pictures.ts';
import { encodePng, type Image } from './png.ts';

/** The optional package that draws. Its name is a value and not a literal in the import, so that this compiles without the package. */
const RESVG: string = '@resvg/resvg-js';

interface Resvg {
  renderAsync(svg: string, options: object): Promise<Image>;
}

/** The fonts that the service brings. For each character, resvg takes the first font that has it. */
const OWN_FONTS = ['DejaVuSans', 'DejaVuSans-Bold', 'NotoEmoji-Bold', 'NanumGothic-Bold', 'DroidSansFallbackFull'].map(
  (name) => fileURLToPath(new URL(`./fonts/${name}.ttf`, import.meta.url)),
);

/** The rest of an emoji that consists of several pictures, after its first picture. resvg cannot draw such an emoji. */
const MORE_OF_EMOJI = /\u200d\p{Extended_Pictographic}[\ufe0f\p{EMod}]*|[\u{e0020}-\u{e007f}]/gu;
const BEYOND_ASCII = /[^\0-\x7f]+/g;
/** Characters that change the character before them. If no font has such a character, it is left out. */
const CHANGES_ANOTHER = /[\p{M}\p{EMod}]/u;
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u;

/**
 * Returns the function that draws pictures; undefined if the package is not installed.
 * @param fonts files of further fonts, which come before the fonts of the service.
 * @param warn called with a text for the log for each file of a font that cannot be read, and if there are such files but the package is not
 * installed.
 */
export async function loadPainter(
  fonts: readonly string[],
  warn: (text: string) => void,
): Promise<Painter | undefined> {
  try {
    const { renderAsync } = (await import(RESVG)) as Resvg;
    const further = fonts.flatMap((file) => readableFont(file, warn));
    const hasOwn = charactersOf(OWN_FONTS);
    const has = (codePoint: number) => hasOwn(codePoint) || further.some((font) => font.has(codePoint));
    const font = { loadSystemFonts: false, fontFiles: [...further.map(({ file }) => file), ...OWN_FONTS] };
    return async (svg) => encodePng(await renderAsync(drawable(svg.replace(MORE_OF_EMOJI, ''), has), { font }));
  } catch (error) {
    // The package is not installed, or not for this machine.
    if (fonts.length > 0)
      warn(`PUBLIC_PAGE_FONTS is set, but there are no pictures without ${RESVG}: ${messageOf(error)}`);
    return undefined;
  }
}

/** Returns a list with a font and its characters. For a damaged file, warns and returns an empty list. */
function readableFont(file: string, warn: (text: string) => void) {
  try {
    return [{ file, has: charactersOf([file]) }];
  } catch (error) {
    warn(`PUBLIC_PAGE_FONTS: ${file} is damaged, so pictures are drawn without this font: ${messageOf(error)}`);
    return [];
  }
}

/**
 * Returns an SVG whose texts have only characters of the fonts, because resvg draws a box for any other character, and for all characters after it.
 * A styled letter such as 𝓢 becomes a plain letter, and "…" takes the place of any other missing character. O(n).
 */
function drawable(svg: string, has: HasCharacter): string {
  const isDrawn = (character: string) => has(character.codePointAt(0) ?? 0) || INVISIBLE.test(character);
  return svg.replace(BEYOND_ASCII, (run) => {
    let shown = '';
    for (const character of run) {
      const plain = character.normalize('NFKD');
      if (isDrawn(character)) shown += character;
      // Some of these plain characters are markup.
      else if ([...plain].every(isDrawn)) shown += escaped(plain);
      else if (!CHANGES_ANOTHER.test(character) && !shown.endsWith('…')) shown += '…';
    }
    return shown;
  });
}
