import stringWidth from 'string-width';
import type { PublicMember, PublicPage } from '../../core/reads/public-page.ts';
import { nameOf } from '../../widget/name.ts';
import { type RenderedBody, toBody } from '../http/response/rendered-body.ts';
import { nameOfGuild } from './names-and-pictures.ts';
import type { MemberQuery, RankingQuery } from './queries.ts';
import { headingOf, renderTemplate, shorten } from './views.ts';
import { wordsOf } from './words.ts';

/** The longest text on each side of a badge, in characters as people see them, and in UTF-16 units: a badge has 2 kB at most. */
const MAX_CHARACTERS = 24;
const MAX_UNITS = 60;

/** Renders the badge of a guild: its members, and the first one of them. */
export function renderGuildBadge({ guildId, lang }: RankingQuery, found: PublicPage): RenderedBody {
  const { page } = found;
  const [first] = page.data;
  const { say, compact } = wordsOf(lang);
  const members = say('members', { n: page.total }, compact);
  return badge(
    headingOf(nameOfGuild(found), guildId),
    first ? `${members} · 1. ${shorten(nameOf(first), MAX_CHARACTERS, MAX_UNITS)}` : members,
  );
}

/** Renders the badge of a member: its rank. */
export function renderMemberBadge({ lang }: MemberQuery, { member }: PublicMember): RenderedBody {
  const { say } = wordsOf(lang);
  return badge(nameOf(member), `${say('rank', { n: member.rank })} · ${say('level', { n: member.level })}`);
}

function badge(label: string, value: string): RenderedBody {
  const short = shorten(label, MAX_CHARACTERS, MAX_UNITS);
  const widthOf = (text: string) => Math.max(1, stringWidth(text)) * 7 + 12;
  const labelWidth = widthOf(short);
  const valueWidth = widthOf(value);
  const svg = { label: short, value, labelWidth, valueWidth, width: labelWidth + valueWidth };
  return toBody(renderTemplate('badge', svg), 'image/svg+xml; charset=utf-8');
}
