import type { Piece } from '../widget/translation.ts';
import { escaped, type TextStyle, widthOf } from './text.ts';

/** Size of the values in a text of 22 pixels. */
const VALUE = 34;

/** Returns a part of a line in a style of its own. */
export function span({ size, fill, bold }: Partial<TextStyle>, content: string): string {
  let attributes = '';
  if (fill) attributes += ` fill="${fill}"`;
  if (size) attributes += ` font-size="${size}"`;
  if (bold !== undefined) attributes += bold ? ' font-weight="700"' : ' font-weight="400"';
  return `<tspan${attributes}>${content}</tspan>`;
}

/** Returns the XML of a text whose values are large and bold. */
export function marked(pieces: readonly Piece[], fill: string): string {
  return pieces
    .map(([text, isValue]) => (isValue ? span({ size: VALUE, fill, bold: true }, escaped(text)) : escaped(text)))
    .join('');
}

/** Returns about how wide a text with larger values is, in pixels. @param size font size of the pieces that are not values. */
export function markedWidth(pieces: readonly Piece[], size: number): number {
  return pieces.reduce((sum, [text, isValue]) => sum + widthOf(text, isValue ? VALUE : size), 0);
}
