import type { Advice } from './advice.ts';
import type { ChosenFormat } from './choose-format.ts';
import { type FieldMap, guessField } from './fields.ts';
import type { FoundList } from './found-list.ts';
import { readNumber, type Separator } from './numbers.ts';

/** Most names in a line. */
const MAX_NAMES = 20;
/** Most characters of a name in a line. */
const MAX_NAME = 60;
/** Letters of scripts that are written from right to left. */
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/**
 * Returns lines about how a file is read: the fields that are not used, a warning for each of them that can be XP too, what a separator in numbers
 * means, and that times without a zone are read as UTC.
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

/** Returns lines about numbers of XP whose separator could have another meaning. */
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

/** Whether a field is an object of which a field is used, such as `user` where `user.username` is read. */
function isBesideUsed(name: string, used: ReadonlySet<string>): boolean {
  return [...used].some((each) => each.startsWith(`${name}.`));
}

/** Returns the present reading of the fields, with another field as XP. */
function readingWith({ userId, username, level }: ChosenFormat['names'], xp: string): FieldMap {
  return {
    ...(userId && { id: userId }),
    xp,
    ...(username && { name: username }),
    ...(level && { level }),
  };
}

/** Shortens a name, and isolates a name from right to left, whose parts would otherwise be mixed up with the rest of the line. */
function isolated(name: string): string {
  const short = name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
  return RIGHT_TO_LEFT.test(short) ? `\u2068${short}\u2069` : short;
}
