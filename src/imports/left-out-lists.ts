import { withNoun } from '../core/format-numbers.ts';
import type { ChosenFormat } from './choose-format.ts';
import { type FoundList, whereIs } from './found-list.ts';
import type { FoundMembers } from './found-members.ts';
import { looksLikeMembers } from './list-facts.ts';

/** What a document contains outside the list of its members. */
interface LeftOutLists {
  /** Lines about lists that are left out. */
  readonly lines: readonly string[];
  /** Lines about lists that are left out although they can be members. */
  readonly doubts: readonly string[];
  /** Paths of objects or values in the list of the members whose names are no ids. They are bad rows. */
  readonly strangers: ReadonlySet<string>;
}

/** Returns what a document contains outside the list of its members. O(lists and fields). */
export function leftOutLists(chosen: ChosenFormat, found: FoundMembers, file: string): LeftOutLists {
  const { list } = chosen;
  const lines: string[] = [];
  const doubts: string[] = [];
  if (!list) return { lines, doubts, strangers: new Set() };
  for (const other of found.lists) {
    const isAround = list.path.startsWith(`${other.path}.`);
    if (other === list || isAround || isToldAsField(other, list)) continue;
    const isDocument = other.path === '' || other.path === '*';
    const what = `${contentOf(other)} in ${whereIs(other)}`;
    if (looksLikeMembers(other)) doubts.push(`${file}: left out: ${what}, which can be members too`);
    else if (!isDocument) lines.push(`${file}: left out: ${what}`);
  }
  if (found.isCutOff || list.isCutOff) lines.push(`${file}: it has more lists or fields than the command tells`);
  return { lines, doubts, strangers: strangersOf(chosen, found) };
}

/** Whether the list stands in a field of the members. The lines about fields that are not used name that field already. */
function isToldAsField({ path }: FoundList, members: FoundList): boolean {
  const base = members.path === '' || members.path === '*' ? '' : `${members.path}.`;
  const field = path.slice(base.length).replace(/(?:\.[*#].*|\[\])$/, '');
  return path.startsWith(base) && members.fields.has(field);
}

/** Says what a list contains, such as "2 objects and 1 value". */
function contentOf({ count: objects, values, path }: FoundList): string {
  const parts = [objects > 0 && withNoun(objects, path.endsWith('[]') ? 'array' : 'object')];
  parts.push(values.count > 0 && withNoun(values.count, 'value'));
  return parts.filter(Boolean).join(' and ');
}

/** Returns the paths beside the members that look like members, but whose names are no ids. */
function strangersOf({ list, names }: ChosenFormat, found: FoundMembers): Set<string> {
  const strangers = new Set<string>();
  if (!list?.path.endsWith('#')) return strangers;
  const prefix = list.path.slice(0, -1);
  const ending = `.${names.xp}`;
  for (const name of found.document.fields.keys()) {
    if (!name.startsWith(prefix)) continue;
    if (list.values.count > 0 && !name.slice(prefix.length).includes('.')) strangers.add(name);
    if (list.count > 0 && name.endsWith(ending)) strangers.add(name.slice(0, -ending.length));
  }
  return strangers;
}
