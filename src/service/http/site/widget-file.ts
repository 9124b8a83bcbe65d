import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The script of the widget, as the service serves it. */
export interface WidgetFile {
  readonly body: Buffer;
  /** Path of this content, relative to the service. No other content ever has this path. */
  readonly path: string;
  /** Value of the attribute `integrity` of its script element. */
  readonly integrity: string;
}

/**
 * Returns the CSS rule that reserves a height, in em, in a web page until the script is there, so that nothing below it moves. Without
 * JavaScript, the rule reserves no space.
 */
export function reservedSpace(height: number): string {
  return `@media (scripting: enabled) { guild-leaderboard:not(:defined) { display: block; font-size: medium; block-size: ${height}em } }`;
}

/** Reserves the space of a list of ten members, which the widget has by itself. */
export const RESERVED_SPACE = `<style>${reservedSpace(48.75)}</style>`;

/** Reads the widget. @throws when it is missing: the build has not copied it. */
export function readWidgetFile(): WidgetFile {
  const body = readFileSync(new URL('../../../widget/dist/widget.js', import.meta.url));
  const digest = createHash('sha384').update(body).digest();
  return {
    body,
    path: `widget.${digest.toString('hex', 0, 8)}.js`,
    integrity: `sha384-${digest.toString('base64')}`,
  };
}
