import { boundedProgress, type MemberCard, rankedMember } from '../../core/reads/card.ts';
import type { PublicMember } from '../../core/reads/public-page.ts';
import { rankCard } from '../../pictures/card.ts';
import type { RenderedBody } from '../http/response/rendered-body.ts';
import { illustration } from './illustration.ts';
import type { CardQuery } from './queries.ts';

/** Size of the card in pixels, as src/pictures/card-drawing.ts draws it. */
export const CARD_SIZE = { width: 934, height: 282 } as const;

/** Size of the avatar on a card: the circle has 148 pixels. */
const AVATAR_SIZE = 128;

/** Renders the rank card of a member as an SVG without references to other files. A card of a board has no progress to a next level. */
export function renderCard({ userId, board, lang, theme }: CardQuery, found: PublicMember): RenderedBody {
  const { member, rows, total, dailyStreak, look, curve } = found;
  const { rank, username, level, xp } = member;
  const way = boundedProgress(curve, xp);
  const hasWay = board === undefined && way.level === level;
  const at = rows.findIndex(({ user_id }) => user_id === userId);
  const above = rows[at - 1];
  const below = rows[at + 1];
  const card: MemberCard = {
    rank,
    total,
    userId,
    username,
    level,
    xp,
    dailyStreak,
    progress: hasWay ? { gained: way.gained, needed: way.needed } : null,
    nextLevelXp: hasWay && way.needed > 0 ? xp - way.gained + way.needed : null,
    above: above ? rankedMember(above) : null,
    below: below ? rankedMember(below) : null,
    hidden: null,
  };
  return illustration(found, [userId], AVATAR_SIZE, (avatars) => {
    const avatar = avatars.get(userId);
    return rankCard(card, { theme, lang, ...(look.accent && { accent: look.accent }), ...(avatar && { avatar }) });
  });
}
