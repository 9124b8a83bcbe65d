import { RULE_SOURCES } from './export-rules.ts';
import { FORMATS } from './formats.ts';
import { endOfString } from './nesting.ts';

/** The members in exports with rules, as JSON has their names. */
const MEMBERS: ReadonlySet<string> = new Set(
  RULE_SOURCES.flatMap((bot) => FORMATS[bot].json.containers.map((name) => `"${name}"`)),
);

/**
 * Returns a JSON text with null in place of the members of an export. They take ten times their text when they are parsed, and rules are
 * not in them. O(n). It may be no valid JSON, and is none afterwards either, except inside of the members.
 */
export function withoutMembers(text: string): string {
  let kept = '';
  /** Where the text goes on that is not in `kept` yet; undefined inside of members. */
  let rest: number | undefined = 0;
  let depth = 0;
  /** The last string of the top level, until a comma. */
  let name = '';
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (char === '"') {
      const begin = i;
      i = endOfString(text, begin);
      if (depth === 1) name = text.slice(begin, i + 1);
    } else if (char === ',' && depth === 1) name = '';
    else if (char === '[' || char === '{') {
      if (depth === 1 && MEMBERS.has(name)) {
        kept += `${text.slice(rest, i)}null`;
        rest = undefined;
      }
      depth++;
    } else if (char === ']' || char === '}') {
      depth--;
      if (depth === 1) rest ??= i + 1;
    }
  }
  return rest === undefined ? kept : kept + text.slice(rest);
}
