import { escaped, widthOf } from '../web/drawing/text.ts';
import type { Piece } from './card-words.ts';

/** Size of the card in pixels. */
export const [WIDTH, HEIGHT] = [934, 282];

interface TextStyle {
  readonly size: number;
  readonly fill?: string;
  readonly bold?: boolean;
  /** The side of `x` that the text is on: after it, unless given. */
  readonly side?: 'before' | 'after';
}

/** Size of the values in a text of 22 pixels. */
const VALUE = 34;

export type Pen = ReturnType<typeof createPen>;

/**
 * Returns functions that make pieces of SVG. Their places are those of a card that reads from left to right. With `isRtl` they are mirrored.
 * They take texts as XML has them. Nothing depends on `direction` or `dominant-baseline`, which not every program knows.
 */
export function createPen(isRtl: boolean) {
  const left = (x: number, width = 0) => (isRtl ? WIDTH - x - width : x);
  const name = (x: number, y: number, { size, fill, bold, side = 'after' }: TextStyle, content: string): string => {
    const anchor = (side === 'before') === isRtl ? '' : ' text-anchor="end"';
    const style = `${fill ? ` fill="${fill}"` : ''}${bold ? ' font-weight="700"' : ''}${anchor}`;
    return `<text x="${rounded(left(x))}" y="${y}" font-size="${size}"${style}>${content}</text>`;
  };
  return {
    left,
    /** Draws a text with a direction of its own. */
    name,
    /** Draws a text in the direction of the card. */
    line: (x: number, y: number, style: TextStyle, content: string): string =>
      name(x, y, style, isRtl ? `\u2067${content}\u2069` : content),

    /** Cuts what leaves its place in spite of the estimated widths: the fonts are not known. */
    cut(x: number, y: number, width: number, height: number, content: string): string {
      const [at, wide] = [rounded(left(x, width)), rounded(width)];
      const view = `x="${at}" y="${y}" width="${wide}" height="${height}" viewBox="${at} ${y} ${wide} ${height}"`;
      return `<svg ${view}>${content}</svg>`;
    },

    /** Draws a bar with round ends. */
    bar: (x: number, y: number, width: number, fill: string): string =>
      `<rect x="${left(x, width)}" y="${y}" width="${width}" height="14" rx="7" fill="${fill}"/>`,
  };
}

const rounded = (pixels: number): number => Math.round(10 * Math.max(0, pixels)) / 10;

/** Returns a part of a line in a style of its own. */
export function span({ size, fill, bold }: Partial<TextStyle>, content: string): string {
  const weight = bold === undefined ? '' : ` font-weight="${bold ? 700 : 400}"`;
  return `<tspan${fill ? ` fill="${fill}"` : ''}${size ? ` font-size="${size}"` : ''}${weight}>${content}</tspan>`;
}

/** Returns the XML of a text whose values are large and bold. */
export function marked(pieces: readonly Piece[], fill: string): string {
  return pieces
    .map(([text, isValue]) => (isValue ? span({ size: VALUE, fill, bold: true }, escaped(text)) : escaped(text)))
    .join('');
}

/** Returns about how wide such a text is, in pixels. @param size of what is no value. */
export function markedWidth(pieces: readonly Piece[], size: number): number {
  return pieces.reduce((sum, [text, isValue]) => sum + widthOf(text, isValue ? VALUE : size), 0);
}
