import type { EntryData, RewardData } from './api-data.ts';
import { el, part, setText } from './dom.ts';
import { hueOf, initialOf, nameOf } from './name.ts';
import { progressToNextLevel } from './progress.ts';
import { createReward } from './reward.ts';
import type { WidgetWords } from './words.ts';

/** Returns the address of a member's picture; nothing for a member without a picture. */
export type AvatarOf = (userId: string) => string | null | undefined;

/** Settings that all rows share. */
export interface RowContext {
  readonly words: WidgetWords;
  /** Name of the curve; undefined until the statistics are known. */
  readonly curve: string | undefined;
  /** Id of the member that is the visitor. */
  readonly you: string;
  readonly memberHref: string;
  readonly selectable: boolean;
  /** Whether the XP is what members gained on a board. */
  readonly isGained: boolean;
  readonly avatarOf: AvatarOf;
  /** Roles that levels give, by level. */
  readonly rewards: readonly RewardData[];
  /** Called when a member is chosen. @returns whether the link is followed. */
  readonly select: (entry: EntryData) => boolean;
}

/** Puts the id of a member into an address. */
export const addressOf = (address: string, id: string) => address.replaceAll('{user_id}', encodeURIComponent(id));

/** Returns the element that makes a name a link or a button; undefined for plain text. */
function tagOfName(memberHref: string, selectable: boolean): 'a' | 'button' | undefined {
  if (memberHref) return 'a';
  return selectable ? 'button' : undefined;
}

/** The row of one member, as {@link createRow} returns it. */
export type Row = ReturnType<typeof createRow>;

/** Creates the row of one member. Its parts are the same in each layout. */
export function createRow(kind: 'li' | 'tr' | 'div') {
  const rank = part('span', 'rank');
  const avatar = el('span', { class: 'avatar', part: 'avatar', 'aria-hidden': 'true' });
  const name = part('bdi', 'name');
  const you = part('span', 'you');
  const mark = part('span', 'mark');
  const reward = createReward();
  const who = el('div', { class: 'who' }, name, reward.root, you, mark);
  const levelShort = el('span', { class: 'brief' });
  const levelLong = el('span', { class: 'long' });
  const level = part('span', 'level', levelShort, levelLong);
  const xpFull = el('span', { class: 'full' });
  const xpShort = el('span', { class: 'short' });
  const unit = el('span', { class: 'unit' });
  const xp = part('span', 'xp', xpFull, xpShort, unit);
  const bar = part('div', 'bar');
  const next = part('div', 'next');
  const progress = part('div', 'progress', part('div', 'track', bar), next);
  const isTable = kind === 'tr';
  const cell = (cellName: string, ...children: Node[]) =>
    el('td', { class: `cell-${cellName}`, role: 'cell' }, ...children);
  const root = el(kind, { class: isTable ? '' : 'row', part: 'row', tabindex: '-1' });
  if (isTable) {
    const head = el('th', { scope: 'row', class: 'cell-name', role: 'rowheader' }, who);
    root.append(cell('rank', rank), head, cell('level', level), cell('xp', xp, progress));
    root.role = 'row';
  } else {
    root.append(rank, avatar, el('div', { class: 'main' }, who, progress), level, xp);
  }
  let action: HTMLElement | undefined;
  let picture = '';

  /** Makes the name a link, a button or plain text. */
  function paintAction(entry: EntryData, { memberHref, selectable, select }: RowContext): void {
    const tag = tagOfName(memberHref, selectable);
    if (action?.localName !== tag) {
      action?.replaceWith(name);
      action = tag && el(tag, { class: 'action', part: 'link' });
      if (action) {
        who.prepend(action);
        action.append(name);
      }
    }
    if (!action) return;
    if (memberHref) action.setAttribute('href', addressOf(memberHref, entry.user_id));
    action.onclick = (event) => {
      if (!select(entry)) event.preventDefault();
    };
  }

  function paintAvatar(id: string, text: string, url: string): void {
    const newPicture = [id, text, url].join();
    if (newPicture === picture) return;
    picture = newPicture;
    avatar.style.setProperty('--hue', String(hueOf(id)));
    avatar.replaceChildren(initialOf(text));
    if (!url) return;
    const image = el('img', { alt: '', loading: 'lazy', referrerpolicy: 'no-referrer', src: url });
    image.onerror = () => image.remove();
    avatar.append(image);
  }

  return {
    root,

    /** Shows a member. @param climbed places that it rose since the last look; negative if it fell. */
    paint(entry: EntryData, climbed: number, context: RowContext): void {
      const { words, curve, isGained } = context;
      const plus = isGained ? '+' : '';
      const { number, compact } = words;
      const id = entry.user_id;
      const way = progressToNextLevel(entry, curve);
      you.hidden = id !== context.you;
      root.classList.toggle('is-you', !you.hidden);
      setText(you, words.say('you'));
      setText(rank, number(entry.rank));
      root.classList.toggle('is-long', entry.rank > 99_999);
      name.title = nameOf(entry);
      setText(name, name.title);
      mark.hidden = climbed === 0;
      mark.classList.toggle('is-down', climbed < 0);
      setText(mark, `${climbed < 0 ? '▼' : '▲'} ${number(Math.abs(climbed))}`);
      setText(levelShort, words.say('levelShort', { n: entry.level }));
      setText(levelLong, isTable ? number(entry.level) : words.say('level', { n: entry.level }));
      setText(xpFull, plus + (entry.xp < 1e12 ? number(entry.xp) : compact(entry.xp)));
      setText(xpShort, plus + (entry.xp < 1e6 ? number(entry.xp) : compact(entry.xp)));
      setText(unit, isGained ? words.say('gained', { xp: '' }) : ' XP');
      xp.title = number(entry.xp);
      progress.hidden = curve !== undefined && !way; // Until the curve is known, the space is kept.
      bar.style.width = `${100 * (way?.share ?? 0)}%`;
      progress.dataset.way = way ? words.percent(way.share) : '';
      setText(next, way ? words.say('next', { xp: way.left, n: way.nextLevel }) : '');
      reward.paint(entry.level, context);
      paintAvatar(id, name.title, context.avatarOf(id) || entry.avatar || '');
      paintAction(entry, context);
    },
  };
}
