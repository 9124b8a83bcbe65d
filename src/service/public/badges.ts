import type { PublicMember, PublicPage } from '../../core/reads/public-page.ts';
import { widthOf } from '../../pictures/text.ts';
import { nameOf } from '../../widget/name.ts';
import { type RenderedBody, toBody } from '../http/response/rendered-body.ts';
import { illustration } from './illustration.ts';
import { nameOfGuild } from './names-and-pictures.ts';
import { pageWordsOf } from './page-words.ts';
import type { MemberQuery, RankingQuery } from './queries.ts';
import { headingOf, renderTemplate, shorten } from './views.ts';

/** The longest text on each side of a badge, in characters as people see them, and in UTF-16 units. So a badge without an avatar has 2 kB at most. */
const MAX_CHARACTERS = 24;
const MAX_UNITS = 60;
/** Widths are known for bold fonts. The font of a badge has 11 pixels, and is about a tenth narrower. */
const BOLD_SIZE = 10;
/** Size of the avatar on the badge of a member, and the width of its place, in pixels. */
const AVATAR_SIZE = 32;
const AVATAR_WIDTH = 20;

/** Renders the badge of a guild: the number of its members, and the first member of the ranking. */
export function renderGuildBadge({ guildId, lang }: RankingQuery, found: PublicPage): RenderedBody {
  const { page } = found;
  const [first] = page.data;
  const { say, compact } = pageWordsOf(lang);
  const members = say('members', { n: page.total }, compact);
  const value = first ? `${members} · 1. ${shorten(nameOf(first), MAX_CHARACTERS, MAX_UNITS)}` : members;
  return toBody(badge(headingOf(nameOfGuild(found), guildId), value), 'image/svg+xml; charset=utf-8');
}

/** Renders the badge of a member: its rank, and its avatar if the guild shows avatars. */
export function renderMemberBadge({ userId, lang }: MemberQuery, found: PublicMember): RenderedBody {
  const { say } = pageWordsOf(lang);
  const { rank, level } = found.member;
  const value = `${say('rank', { n: rank })} · ${say('level', { n: level })}`;
  return illustration(found, [userId], AVATAR_SIZE, (avatars) =>
    badge(nameOf(found.member), value, avatars.get(userId)),
  );
}

/** Returns a badge as an SVG. @param avatar data URL of a picture. */
function badge(label: string, value: string, avatar = ''): string {
  const short = shorten(label, MAX_CHARACTERS, MAX_UNITS);
  const fieldWidth = (text: string) => Math.round(widthOf(text, BOLD_SIZE)) + 12;
  const textX = avatar ? AVATAR_WIDTH : 0;
  const labelWidth = textX + fieldWidth(short);
  const valueWidth = fieldWidth(value);
  return renderTemplate('badge', {
    label: short,
    value,
    labelWidth,
    valueWidth,
    avatar,
    textX,
    width: labelWidth + valueWidth,
  });
}
