import { el, setText } from './dom.ts';
import type { Label } from './strings.ts';
import { WidgetProblem } from './widget-problem.ts';
import type { WidgetWords } from './words.ts';

/**
 * Returns the boards of an attribute such as `all,week`, each once. A board is the end of its id, such as `~week`; empty for all time.
 * @throws WidgetProblem when a name is not the name of a board.
 */
export function boardsOf(names: string): string[] {
  const boards = new Set<string>();
  for (const name of names.match(/[^\s,]+/g) ?? []) {
    if (!/^(all|(week|month)(\.prev)?)$/.test(name))
      throw new WidgetProblem(
        'setup',
        `The boards attribute takes all, week, month, week.prev and month.prev, not ${name}.`,
      );
    boards.add(name === 'all' ? '' : `~${name}`);
  }
  return [...boards];
}

/**
 * Creates the tabs of boards.
 * @param panel element that shows the board that is chosen.
 * @param choose called with a board.
 */
export function createTabs(panel: HTMLElement, choose: (board: string) => void) {
  const root = el('div', { class: 'tabs', part: 'tabs', role: 'tablist', 'aria-labelledby': 'title' });
  let tabs: HTMLButtonElement[] = [];
  panel.id = 'panel';
  root.onkeydown = (event) => {
    const focused = tabs.indexOf(event.target as HTMLButtonElement);
    const right = root.matches(':dir(rtl)') ? -1 : 1;
    const targets: Readonly<Record<string, number>> = {
      ArrowLeft: focused - right,
      ArrowRight: focused + right,
      Home: 0,
      End: tabs.length - 1,
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault(); // Nothing scrolls.
    // A board costs requests, so these keys move the focus alone.
    tabs.at(target % tabs.length)?.focus();
  };

  return {
    root,

    /** Makes a tab for each board, and no tab for a single board. */
    build(boards: readonly string[]): void {
      root.hidden = boards.length < 2;
      tabs = root.hidden ? [] : boards.map(createTab);
      root.replaceChildren(...tabs);
      for (const name of ['role', 'tabindex', 'aria-label']) panel.removeAttribute(name);
    },

    /** Marks the tab of the board that is shown. */
    paint(shown: string, words: WidgetWords): void {
      for (const tab of tabs) {
        const isShown = tab.value === shown;
        tab.ariaSelected = String(isShown);
        tab.tabIndex = isShown ? 0 : -1;
        setText(tab, words.say((tab.value.slice(1) || 'all') as Label));
        if (isShown) {
          panel.role = 'tabpanel';
          panel.tabIndex = 0;
          panel.ariaLabel = tab.textContent;
        }
      }
    },
  };

  function createTab(board: string): HTMLButtonElement {
    const tab = el('button', { role: 'tab', part: 'tab', 'aria-controls': 'panel', value: board });
    tab.onclick = () => choose(board);
    return tab;
  }
}
