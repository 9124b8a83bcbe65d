import { parseCurve } from '../../../../src/guild/ranking/curves.ts';
import type { PublicMember, PublicPage } from '../../../../src/guild/ranking/public-page.ts';
import type { RenderedBody } from '../../../../src/http/response/rendered-body.ts';

const curve = parseCurve('standard');
if (!curve) throw new Error('there is no standard curve');

/** The rows of "The Den", the guild of these tests. */
export const ROWS = [
  { rank: 1, user_id: 'ann', username: 'Ann', level: 10, xp: 4675 },
  { rank: 2, user_id: 'bob', username: 'Bob', level: 1, xp: 100 },
  { rank: 3, user_id: 'cid', username: 'Cid', level: 0, xp: 7 },
];
const GUILD = {
  revision: '7',
  title: 'The Den',
  boards: [],
  look: { accent: '', accentDark: '', background: '', backgroundDark: '', picture: '' },
  curve,
};

/** What a page of its ranking has. */
export const PAGE: PublicPage = {
  ...GUILD,
  page: { data: ROWS, total: 3, page: 1 },
  stats: { total_members: 3, total_xp: 1_234_567n, average_level: 7, xp_curve: 'standard', xp_multiplier: 1 },
};

/** What the page of Bob has. */
export const BOB: PublicMember = {
  ...GUILD,
  member: ROWS[1] as (typeof ROWS)[0],
  rows: ROWS,
  total: 3,
  dailyStreak: 4,
};

/** A service that nobody named an address for. */
export const SITE = { url: '', hasPictures: false, frameAncestors: "'none'", hasComponentEmbeds: false };

/** Returns the text of a body. */
export function textOf({ body }: RenderedBody): string {
  return Buffer.from(body, 'latin1').toString();
}
