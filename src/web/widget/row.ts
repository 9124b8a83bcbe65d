import { el } from './dom.ts';

export type Row = ReturnType<typeof newRow> & { changed?: boolean; last?: number };

/** Creates the empty row of a member. */
export function newRow() {
  const rank = el('span', { class: 'badge' });
  const name = el('bdi', { class: 'clip' });
  const level = el('td', { class: 'level' });
  const xp = el('span', { class: 'full' });
  const shortXp = el('span', { class: 'short' });
  const fill = el('div', { class: 'fill', part: 'bar' });
  const bar = el('div', { class: 'track', 'aria-hidden': 'true' }, fill);
  const tr = el('tr', { part: 'row' });
  tr.append(el('td', { class: 'rank' }, rank), el('th', { scope: 'row', class: 'name' }, name), level);
  tr.append(el('td', { class: 'xp' }, xp, shortXp, bar));
  return { tr, rank, name, level, xp, shortXp, fill };
}

/** Returns seconds as `m:ss`. */
export function clock(seconds: number): string {
  const whole = Math.ceil(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
