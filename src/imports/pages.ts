import { count, digits } from '../core/format-numbers.ts';
import type { Input } from './inputs.ts';

/** Members of a page that is as long as a service gives. */
const FULL_PAGES = [100, 1000];
/** Numbers that a line has. */
const MAX_SHOWN = 10;

/** What the inputs of one load tell together. */
export interface InputCheck {
  /** Why members can be missing or wrong, so that nothing may be replaced by the inputs. */
  readonly doubts: readonly string[];
  /** Other lines for the person. */
  readonly notices: readonly string[];
}

/** Checks the pages of all inputs, in any order, by the numbers that they say themselves. Pages without a number are not checked. */
export function checkPages(inputs: readonly Input[]): InputCheck {
  const pages = inputs.flatMap(({ pages: each }) => each ?? []).filter(({ page }) => Number.isSafeInteger(page));
  const numbers = new Set(pages.map(({ page }) => page));
  if (numbers.size === 0) return { doubts: [], notices: [] };
  // The pages of MEE6 begin at 0, those of others at 1.
  const first = inputs.some(({ format }) => format === 'mee6') ? 0 : 1;
  const last = Math.max(...numbers);
  const missing: number[] = [];
  for (let page = first; page < last && missing.length <= MAX_SHOWN; page++) if (!numbers.has(page)) missing.push(page);
  const doubts: string[] = [];
  if (missing.length > 0) {
    const shown = missing.slice(0, MAX_SHOWN).map((page) => digits(page));
    const rest = missing.length > MAX_SHOWN ? ' and more' : '';
    const what = missing.length === 1 ? 'a page is' : 'pages are';
    doubts.push(`${what} missing between the others: ${shown.join(', ')}${rest}`);
  }
  const end = pages.find(({ page }) => page === last);
  if (end && FULL_PAGES.includes(end.members) && !isWhole(inputs))
    doubts.push(
      `page ${last}, the last one, is full with ${count(end.members, 'member')}: add the next page, even if it has no members`,
    );
  const notices = [...numbers]
    .filter((page) => pages.filter((each) => each.page === page).length > 1)
    .slice(0, MAX_SHOWN)
    .map((page) => `page ${page} comes more than once`);
  return { doubts, notices };
}

/** Whether the pages say how many members there are, as those of this service do, and have so many. */
function isWhole(inputs: readonly Input[]): boolean {
  const totals = inputs.map(({ found }) => found?.document.fields.get('total')?.example ?? '');
  const members = inputs.reduce((sum, { pages }) => sum + (pages ?? []).reduce((n, page) => n + page.members, 0), 0);
  return totals.every((total) => /^\d+$/.test(total) && Number(total) <= members);
}
