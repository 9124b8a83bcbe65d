import { parseCurve } from '../../../../src/core/ranking/curves.ts';
import type { PublicGuild, PublicMember, PublicMissing, PublicPage } from '../../../../src/core/reads/public-page.ts';
import type { PageLook } from '../../../../src/core/settings/page-look.ts';
import type { RenderedBody } from '../../../../src/service/http/response/rendered-body.ts';
import { parseMember, parsePage } from '../../../../src/service/public/queries.ts';
import type { Language } from '../../../../src/widget/translation.ts';

/** The look of a guild that chose nothing. */
export const PLAIN: PageLook = { accent: '', accentDark: '', background: '', backgroundDark: '', picture: '' };

const ann = { rank: 1, user_id: 'ann', username: 'Ann', level: 10, xp: 4675 };
const bob = { rank: 2, user_id: 'bob', username: 'Bob', level: 1, xp: 100 };
const curve = parseCurve('standard');
if (!curve) throw new Error('There is no standard curve');
const stats = { total_members: 2, total_xp: 4775n, average_level: 6, xp_curve: 'standard', xp_multiplier: 1 } as const;
const guild: PublicGuild = {
  revision: '7',
  indexing: 'leaderboard',
  hasRewards: false,
  title: 'The Den',
  boards: [],
  look: PLAIN,
  about: { name: null, icon: null },
  showsAvatars: false,
  avatars: new Map(),
  curve,
  stats,
  period: null,
};

export const PAGE: PublicPage = {
  ...guild,
  page: { data: [ann, bob], total: 2, page: 1 },
};
export const MEMBER: PublicMember = { ...guild, member: bob, rows: [ann, bob], total: 2, dailyStreak: 3 };
export const MISSING: PublicMissing = { ...guild, isMissing: true };

/** Returns what the address of a page asks for. */
export const pageQuery = (query: object = {}, lang: Language = 'en') =>
  parsePage({ params: { guild_id: 'guild' }, query, lang });

/** Returns what the address of Bob's page asks for. */
export const memberQuery = (query: object = {}, lang: Language = 'en') =>
  parseMember({ params: { guild_id: 'guild', user_id: 'bob' }, query, lang });

/** Returns the text that a body has as bytes. */
export const textOf = ({ body }: RenderedBody): string => Buffer.from(body, 'latin1').toString();
