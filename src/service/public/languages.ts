import type { Request } from 'express';
import { isLanguage, LANGUAGES, type Language } from '../../widget/translation.ts';

export const DEFAULT_LANGUAGE: Language = 'en';

/** Longest header to parse, in characters. Browsers send shorter headers, and parsing a header of thousands of characters takes milliseconds. */
const MAX_HEADER_LENGTH = 200;

/**
 * Returns the language of the pages that the visitor prefers, by Accept-Language; the default language for a header that is too long for a browser.
 */
export function acceptedLanguage(req: Request): Language {
  const { length } = req.headers['accept-language'] ?? '';
  if (length > MAX_HEADER_LENGTH) return DEFAULT_LANGUAGE;
  const accepted = req.acceptsLanguages([...LANGUAGES]);
  return accepted && isLanguage(accepted) ? accepted : DEFAULT_LANGUAGE;
}

/** Returns the language that the address of a request names, if the pages have it, or else the language that the visitor prefers. */
export function languageOf(req: Request): Language {
  const { lang } = req.query;
  return typeof lang === 'string' && isLanguage(lang) ? lang : acceptedLanguage(req);
}
