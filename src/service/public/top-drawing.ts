import type { LeaderboardEntry } from '../../core/ranking/model.ts';
import type { PublicPage } from '../../core/reads/public-page.ts';
import { DEFAULT_COLOURS } from '../../core/settings/page-look.ts';
import { coloursOf, MEDALS, ON_MEDAL } from '../../pictures/colours.ts';
import { cleaned, createPen, escaped, fitted, isolated, type Pen, widthOf } from '../../pictures/text.ts';
import { hueOf, initialOf, nameOf } from '../../widget/name.ts';
import { daysOf } from '../../widget/period.ts';
import type { RenderedBody } from '../http/response/rendered-body.ts';
import { illustration } from './illustration.ts';
import { accentsOf } from './look.ts';
import { nameOfGuild } from './names-and-pictures.ts';
import { type PageWords, pageWordsOf } from './page-words.ts';
import type { RankingQuery } from './queries.ts';
import { headingOf, shortNumber, wayOf, xpText } from './views.ts';

/** The picture of the first members, in the size that programs want for the preview of a link. */
export const TOP_SIZE = { width: 1200, height: 630 } as const;
export const TOP_ROWS = 5;

const START = 84;
const END = TOP_SIZE.width - START;
const NAME_X = 252;
const FIRST_ROW = 202;
const ROW = 74;
/** Width of the columns of levels and XP. */
const LEVEL = 200;
const XP = 240;
const AVATAR_RADIUS = 27;
const AVATAR_SIZE = 64;

/** Renders the first members as an SVG, in the dark theme of the page. All texts are cleaned, cut to their place and escaped. */
export function renderTop(query: RankingQuery, found: PublicPage): RenderedBody {
  const userIds = found.page.data.slice(0, TOP_ROWS).map(({ user_id }) => user_id);
  return illustration(found, userIds, AVATAR_SIZE, (avatars) => drawTop(query, found, avatars));
}

function drawTop(
  { guildId, board, lang }: RankingQuery,
  found: PublicPage,
  avatars: ReadonlyMap<string, string>,
): string {
  const { look, period, page, stats } = found;
  const words = pageWordsOf(lang);
  const accent = accentsOf(look).dark;
  const { text, muted, background, track } = coloursOf('dark', accent, 0);
  const { width, height } = TOP_SIZE;
  const pen = createPen(words.isRtl, width);
  const heading = fitted(cleaned(headingOf(nameOfGuild(found), guildId)), 46, END - START);
  const facts = [
    // Programs keep a picture, so it does not say how many days are left.
    ...(period ? [words.dates(...daysOf(period))] : []),
    words.say('members', { n: page.total }),
    xpText(words.compact(stats.total_xp), words, board),
  ];
  const name = board ? words.say(board) : words.say('title');
  const rows = page.data.slice(0, TOP_ROWS).map((entry, at) => {
    const y = FIRST_ROW + at * ROW;
    const line = at > 0 ? `<path d="M${START} ${y - 3}H${END}" stroke="${track}"/>` : '';
    const way = wayOf({ ...found, board, words }, entry);
    const avatar = avatars.get(entry.user_id);
    return line + rowAt(y, entry, { pen, words, accent, track, board, way, avatar });
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<rect width="${width}" height="${height}" fill="${look.backgroundDark || DEFAULT_COLOURS.backgroundDark}"/>`,
    `<rect x="40" y="40" width="${width - 80}" height="${height - 80}" rx="32" fill="${background}" stroke="${track}" stroke-width="2"/>`,
    pen.text(START, 118, { size: 46, fill: text, bold: true }, escaped(isolated(heading))),
    pen.line(START, 164, { size: 26, fill: muted }, escaped([name, ...facts].join(' · '))),
    ...rows,
    rows.length === 0 ? pen.line(START, 330, { size: 32, fill: muted }, escaped(words.say('empty'))) : '',
    '</svg>',
  ].join('');
}

interface RowParts {
  readonly pen: Pen;
  readonly words: PageWords;
  readonly accent: string;
  readonly track: string;
  readonly board: RankingQuery['board'];
  readonly way: ReturnType<typeof wayOf>;
  /** Data URL of a picture. */
  readonly avatar: string | undefined;
}

function rowAt(y: number, entry: LeaderboardEntry, parts: RowParts): string {
  const { pen, words, accent, track, board, way, avatar } = parts;
  const { rank, level, xp, user_id } = entry;
  const { text, muted, back, front } = coloursOf('dark', accent, hueOf(user_id));
  const name = cleaned(nameOf(entry)) || user_id;
  const medal = MEDALS[rank - 1];
  const middle = y + ROW / 2 - 3;
  const width = END - XP - LEVEL - NAME_X;
  const avatarX = pen.left(START + 112);
  const side = 2 * AVATAR_RADIUS;
  const box = `x="${avatarX - AVATAR_RADIUS}" y="${middle - AVATAR_RADIUS}" width="${side}" height="${side}"`;
  const clip = `avatar-${rank}`;
  const centred = { size: 26, bold: true, anchor: 'middle' } as const;
  return [
    medal ? `<circle cx="${pen.left(START + 24)}" cy="${middle}" r="23" fill="${medal}"/>` : '',
    pen.text(START + 24, middle + 9, { ...centred, fill: medal ? ON_MEDAL : muted }, escaped(words.number(rank))),
    `<circle cx="${avatarX}" cy="${middle}" r="${AVATAR_RADIUS}" fill="${back}"/>`,
    avatar
      ? `<clipPath id="${clip}"><circle cx="${avatarX}" cy="${middle}" r="${AVATAR_RADIUS}"/></clipPath>` +
        `<image href="${avatar}" ${box} preserveAspectRatio="xMidYMid slice" clip-path="url(#${clip})"/>`
      : pen.text(START + 112, middle + 9, { ...centred, fill: front }, escaped(fitted(initialOf(name), 1, 4))),
    pen.text(
      NAME_X,
      middle + (way ? 2 : 11),
      { size: 30, fill: text, bold: true },
      escaped(isolated(fitted(name, 30, width))),
    ),
    way
      ? pen.bar(NAME_X, middle + 16, width, 7, track) +
        pen.bar(NAME_X, middle + 16, (width * way.percent) / 100, 7, accent)
      : '',
    pen.text(
      END - XP,
      middle + 9,
      { size: 24, fill: muted, anchor: 'end' },
      escaped(fitted(words.title('level', { n: level }), 24, LEVEL)),
    ),
    pen.line(END, middle + 10, { size: 30, fill: text, bold: true, anchor: 'end' }, escaped(xpOf(words, xp, board))),
  ].join('');
}

/** Returns the XP of a row. On a board, the line above the rows says that members have gained this XP. */
function xpOf(words: PageWords, xp: number, board: RankingQuery['board']): string {
  const plus = board ? '+' : '';
  const shown = `${plus}${shortNumber(words, xp)} XP`;
  return widthOf(shown, 30) <= XP ? shown : `${plus}${words.compact(xp)} XP`;
}
