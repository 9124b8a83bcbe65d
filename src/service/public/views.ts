import type { Curve } from '../../core/ranking/curves.ts';
import type { LeaderboardEntry } from '../../core/ranking/model.ts';
import { avatarUrl } from '../../core/ranking/picture-hash.ts';
import { progressOf } from '../../core/reads/card.ts';
import { cleaned } from '../../pictures/text.ts';
import { hueOf, initialOf, nameOf } from '../../widget/name.ts';
import { readTemplates } from '../http/site/templates.ts';
import { queryOf, type RankingQuery } from './queries.ts';
import type { Words } from './words.ts';

/** Renders a template of ./templates. */
export const renderTemplate = readTemplates(new URL('./templates', import.meta.url));

/** Returns the title of a guild, or its id instead of a title that nobody can see. */
export function headingOf(title: string, guildId: string): string {
  return nameOf({ username: title, user_id: guildId });
}

const segmenter = new Intl.Segmenter();

/** Returns the start of a text, without what XML forbids and directions of its own, cut between characters. */
export function shorten(text: string, maxCharacters: number, maxUnits = Number.POSITIVE_INFINITY): string {
  let short = '';
  let characters = 0;
  for (const { segment } of segmenter.segment(cleaned(text))) {
    if (++characters > maxCharacters || short.length + segment.length > maxUnits) return `${short}…`;
    short += segment;
  }
  return short;
}

/** The colours of avatars in page.css. */
const HUES = 24;

/** Returns the way of a member to the next level; undefined on a board, for an explicit level and at the last level. */
export function wayOf(
  { curve, board, words }: Pick<RowSettings, 'curve' | 'board' | 'words'>,
  { level, xp }: LeaderboardEntry,
) {
  const { level: ofCurve, gained, needed } = progressOf(curve, xp);
  if (board !== undefined || level !== ofCurve || needed === 0) return undefined;
  return {
    percent: Math.floor((1000 * gained) / needed) / 10,
    text: words.say('next', { xp: needed - gained, n: level + 1 }),
  };
}

export interface RowSettings {
  readonly words: Words;
  readonly curve: Curve;
  readonly board: string | undefined;
  /** Address of a member's page; undefined = no link. */
  readonly href: (userId: string) => string | undefined;
  /** Discord's hashes of the avatars to show, by user id. */
  readonly avatars: ReadonlyMap<string, string>;
  readonly hasPodium?: boolean;
  /** User id of the member that is marked. */
  readonly marked?: string;
}

/** Returns a member as the template "rows" shows it. */
export function rowOf(entry: LeaderboardEntry, settings: RowSettings) {
  const { words, href, avatars, hasPodium, marked } = settings;
  const { rank, level, xp, user_id } = entry;
  const name = nameOf(entry);
  const avatar = avatars.get(user_id);
  return {
    rank: words.number(rank),
    rankText: words.title('rank', { n: rank }),
    place: hasPodium && rank <= 3 ? rank : undefined,
    name,
    initial: initialOf(name),
    /** Address of the picture, which lies on the initial: where it does not load, the initial stays. */
    avatar: avatar && avatarUrl(user_id, avatar, 128),
    hue: Math.floor((hueOf(user_id) * HUES) / 360),
    href: href(user_id),
    way: wayOf(settings, entry),
    level: words.title('level', { n: level }),
    levelShort: words.say('levelShort', { n: level }),
    xp: shortNumber(words, xp),
    // On a phone, the unit may stand below the number.
    xpShort: xp < 1e6 ? undefined : words.compact(xp).replace('\u00a0', ' '),
    isMarked: user_id === marked,
  };
}

/** Returns a number in few figures where it has many. */
export function shortNumber({ number, compact }: Words, value: number): string {
  return value < 1e9 ? number(value) : compact(value);
}

/** Returns the class of the column of ranks: the figures of the last one. */
export function digitsOf(rows: readonly LeaderboardEntry[]): number {
  return Math.min(9, Math.max(2, String(rows.at(-1)?.rank ?? 0).length));
}

/** Returns the rankings of a guild as links. @param base address of the page without its query. */
export function tabsOf(
  boards: readonly NonNullable<RankingQuery['board']>[],
  query: RankingQuery,
  base: string,
  words: Words,
) {
  return [undefined, ...boards].map((board) => ({
    label: words.say(board ?? 'all'),
    href: base + queryOf({ ...query, board }),
    isHere: board === query.board,
  }));
}
