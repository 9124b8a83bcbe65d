import { InvalidInputError } from '../core/errors.ts';
import { digits } from '../core/format-numbers.ts';
import { checkPages, type InputCheck } from './check-pages.ts';
import { formatNamed } from './formats.ts';
import type { Input } from './inputs.ts';

/** Members of a page of ranks. */
const PAGE_OF_RANKS = 100;

/**
 * Checks the inputs of an import together, in any order.
 * @throws InvalidInputError when they are of several guilds.
 */
export function checkInputs(inputs: readonly Input[]): InputCheck {
  refuseSeveralGuilds(inputs);
  const checks = [checkPages(inputs), checkRanks(inputs)];
  return {
    doubts: [...checks.flatMap(({ doubts }) => doubts), ...inputs.flatMap(({ doubts }) => doubts ?? [])],
    notices: checks.flatMap(({ notices }) => notices),
  };
}

/** @throws InvalidInputError when the inputs name several guilds. */
function refuseSeveralGuilds(inputs: readonly Input[]): void {
  const fileOf = new Map<string, string>();
  for (const { name, guild } of inputs) if (guild !== undefined && !fileOf.has(guild)) fileOf.set(guild, name);
  if (fileOf.size < 2) return;
  const shown = [...fileOf].map(([guild, name]) => `${name} of guild ${guild}`);
  throw new InvalidInputError(
    `The files are of ${fileOf.size} guilds: ${shown.join(', ')}. Import the files of one guild at a time`,
  );
}

/** Checks the ranks in the files of a bot whose pages have no numbers. */
function checkRanks(inputs: readonly Input[]): InputCheck {
  const ranked = inputs.filter(({ format }) => format && formatNamed(format).pagesByRank);
  const ranks = ranked.flatMap(({ members }) => members?.fields.get('rank')?.ranks ?? []);
  if (ranks.length === 0 || !ranks.every(({ isOrdered }) => isOrdered)) return { doubts: [], notices: [] };
  const spans = ranks.flatMap(({ spans: each }) => each).sort((one, other) => one.first - other.first);
  const gaps: string[] = [];
  let next = 1;
  for (const span of spans) {
    if (span.first > next) gaps.push(`${digits(next)} to ${digits(span.first - 1)}`);
    next = Math.max(next, span.next);
  }
  const doubts: string[] = [];
  if (gaps.length > 0) doubts.push(`members are missing between the others, of the ranks ${gaps.join(', ')}`);
  const last = next - 1;
  const hasEmptyPage = ranked.some(({ members }) => !members);
  if (last > 0 && last % PAGE_OF_RANKS === 0 && !hasEmptyPage)
    doubts.push(
      `the last page, up to rank ${digits(last)}, is full: add the next page as a file of its own, even if it has no members`,
    );
  return { doubts, notices: [] };
}
