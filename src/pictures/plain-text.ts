import { checkText } from '../core/check-fields.ts';
import { cleaned } from './text.ts';

/**
 * Returns a text that Discord shows as it is: each character with which its Markdown, a mention or a link could begin is escaped. A name such as
 * `[Free Nitro](https://evil.example)` stays a name. O(n).
 * @throws InvalidInputError for a value that is no text, such as null for a member without a name.
 */
export function plainText(text: string): string {
  checkText(text, 'text');
  return cleaned(text).replace(/[!-/:-@[-`{-~]/g, '\\$&');
}
