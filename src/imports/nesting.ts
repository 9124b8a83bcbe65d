import { InvalidInputError } from '../core/errors.ts';
import { withNoun } from '../core/format-numbers.ts';

/** Deepest nesting of JSON that is read. No member and no rules need more. */
export const MAX_DEPTH = 100;

/**
 * Refuses a JSON text that is nested too deep to be serialized again. O(n). The text need not be valid JSON.
 * @param name of the source, for messages.
 * @throws InvalidInputError when it is nested deeper than 100 levels.
 */
export function checkNesting(text: string, name: string): void {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (char === '"') i = endOfString(text, i);
    else if (char === ']' || char === '}') depth--;
    else if ((char === '[' || char === '{') && ++depth > MAX_DEPTH)
      throw new InvalidInputError(`${name} is nested deeper than ${withNoun(MAX_DEPTH, 'level')}: these are no rules`);
  }
}

/** Returns whether a value of JSON is nested deeper than {@link MAX_DEPTH}. Such a value cannot be serialized again. O(n). */
export function isDeep(value: object): boolean {
  let level: object[] = [value];
  for (let depth = 1; depth <= MAX_DEPTH; depth++) {
    const next: object[] = [];
    for (const each of level) {
      for (const inner of Object.values(each)) if (typeof inner === 'object' && inner !== null) next.push(inner);
    }
    if (next.length === 0) return false;
    level = next;
  }
  return true;
}

/** Returns the index of the quote that ends a string of JSON, or an index after the text if no quote does. @param begin index of the first quote. */
function endOfString(text: string, begin: number): number {
  let end = begin + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
  return end;
}
