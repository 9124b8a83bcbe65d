import type { Curve } from '../../core/ranking/curves.ts';
import type { LeaderboardEntry } from '../../core/ranking/model.ts';
import { boundedProgress } from '../../core/reads/card.ts';
import { cleaned } from '../../pictures/text.ts';
import { hueOf, initialOf, nameOf } from '../../widget/name.ts';
import { ICON_ADDRESS } from '../http/site/icon.ts';
import { readTemplates } from '../http/site/templates.ts';
import type { PageWords } from './page-words.ts';
import { queryOf, type RankingQuery } from './queries.ts';

const render = readTemplates(new URL('./templates', import.meta.url));

/** Renders a template of ./templates. */
export function renderTemplate(name: string, data: object): string {
  return render(name, { icon: ICON_ADDRESS, ...data });
}

/** Returns the title of a guild, or its id if the title has no visible characters. */
export function headingOf(title: string | null, guildId: string): string {
  return nameOf({ username: title ?? '', user_id: guildId });
}

const segmenter = new Intl.Segmenter();

/** Returns the beginning of a text, cut between characters, without characters that XML forbids or that change the direction of text. */
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

/** Returns the progress of a member to the next level; undefined on a board, for an explicit level and at the last level. */
export function wayOf(
  { curve, board, words }: Pick<RowSettings, 'curve' | 'board' | 'words'>,
  { level, xp }: LeaderboardEntry,
) {
  const { level: ofCurve, gained, needed } = boundedProgress(curve, xp);
  if (board !== undefined || level !== ofCurve || needed === 0) return undefined;
  return {
    percent: Math.floor((1000 * gained) / needed) / 10,
    text: words.say('next', { xp: needed - gained, n: level + 1 }),
  };
}

/** The settings that all rows of a page share. */
export interface RowSettings {
  readonly words: PageWords;
  readonly curve: Curve;
  readonly board: RankingQuery['board'];
  /** Address of a member's page; undefined = no link. */
  readonly href: (userId: string) => string | undefined;
  readonly hasPodium?: boolean;
  /** Address of a member's picture; null = only an initial is shown. */
  readonly avatar?: (userId: string) => string | null;
  /** User id of the member that is marked. */
  readonly marked?: string | undefined;
}

/** Returns a member as the template "rows" shows it. */
export function rowOf(entry: LeaderboardEntry, settings: RowSettings) {
  const { words, href, hasPodium, marked, avatar } = settings;
  const { rank, level, xp, user_id } = entry;
  const name = nameOf(entry);
  const plus = settings.board ? '+' : '';
  return {
    /** Its rank as a number. */
    at: rank,
    rank: words.number(rank),
    rankText: words.title('rank', { n: rank }),
    id: user_id,
    place: hasPodium && rank <= 3 ? rank : undefined,
    name,
    initial: initialOf(name),
    hue: Math.floor((hueOf(user_id) * HUES) / 360),
    picture: avatar?.(user_id) ?? '',
    href: href(user_id),
    way: wayOf(settings, entry),
    level: words.title('level', { n: level }),
    levelShort: words.say('levelShort', { n: level }),
    xp: plus + shortNumber(words, xp),
    // On a phone, the unit may stand below the number.
    xpShort: xp < 1e6 ? undefined : plus + words.compact(xp).replace('\u00a0', ' '),
    unit: unitOf(words, settings.board),
    isMarked: user_id === marked,
  };
}

/** Returns what follows a number of XP: on a board, that it was gained. */
export function unitOf(words: PageWords, board: RankingQuery['board']): string {
  return board ? words.say('gained', { xp: '' }) : ' XP';
}

/** Returns a number of XP with its unit: on a board as gained XP, such as `+5,944 XP gained`. */
export function xpText(xp: string, words: PageWords, board: RankingQuery['board']): string {
  return board ? words.say('gained', { xp: `+${xp}` }) : `${xp} XP`;
}

/** Returns a number in short form if it has many digits. */
export function shortNumber({ number, compact }: PageWords, value: number): string {
  return value < 1e9 ? number(value) : compact(value);
}

/**
 * Returns the rankings of a guild as links, and its page of rewards.
 * @param base address of the page without its query.
 * @param rewards address of the page of rewards, if the guild has this page.
 */
export function tabsOf(
  boards: readonly NonNullable<RankingQuery['board']>[],
  query: RankingQuery,
  base: string,
  words: PageWords,
  rewards?: { readonly href: string; readonly isHere: boolean } | undefined,
) {
  const rankings = [undefined, ...boards].map((board) => ({
    label: words.say(board ?? 'all'),
    href: base + queryOf({ ...query, board }),
    isHere: board === query.board && !rewards?.isHere,
  }));
  if (!rewards) return rankings;
  const { href, isHere } = rewards;
  return [...rankings, { label: words.say('rewards'), href: href + queryOf({ ...query, board: undefined }), isHere }];
}
