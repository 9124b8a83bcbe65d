import { InvalidInputError } from '../../core/errors.ts';
import { ID_PATTERN } from '../../core/ranking/model.ts';

/** A kind of id: its name, and its mention as a person copies it from a chat. */
interface IdKind {
  readonly name: string;
  readonly mention: RegExp;
}

export const ROLE: IdKind = { name: 'role', mention: /^<@&(\d+)>$/ };
export const CHANNEL: IdKind = { name: 'channel', mention: /^<#(\d+)>$/ };

/** A line of a field that has a list. */
interface Line {
  /** Names the field and the line. */
  readonly at: string;
  readonly words: readonly string[];
}

/** Returns the lines that are not empty. Commas and semicolons part words too. @param label that of the field. */
function linesOf(label: string, text: string): Line[] {
  return text
    .split('\n')
    .map((each, i) => ({ at: `${label}, line ${i + 1}`, words: each.split(/[\s,;]+/).filter(Boolean) }))
    .filter(({ words }) => words.length > 0);
}

/** Returns the id that a word is, or mentions. @throws InvalidInputError which names the line. */
function idOf(kind: IdKind, at: string, word: string): string {
  const id = kind.mention.exec(word)?.[1] ?? word;
  if (ID_PATTERN.test(id)) return id;
  throw new InvalidInputError(`${at}: "${word.slice(0, 80)}" is no id of a ${kind.name}, such as 400000000000000003`);
}

/** Returns the number that a text is; undefined for none. Another text stays, and the parser of rules names it. */
export function numberOr(text: string): unknown {
  if (text === '') return undefined;
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

/** Returns the ids of a list. @throws InvalidInputError which names the line. */
export function idsIn(kind: IdKind, label: string, text: string): string[] {
  return linesOf(label, text).flatMap(({ at, words }) => words.map((word) => idOf(kind, at, word)));
}

/** Returns multipliers by their ids. @param names gets the line of each number, by its path in the document. @throws InvalidInputError which names the line. */
export function factorsIn(
  kind: IdKind,
  label: string,
  text: string,
  names: Map<string, string>,
): Record<string, unknown> {
  const factors = new Map<string, unknown>();
  for (const { at, words } of linesOf(label, text)) {
    const [word = '', factor] = words;
    if (factor === undefined || words.length > 2)
      throw new InvalidInputError(`${at}: write an id and a number, such as 400000000000000003 1.5`);
    const id = idOf(kind, at, word);
    if (factors.has(id)) throw new InvalidInputError(`${at}: ${id} has a multiplier above already`);
    factors.set(id, numberOr(factor));
    names.set(`multipliers.${kind.name}s.${id}`, `${at}: the multiplier`);
  }
  return Object.fromEntries(factors);
}

/** Returns the roles of levels. @param names gets the line of each level, by its path in the document. @throws InvalidInputError which names the line. */
export function rewardsIn(text: string, names: Map<string, string>): object[] {
  const seen = new Set<string>();
  return linesOf('Roles of levels', text).map(({ at, words }, i) => {
    const [level = '', word, how = 'kept'] = words;
    if (word === undefined || words.length > 3 || !['kept', 'replaced'].includes(how))
      throw new InvalidInputError(
        `${at}: write a level and a role id, such as 5 400000000000000005, and then "replaced" if a member loses it at the next one`,
      );
    const reward = { level: numberOr(level), role: idOf(ROLE, at, word), kept: how === 'kept' };
    const pair = `${reward.level} ${reward.role}`;
    if (seen.has(pair)) throw new InvalidInputError(`${at}: level ${level} gives ${reward.role} above already`);
    seen.add(pair);
    names.set(`rewards[${i}].level`, `${at}: the level`);
    return reward;
  });
}
