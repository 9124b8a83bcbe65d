import { count } from '../count.ts';
import { InvalidInputError } from '../errors.ts';

/** Levels of JSON. No member and no rules are nested deeper. */
export const MAX_DEPTH = 100;

/**
 * Refuses a JSON text that is too deep to be written again. O(n). It may be no valid JSON.
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
      throw new InvalidInputError(`${name} is nested deeper than ${count(MAX_DEPTH, 'level')}: these are no rules`);
  }
}

/** Returns the place of the quote that ends a string of JSON; a place behind the text if none does. @param begin place of the first quote. */
export function endOfString(text: string, begin: number): number {
  let end = begin + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
  return end;
}
