/** Texts in an SVG whose fonts are not known: what may stand in XML, how wide it is about, where it is cut, and the pen that draws it. */

/** Code units of a name that are looked at. */
const MAX_UNITS = 256;
/** The longest character that people use, an emoji of several persons, has fewer code units. */
const MAX_CHARACTER = 32;

// Without these characters, a text cannot change its own direction, or the direction of texts beside it.
const BIDI_CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const MANY_MARKS = /(\p{M}{4})\p{M}+/gu;

/** Returns a text without what XML forbids, without directions of its own and with single spaces. */
export function cleaned(text: string): string {
  return text
    .slice(0, MAX_UNITS)
    .replace(/[\ud800-\udfff]/gu, '\ufffd')
    .replace(BIDI_CONTROLS, '')
    .replace(/[\ufffe\uffff]/g, '')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .replace(MANY_MARKS, '$1')
    .trim();
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Returns a text as XML has it, in elements and attributes. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Gives a text the direction of its first letter, where it could take another direction. Many fonts lack the characters for it. */
export function isolated(text: string): string {
  return RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text;
}

/** Returns a text for a line with other texts: cleaned, and with a direction of its own. */
export function inLine(text: string): string {
  return isolated(cleaned(text));
}

/** Widths of characters in heights of the font, from the widest of the usual bold fonts. The first row that fits counts. */
const WIDTHS: readonly (readonly [RegExp, number])[] = [
  [/^[\ufdfa\ufdfb\ufdfd\u2e3a\u2e3b\ua9c5\u{12000}-\u{1254f}]/u, 4],
  [/\p{Extended_Pictographic}|\p{RI}|\u20e3/u, 1.4],
  [
    /^[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u,
    1.02,
  ],
  [/^[ijl|.,:;'`I ]/, 0.38],
  [/^[frt!()[\]{}/\\"-]/, 0.5],
  [/^[mwMW@%&]/, 1.05],
  [/^[a-z0-9]/, 0.69],
  [/^[A-Z]/, 0.8],
  [/^[\u00a0-\u06ff]/, 0.8],
];

/** Returns about how wide a text is, in pixels, rather more than less. */
export function widthOf(text: string, size: number): number {
  return charactersOf(text).reduce((sum, character) => sum + size * widthOfCharacter(character), 0);
}

/** Returns a text that is at most about `width` pixels wide: cut between two characters, with an ellipsis. */
export function fitted(text: string, size: number, width: number): string {
  if (widthOf(text, size) <= width) return charactersOf(text).join('');
  let shown = '';
  let left = width - size;
  for (const character of charactersOf(text)) {
    left -= size * widthOfCharacter(character);
    if (left < 0) break;
    shown += character;
  }
  return `${shown.trimEnd()}…`;
}

function widthOfCharacter(character: string): number {
  return WIDTHS.find(([pattern]) => pattern.test(character))?.[1] ?? 1;
}

const segmenter = new Intl.Segmenter();

/** Returns the characters as people see them. */
function charactersOf(text: string): string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => (segment.length > MAX_CHARACTER ? '\ufffd' : segment));
}

/** The look of a text, in pixels and colours. */
export interface TextStyle {
  readonly size: number;
  readonly fill?: string;
  readonly bold?: boolean;
  /** The part of the text that is at its place; "start" unless given. */
  readonly anchor?: 'start' | 'middle' | 'end';
}

const MIRRORED = { start: 'end', middle: 'middle', end: 'start' } as const;

/** The functions that draw pieces of SVG, as {@link createPen} returns them. */
export type Pen = ReturnType<typeof createPen>;

/**
 * Returns functions that make pieces of SVG. The functions take places in a picture that reads from left to right, and mirror the places with
 * `isRtl`. They take texts that are escaped for XML. Nothing depends on `direction` or `dominant-baseline`, which not every program knows.
 * @param pictureWidth in pixels.
 */
export function createPen(isRtl: boolean, pictureWidth: number) {
  const left = (x: number, width = 0) => (isRtl ? pictureWidth - x - width : x);
  const text = (x: number, y: number, { size, fill, bold, anchor = 'start' }: TextStyle, content: string): string => {
    const shown = isRtl ? MIRRORED[anchor] : anchor;
    let attributes = `x="${rounded(left(x))}" y="${y}" font-size="${size}"`;
    if (fill) attributes += ` fill="${fill}"`;
    if (bold) attributes += ' font-weight="700"';
    if (shown !== 'start') attributes += ` text-anchor="${shown}"`;
    return `<text ${attributes}>${content}</text>`;
  };
  return {
    left,
    /** Draws a text with a direction of its own. */
    text,
    /** Draws a text in the direction of the picture. */
    line: (x: number, y: number, style: TextStyle, content: string): string =>
      text(x, y, style, isRtl ? `\u2067${content}\u2069` : content),

    /** Cuts what leaves its place in spite of the estimated widths: the fonts are not known. */
    cut(x: number, y: number, width: number, height: number, content: string): string {
      const at = rounded(left(x, width));
      const wide = rounded(width);
      const view = `x="${at}" y="${y}" width="${wide}" height="${height}" viewBox="${at} ${y} ${wide} ${height}"`;
      return `<svg ${view}>${content}</svg>`;
    },

    /** Draws a bar with round ends. */
    bar: (x: number, y: number, width: number, height: number, fill: string): string =>
      `<rect x="${left(x, width)}" y="${y}" width="${width}" height="${height}" rx="${height / 2}" fill="${fill}"/>`,
  };
}

const rounded = (pixels: number): number => Math.round(10 * Math.max(0, pixels)) / 10;
