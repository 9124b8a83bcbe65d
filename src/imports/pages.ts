import { count, digits } from '../core/readable.ts';
import type { Input } from './inputs.ts';

/** Members of a page that is as long as a service gives. */
const FULL_PAGES = [100, 1000];
/** Numbers that a line has. */
const MAX_SHOWN = 10;

/** What the numbers of the pages of an import tell. */
export interface PageCheck {
  /** A line about pages that are missing between others; undefined for none. */
  readonly missing: string | undefined;
  /** Lines about pages that come again, and about a last one that is full. */
  readonly notices: readonly string[];
}

/** Checks the pages of all inputs, in any order, by the numbers that they say themselves. Pages without a number are not checked. */
export function checkPages(inputs: readonly Input[]): PageCheck {
  const pages = inputs.flatMap(({ found }) => found?.pages ?? []).filter(({ page }) => Number.isSafeInteger(page));
  const numbers = new Set(pages.map(({ page }) => page));
  if (numbers.size === 0) return { missing: undefined, notices: [] };
  // The pages of MEE6 begin at 0, those of others at 1.
  const first = inputs.some(({ format }) => format === 'mee6') ? 0 : 1;
  const last = Math.max(...numbers);
  const missing: number[] = [];
  for (let page = first; page < last && missing.length <= MAX_SHOWN; page++) if (!numbers.has(page)) missing.push(page);
  const notices = [...numbers]
    .filter((page) => pages.filter((each) => each.page === page).length > 1)
    .slice(0, MAX_SHOWN)
    .map((page) => `page ${page} comes more than once`);
  const end = pages.find(({ page }) => page === last);
  if (end && FULL_PAGES.includes(end.members))
    notices.push(`page ${last}, the last one, has ${count(end.members, 'member')}: is there another one?`);
  const shown = missing.slice(0, MAX_SHOWN).map((page) => digits(page));
  const rest = missing.length > MAX_SHOWN ? ' and more' : '';
  return {
    missing:
      missing.length > 0
        ? `${missing.length === 1 ? 'a page is' : 'pages are'} missing between the others: ${shown.join(', ')}${rest}`
        : undefined,
    notices,
  };
}
