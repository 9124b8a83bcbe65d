import { initialOf } from '../widget/name.ts';
import { type CardColours, MEDALS, ON_MEDAL } from './colours.ts';
import { escaped, fitted } from './text.ts';

const RADIUS = 74;
const Y = 114;

/** The content of the circle of a member. */
interface CardAvatar {
  readonly name: string;
  /** Address of a picture. */
  readonly picture: string | undefined;
  /** Rank of a member with a medal, in words and as a number; undefined for a member without a medal. */
  readonly medal: { readonly rank: number; readonly text: string } | undefined;
}

/** Draws the circle of a member: its picture or the first character of its name, and a medal for the first three. @param x of the centre. */
export function avatarAt(x: number, { name, picture, medal }: CardAvatar, colours: CardColours): string {
  const { back, front, background } = colours;
  const circle = (attributes: string, radius = RADIUS, y = Y) =>
    `<circle cx="${x}" cy="${y}" r="${radius}"${attributes}/>`;
  const centred = (size: number, y: number, fill: string, text: string) =>
    `<text x="${x}" y="${y}" font-size="${size}" font-weight="700" fill="${fill}" text-anchor="middle">${escaped(text)}</text>`;
  const square = [x - RADIUS, Y - RADIUS, 2 * RADIUS, 2 * RADIUS];
  const box = `x="${square[0]}" y="${square[1]}" width="${square[2]}" height="${square[3]}"`;
  const parts = [circle(` fill="${back}"`)];
  // Where a picture from the web is not loaded, the character stays.
  if (!picture?.startsWith('data:')) {
    const initial = centred(64, Y + 23, front, fitted(initialOf(name), 1, 4));
    parts.push(`<svg ${box} viewBox="${square.join(' ')}">${initial}</svg>`);
  }
  if (picture) {
    // Cards of the same direction in one page have the same circle, so they may share its id.
    const id = `guildrank-card-${x}`;
    parts.push(
      `<clipPath id="${id}">${circle('')}</clipPath>`,
      `<image href="${escaped(picture)}" ${box} preserveAspectRatio="xMidYMid slice" clip-path="url(#${id})"/>`,
    );
  }
  const colour = medal && MEDALS[medal.rank - 1];
  if (colour) {
    const y = Y + RADIUS;
    parts.push(
      circle(` fill="none" stroke="${colour}" stroke-width="6"`),
      circle(` fill="${colour}" stroke="${background}" stroke-width="5"`, 22, y),
      centred(22, y + 8, ON_MEDAL, medal.text),
    );
  }
  return parts.join('');
}
