import type { PageData } from './api-data.ts';
import { createNote, el, part, setText } from './dom.ts';
import { createRow, type Row, type RowContext } from './row.ts';
import type { WidgetWords } from './words.ts';

/** Creates the rows of a page, as a list with a podium or as a table. */
export function createList() {
  const rows = new Map<string, Row>();
  const shownXp = new Map<string, number>();
  let isTable: boolean | undefined;
  let hasPodium = false;
  let outer: HTMLElement;
  let body: HTMLElement;
  let heads: HTMLElement[] = [];
  let pageNumber = 0;
  /** The ranks that the visitor saw at the last look, and the ranks seen since then. */
  let before = new Map<string, number>();
  const seen = new Map<string, number>();
  /** Id of a member that was searched, and whether the row is still to be shown. */
  let wanted = '';
  let mustReveal = false;

  function build(): void {
    rows.clear();
    heads = ['rank', 'name', 'level', 'xp'].map((name) =>
      el('th', { scope: 'col', class: `cell-${name}`, role: 'columnheader' }),
    );
    body = isTable ? el('tbody', { role: 'rowgroup' }) : el('ol', { class: 'list', part: 'list', role: 'list' });
    outer = body;
    if (isTable) {
      const head = el('thead', { role: 'rowgroup' }, el('tr', { role: 'row' }, ...heads));
      outer = el('table', { part: 'list', role: 'table' }, head, body);
    }
    list.root.replaceChildren(outer, list.note);
  }

  /** Shows the first three on the podium, or as rows where the podium has no room for their numbers. */
  function layOut(): void {
    const { root } = list;
    root.classList.toggle('podium', hasPodium);
    for (const number of root.querySelectorAll('li:nth-child(-n + 3) > :is(.level, .xp)')) {
      // A level without room for all of its digits goes to a second line.
      const isCut = number.scrollWidth > number.clientWidth || number.scrollHeight > 1.5 * number.clientHeight;
      if (isCut) root.classList.remove('podium');
    }
  }

  const list = {
    root: part('div', 'rows'),
    note: createNote(),
    has: (id: string) => rows.has(id),

    /** Sets the layout. */
    prepare(asTable: boolean, withPodium: boolean, isGained: boolean, words: WidgetWords): void {
      hasPodium = withPodium;
      if (asTable !== isTable) {
        isTable = asTable;
        build();
      }
      outer.ariaLabel = words.say('title');
      const titles = [
        '#',
        words.say('member'),
        words.say('level', { n: '' }),
        isGained ? words.say('gained', { xp: '' }).trim() : 'XP',
      ];
      titles.forEach((title, i) => {
        if (heads[i]) setText(heads[i], title);
      });
    },

    /** Shows nothing, while the data is on its way or cannot come. */
    clear(): void {
      pageNumber = 0;
      rows.clear();
      body.replaceChildren();
    },

    show({ data, page }: PageData, context: RowContext): void {
      if (page !== pageNumber) list.clear();
      pageNumber = page;
      const digits = Math.max(2, context.words.number(data.at(-1)?.rank ?? 0).length);
      list.root.style.setProperty('--rank', `${0.68 * digits + 0.2}em`);
      const places = new Map([...rows].map(([id, row]) => [id, [row.root.offsetLeft, row.root.offsetTop] as const]));
      const here = new Set(data.map(({ user_id }) => user_id));
      for (const [id, row] of rows) {
        if (here.has(id)) continue;
        row.root.remove();
        rows.delete(id);
      }
      data.forEach((entry, index) => {
        const id = entry.user_id;
        const row = rows.get(id) ?? createRow(isTable ? 'tr' : 'li');
        rows.set(id, row);
        const there = body.children[index] ?? null;
        if (there !== row.root) body.insertBefore(row.root, there);
        row.paint(entry, list.climbed(id, entry.rank), context);
      });
      layOut();
      for (const { xp, user_id } of data) {
        animate(rows.get(user_id) as Row, places.get(user_id), xp !== (shownXp.get(user_id) ?? xp));
        shownXp.set(user_id, xp);
      }
      list.want(wanted, mustReveal);
    },

    /** Returns the places that a member rose since the last look, and remembers its rank. */
    climbed(id: string, rank: number): number {
      seen.set(id, rank);
      const last = before.get(id) ?? rank;
      before.set(id, last);
      return last - rank;
    },

    /** Makes the present ranks the ranks of the last look. */
    lookAway(): void {
      before = new Map(seen);
    },

    forget(): void {
      before.clear();
      seen.clear();
      shownXp.clear();
      wanted = '';
      pageNumber = 0;
    },

    /** Marks a member. With `reveal`, the row is scrolled into sight as soon as it is there. */
    want(id: string, reveal: boolean): void {
      wanted = id;
      mustReveal = reveal;
      for (const [each, row] of rows) row.root.classList.toggle('is-wanted', each === id);
      const row = rows.get(id)?.root;
      if (!row || !reveal) return;
      mustReveal = false;
      row.focus(); // This scrolls to the row, too.
    },
  };
  new ResizeObserver(layOut).observe(list.root);
  return list;
}

function animate({ root }: Row, from: readonly [number, number] | undefined, isChanged: boolean): void {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  const [left, top] = from ?? [root.offsetLeft, root.offsetTop];
  const x = left - root.offsetLeft;
  const y = top - root.offsetTop;
  if (x || y) root.animate([{ transform: `translate(${x}px, ${y}px)` }, {}], { duration: 350, easing: 'ease' });
  if (isChanged) root.animate([{ backgroundColor: 'var(--flash)' }, {}], { duration: 1200 });
}
