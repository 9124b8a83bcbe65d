import type { MemberCard, RankedMember } from '../core/reads/card.ts';
import { nameOf } from '../widget/name.ts';
import { avatarAt } from './card-avatar.ts';
import { marked, markedWidth, span } from './card-spans.ts';
import type { CardWords } from './card-words.ts';
import type { CardColours } from './colours.ts';
import { cleaned, createPen, escaped, fitted, isolated, type Pen, widthOf } from './text.ts';

/** Size of the card in pixels. */
const WIDTH = 934;
const HEIGHT = 282;

const MARGIN = 40;
const AVATAR_X = 120;
/** The column beside the avatar. */
const X = 232;
const END = WIDTH - MARGIN;
const GAP = 24;
// resvg does not find a name in quotes.
const FONTS = 'system-ui, Segoe UI, Noto Sans, DejaVu Sans, sans-serif';
const UP = 'M-7 5L0-6 7 5z';
const DOWN = 'M-7-5L0 6 7-5z';

/** The data from which each row of a card is drawn. */
interface Card {
  readonly data: MemberCard;
  readonly name: string;
  readonly words: CardWords;
  readonly colours: CardColours;
  readonly pen: Pen;
}

/** Draws the card of a member. All texts of `data` are cleaned, cut to their place and escaped. */
export function drawCard(
  data: MemberCard,
  words: CardWords,
  colours: CardColours,
  picture: string | undefined,
): string {
  const { number, say } = words;
  const card: Card = { data, name: shownName(data), words, colours, pen: createPen(words.isRtl, WIDTH) };
  const { rank, level, xp } = data;
  const medal = rank === null ? undefined : { rank, text: number(rank) };
  const avatar = avatarAt(card.pen.left(AVATAR_X), { name: card.name, picture, medal }, colours);
  const main = avatar + nameRow(card) + rankRow(card) + progressRow(card);
  const last = data.hidden ? reasonsRow(card) : neighboursRow(card);
  const facts = [
    rank === null ? say('hidden') : say('rank', { n: rank }),
    say('level', { n: level }),
    `${number(xp)} XP`,
  ];
  const title = `${isolated(fitted(card.name, 1, 80))}: ${facts.join(', ')}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img"`,
    ` xml:lang="${words.locale}" font-family="${FONTS}" fill="${colours.text}"><title>${escaped(title)}</title>`,
    `<rect x=".5" y=".5" width="${WIDTH - 1}" height="${HEIGHT - 1}" rx="28" fill="${colours.background}" stroke="${colours.track}"/>`,
    // Without a last row, the other rows stand in the middle.
    last ? main : `<g transform="translate(0 26)">${main}</g>`,
    last && `<path d="M${MARGIN} 222H${END}" stroke="${colours.track}"/>${last}`,
    '</svg>',
  ].join('');
}

function nameRow({ data, name, words, colours, pen }: Card): string {
  const streak = data.dailyStreak > 0 ? fitted(words.say('streak', { n: data.dailyStreak }), 20, 260) : '';
  const width = END - X - (streak ? widthOf(streak, 20) + GAP : 0);
  const size = widthOf(name, 36) > width ? 28 : 36;
  const shown = pen.text(X, 76, { size, bold: true }, escaped(isolated(fitted(name, size, width))));
  const style = { size: 20, fill: colours.muted, anchor: 'end' } as const;
  return pen.cut(X, 28, width, 68, shown) + (streak && pen.line(END, 76, style, escaped(streak)));
}

function rankRow({ data, words, colours, pen }: Card): string {
  const { text, muted, accent } = colours;
  const style = { size: 22, fill: muted };
  const level = words.pieces('level', { n: data.level });
  const width = Math.max(0, END - X - markedWidth(level, style.size) - GAP);
  let shown = '';
  if (data.rank === null) {
    shown = span({ fill: text, bold: true }, escaped(fitted(words.say('hidden'), style.size, width)));
  } else {
    const rank = words.pieces('rank', { n: data.rank });
    const total = ` / ${words.number(data.total)}`;
    const hasPlace = markedWidth(rank, style.size) + widthOf(total, style.size) <= width;
    shown = marked(rank, text) + (hasPlace ? escaped(total) : '');
  }
  const levelLine = pen.line(END, 134, { ...style, anchor: 'end' }, marked(level, accent));
  return pen.cut(X, 98, width, 48, pen.line(X, 134, style, shown)) + levelLine;
}

function progressRow({ data, words, colours, pen }: Card): string {
  const { muted, track, accent } = colours;
  const xp = `${words.number(data.xp)} `;
  const unit = span({ size: 18, fill: muted, bold: false }, 'XP');
  const xpLine = pen.line(END, 196, { size: 26, bold: true, anchor: 'end' }, escaped(xp) + unit);
  // XP does not change an explicit level.
  if (!data.progress) return xpLine;
  const { gained, needed } = data.progress;
  const share = needed > 0 ? Math.min(1, Math.max(0, gained / needed)) || 0 : 1;
  const next = needed > 0 ? words.say('next', { xp: needed - gained, n: data.level + 1 }) : words.say('highest');
  const shown = fitted(next, 20, END - X - widthOf(`${xp}XP`, 26) - GAP);
  return [
    pen.bar(X, 152, END - X, 14, track),
    // A shorter bar would not have its round ends.
    share > 0 ? pen.bar(X, 152, Math.max(14, Math.round((END - X) * share)), 14, accent) : '',
    pen.line(X, 196, { size: 20, fill: muted }, escaped(shown)),
    xpLine,
  ].join('');
}

function neighboursRow(card: Card): string {
  const { above, below } = card.data;
  const width = (END - MARGIN - 2 * GAP) / 2;
  let shown = '';
  let x = MARGIN;
  if (above) {
    shown += neighbour(card, above, UP, x, width);
    x += width + 2 * GAP;
  }
  if (below) shown += neighbour(card, below, DOWN, x, width);
  return shown;
}

/** Draws one neighbour in texts of their own: some programs take one font for all of a text, which then lacks letters of the name. */
function neighbour(
  { words, colours, pen }: Card,
  member: RankedMember,
  mark: string,
  x: number,
  width: number,
): string {
  const rank = words.number(member.rank);
  const xp = `${words.number(member.xp)} XP`;
  const style = { size: 18, fill: colours.muted };
  const start = x + GAP + widthOf(`${rank} `, style.size);
  const room = x + width - widthOf(` ${xp}`, style.size) - start;
  const name = escaped(isolated(fitted(shownName(member), style.size, room)));
  return [
    `<path transform="translate(${pen.left(x + 8)} 250)" d="${mark}" fill="${colours.accent}"/>`,
    pen.line(x + GAP, 256, style, escaped(rank)),
    pen.cut(start, 232, room, 36, pen.text(start, 256, { size: style.size, bold: true }, name)),
    pen.line(x + width, 256, { ...style, anchor: 'end' }, escaped(xp)),
  ].join('');
}

function reasonsRow({ data, words, colours, pen }: Card): string {
  const reasons = words.list(data.hidden ?? []);
  return pen.line(MARGIN, 256, { size: 18, fill: colours.muted }, escaped(fitted(reasons, 18, END - MARGIN)));
}

function shownName({ username, userId }: Pick<MemberCard, 'username' | 'userId'>): string {
  return nameOf({ username: cleaned(username), user_id: cleaned(userId) });
}
