import { count } from '../count.ts';
import { InvalidInputError } from '../errors.ts';

/** Levels of JSON. No member and no rules are nested deeper. */
export const MAX_DEPTH = 100;
/** Lists and objects of a document. An export has one for each member. An empty one takes some twenty times its text. */
const MAX_PARTS = 1_000_000;

/**
 * Refuses a JSON text that would take much memory to parse, or that is too deep to be written again. O(n). It may be no valid JSON.
 * @param name of the source, for messages.
 * @throws InvalidInputError when it is nested deeper than 100 levels, or has more than a million lists and objects.
 */
export function checkNesting(text: string, name: string): void {
  let depth = 0;
  let parts = 0;
  let isString = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (char === '"') isString = !isString;
    else if (isString) i += char === '\\' ? 1 : 0;
    else if (char === ']' || char === '}') depth--;
    else if (char === '[' || char === '{') {
      parts++;
      if (++depth > MAX_DEPTH)
        throw new InvalidInputError(`${name} is nested deeper than ${count(MAX_DEPTH, 'level')}: these are no rules`);
      if (parts > MAX_PARTS)
        throw new InvalidInputError(
          `${name} has more than ${count(MAX_PARTS, 'list')} and objects: these are no rules`,
        );
    }
  }
}
