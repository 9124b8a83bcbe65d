import { tellAuthor } from './widget-problem.ts';

/** A page of a leaderboard: a board, as the end of its id, and the number of the page. */
export interface BoardPage {
  readonly board: string;
  readonly page: number;
}

/** The leaderboard that keeps its page in a parameter, by the name of the parameter. */
const owners = new Map<string, object>();

/**
 * Creates the functions that keep the page of a leaderboard in the address of the web page, as one parameter of its query. Everything else in the
 * address stays as it is. A parameter belongs to the first leaderboard that names it, until this leaderboard leaves the page.
 */
export function createPageInAddress() {
  const self = {};

  /** Returns whether the parameter is for this leaderboard. */
  function owns(name: string): boolean {
    if (!name) return false;
    if (!/^[\w.-]+$/.test(name)) {
      tellAuthor('The address attribute takes the name of a parameter: letters, digits, and _ - .');
      return false;
    }
    if (!owners.has(name)) owners.set(name, self);
    if (owners.get(name) === self) return true;
    tellAuthor(`Two leaderboards of this page have address="${name}". Give each a name of its own.`);
    return false;
  }

  return {
    /**
     * Returns the page that the address names; undefined for an address without a page.
     * @param boards the boards to choose from, the first board by default.
     */
    read(name: string, boards: readonly string[]): BoardPage | undefined {
      const value = owns(name) ? new URLSearchParams(location.search).get(name) : null;
      const [, of = '', page = '1'] = /^(?:([a-z][a-z.]*)(?:-|$))?([1-9]\d{0,8})?$/.exec(value ?? '') ?? [];
      if (!value) return undefined;
      const [byDefault = ''] = boards;
      let board = byDefault;
      if (of === 'all') board = '';
      else if (of) board = `~${of}`;
      return board === byDefault || boards.includes(board) ? { board, page: Number(page) } : undefined;
    },

    /** Writes a page into the address. The first page of the first board takes the parameter away. */
    write(name: string, { board, page }: BoardPage, boards: readonly string[]): void {
      if (!owns(name)) return;
      const of = board === (boards[0] ?? '') ? '' : board.slice(1) || 'all';
      const value = [of, page > 1 && String(page)].filter(Boolean).join('-');
      const url = new URL(location.href);
      url.search = withParameter(url.search, name, value);
      try {
        if (url.href !== location.href) history.replaceState(history.state, '', url);
      } catch {
        // A frame without an address of its own, or too many changes in a short time for the browser.
      }
    },

    /** Gives up the parameters of this leaderboard, so that another leaderboard can have them. */
    release(): void {
      for (const [name, owner] of owners) if (owner === self) owners.delete(name);
    },
  };
}

/** Returns a query with one parameter changed, or without it for "". All other parameters keep their text and their order. */
function withParameter(search: string, name: string, value: string): string {
  const own = value && `${name}=${value}`;
  const isOwn = (part: string) => new URLSearchParams(part).has(name);
  const parts = search.slice(1).split('&').filter(Boolean);
  const changed = parts.some(isOwn) ? parts.map((part) => (isOwn(part) ? own : part)) : [...parts, own];
  return changed.filter(Boolean).join('&');
}
