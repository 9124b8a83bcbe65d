import { digits, withNoun } from '../core/format-numbers.ts';
import type { Input } from './inputs.ts';

/** Numbers of members of a full page: services give pages of these sizes. */
const FULL_PAGES = [100, 1000];
/** Most numbers that a line names. */
const MAX_SHOWN = 10;

/** What only all inputs of an import together show. */
export interface InputCheck {
  /** Why members can be missing or wrong. With a doubt, the inputs must not replace the members of a guild. */
  readonly doubts: readonly string[];
  /** Other lines for the person. */
  readonly notices: readonly string[];
}

/** Checks the pages of all inputs, in any order, by the numbers that the pages name. Pages without a number are not checked. */
export function checkPages(inputs: readonly Input[]): InputCheck {
  const pages = inputs.flatMap(({ pages: each }) => each ?? []).filter(({ page }) => Number.isSafeInteger(page));
  const numbers = new Set(pages.map(({ page }) => page));
  if (numbers.size === 0) return { doubts: [], notices: [] };
  // The pages of MEE6 begin at 0, and the pages of all other services at 1.
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
      `the last page, page ${last}, is full with ${withNoun(end.members, 'member')}: add the next page, even if it has no members`,
    );
  const notices = [...numbers]
    .filter((page) => pages.filter((each) => each.page === page).length > 1)
    .slice(0, MAX_SHOWN)
    .map((page) => `page ${page} comes more than once`);
  return { doubts, notices };
}

/** Whether the pages name the total number of members, as pages of the API of Guildrank do, and together have that many. */
function isWhole(inputs: readonly Input[]): boolean {
  const totals = inputs.map(({ found }) => found?.document.fields.get('total')?.example ?? '');
  const members = inputs.reduce((sum, { pages }) => sum + (pages ?? []).reduce((n, page) => n + page.members, 0), 0);
  return totals.every((total) => /^\d+$/.test(total) && Number(total) <= members);
}
