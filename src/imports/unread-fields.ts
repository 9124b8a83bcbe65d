import type { Advice } from './advice.ts';
import type { ChosenFormat } from './choose-format.ts';
import { type FieldMap, guessField } from './fields.ts';
import type { FoundList } from './found-list.ts';
import { readNumber, type Separator } from './numbers.ts';

/** Names that a line has. */
const MAX_NAMES = 20;
/** Characters of a name in a line. */
const MAX_NAME = 60;
/** Letters of scripts that are written from right to left. */
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/**
 * Returns lines about how a file is read: the names of its fields that are not loaded, a warning for each that can be XP too, what a separator in
 * numbers means, and that times are read as UTC because they name no zone.
 */
export function unreadLines({ list, names }: ChosenFormat, file: string, advice: Advice): string[] {
  if (!list) return [];
  const used = new Set(Object.values(names));
  const unread = [...list.fields.keys()].filter((name) => !used.has(name) && !isBesideUsed(name, used));
  const lines: string[] = [];
  if (unread.length > 0) {
    const shown = unread.slice(0, MAX_NAMES).map((name) => isolated(name) || 'a column without a name');
    const rest = unread.length > MAX_NAMES ? ` and ${unread.length - MAX_NAMES} more` : '';
    lines.push(`${file}: not used: ${shown.join(', ')}${rest}`);
  }
  for (const name of unread) {
    const isXp = guessField(name) === 'xp' && (list.fields.get(name)?.numeric ?? 0) > 0;
    if (isXp)
      lines.push(
        `${file}: ${name} can be XP too, and ${names.xp} is what counts: ${advice.readInstead(readingWith(names, name))}`,
      );
  }
  const claim = names.lastDailyClaim === undefined ? undefined : list.fields.get(names.lastDailyClaim);
  lines.push(...separatorLines(names.xp, list).map((line) => `${file}: ${line}`));
  if (claim?.dates.hasZoneless) lines.push(`${file}: ${names.lastDailyClaim} without a time zone is read as UTC`);
  return lines;
}

/** Returns lines about numbers of XP that another reading of their separator would change. */
function separatorLines(xp: string | undefined, list: FoundList): string[] {
  const numbers = (xp === undefined ? undefined : list.fields.get(xp))?.numbers;
  if (!numbers) return [];
  const { style, examples } = numbers;
  return (Object.entries(examples) as [Separator, string][]).flatMap(([separator, example]) => {
    const read = readNumber(example, style);
    if (typeof read !== 'object') return [];
    const meaning = style[separator] === 'groups' ? 'separates thousands' : 'begins decimals';
    return `"${separator}" in ${xp} ${meaning}: ${example} is ${read.whole}`;
  });
}

/** Whether a field is the whole object of one that is used, such as `user` where `user.username` is read. */
function isBesideUsed(name: string, used: ReadonlySet<string>): boolean {
  return [...used].some((each) => each.startsWith(`${name}.`));
}

function readingWith({ userId, username, level }: ChosenFormat['names'], xp: string): FieldMap {
  return {
    ...(userId && { id: userId }),
    xp,
    ...(username && { name: username }),
    ...(level && { level }),
  };
}

/** Keeps a name in one piece in a line from left to right: each of its parts would else stand where the line puts it. */
function isolated(name: string): string {
  const short = name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
  return RIGHT_TO_LEFT.test(short) ? `\u2068${short}\u2069` : short;
}
