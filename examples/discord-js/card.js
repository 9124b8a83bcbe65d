import { existsSync } from 'node:fs';
import { rankCard } from 'guildrank-kit/card';

/** Fonts of Debian's packages fonts-noto-core, fonts-noto-cjk and fonts-symbola. The last one has emoji, in outlines. */
export const FONTS = [
  ...['Sans-Regular', 'Sans-Bold', 'SansArabic-Bold', 'SansHebrew-Bold', 'SansDevanagari-Bold', 'SansThai-Bold'].map(
    (name) => `/usr/share/fonts/truetype/noto/Noto${name}.ttf`,
  ),
  '/usr/share/fonts/opentype/noto/NotoSansCJK-Bold.ttc',
  '/usr/share/fonts/truetype/ancient-scripts/Symbola_hint.ttf',
];

/** What stands behind the first picture of an emoji of several. resvg draws no such emoji. */
const MORE_OF_EMOJI = /\u200d\p{Extended_Pictographic}[\ufe0f\p{EMod}]*|[\u{e0020}-\u{e007f}]/gu;
const AVATAR_MS = 1000;

/**
 * Returns a function that draws rank cards as PNG.
 * @param {readonly string[]} [fonts] files. Where none of them exists, all fonts of the system are loaded.
 */
export function cardDrawer(fonts = FONTS) {
  const fontFiles = fonts.filter((file) => existsSync(file));
  const font = { loadSystemFonts: fontFiles.length === 0, fontFiles, defaultFontFamily: 'Noto Sans' };

  /**
   * @param {import('guildrank-kit/card').MemberCard} card
   * @param {{ lang: string, avatarUrl?: string }} options
   */
  return async (card, { lang, avatarUrl }) => {
    // Loaded here, because the answers in text need none of it.
    const { renderAsync } = await import('@resvg/resvg-js');
    const avatar = avatarUrl && (await dataUrlOf(avatarUrl));
    const svg = rankCard(card, { theme: 'dark', lang, ...(avatar && { avatar }) }).replace(MORE_OF_EMOJI, '');
    return (await renderAsync(svg, { font })).asPng();
  };
}

/**
 * Loads a PNG, because resvg loads nothing. Without it, the card has the first character of the name.
 * @param {string} url
 */
async function dataUrlOf(url) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(AVATAR_MS) });
    if (!response.ok) return undefined;
    return `data:image/png;base64,${Buffer.from(await response.arrayBuffer()).toString('base64')}`;
  } catch {
    return undefined;
  }
}
