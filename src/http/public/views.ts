import { fileURLToPath } from 'node:url';
import { Eta } from 'eta';
import { type Curve, MAX_XP, progress } from '../../guild/ranking/curves.ts';
import type { LeaderboardEntry } from '../../guild/ranking/model.ts';
import { hueOf, initialOf, nameOf } from '../../web/widget/name.ts';
import type { RankingQuery } from './queries.ts';

const eta = new Eta({
  views: fileURLToPath(new URL('./templates', import.meta.url)),
  cache: true,
  autoEscape: true,
  autoTrim: false,
});

/** Renders a template of ./templates. All data is escaped, but the body of the layout. */
export function renderTemplate(template: string, data: object): string {
  return eta.render(template, data);
}

/** Returns a number as visitors read it, such as 24,000. */
export const number = new Intl.NumberFormat('en').format;
/** Returns a number in few figures, such as 1.5M. */
export const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }).format;

/** The colours of avatars in page.css. */
const HUES = 24;

/** The way of a member to the next level. */
interface Way {
  readonly percent: number;
  readonly text: string;
}

/** Returns the way of a member; undefined on a board, for an explicit level and at the last level. */
export function wayOf(curve: Curve, { level, xp }: LeaderboardEntry, board: string | undefined): Way | undefined {
  const { level: ofCurve, gained, needed } = progress(curve, xp);
  const left = needed - gained;
  if (board !== undefined || level !== ofCurve || needed === 0 || xp + left > MAX_XP) return undefined;
  return {
    percent: Math.floor((1000 * gained) / needed) / 10,
    text: `${number(left)} XP to level ${number(level + 1)}`,
  };
}

interface RowSettings {
  readonly curve: Curve;
  readonly board: string | undefined;
  /** Address of a member's page; undefined = no link. */
  readonly href: (userId: string) => string | undefined;
  readonly hasPodium?: boolean;
  /** User id of the member that is marked. */
  readonly marked?: string;
}

/** Returns a member as the template "row" shows it. */
export function rowOf(entry: LeaderboardEntry, { curve, board, href, hasPodium, marked }: RowSettings) {
  const { rank, level, xp, user_id } = entry;
  const name = nameOf(entry);
  return {
    rank: number(rank),
    place: hasPodium && rank <= 3 ? rank : undefined,
    name,
    initial: initialOf(name),
    hue: Math.floor((hueOf(user_id) * HUES) / 360),
    href: href(user_id),
    way: wayOf(curve, entry, board),
    level: number(level),
    xp: (xp < 1e9 ? number : compact)(xp),
    isMarked: user_id === marked,
  };
}

/** Returns the class of the column of ranks: the figures of the last one. */
export function digitsOf(rows: readonly LeaderboardEntry[]): number {
  return Math.min(9, Math.max(2, String(rows.at(-1)?.rank ?? 0).length));
}

const LABELS: Readonly<Record<string, string>> = {
  week: 'This week',
  'week.prev': 'Last week',
  month: 'This month',
  'month.prev': 'Last month',
};

/** Returns the rankings of a guild as links. @param base address of the page without its query. */
export function tabsOf(boards: readonly string[], { board }: RankingQuery, base: string) {
  return ['', ...boards].map((name) => ({
    label: LABELS[name] ?? 'All time',
    href: name === '' ? base : `${base}?board=${name}`,
    isHere: name === (board ?? ''),
  }));
}
