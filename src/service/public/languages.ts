import type { Request } from 'express';
import { LANGUAGES } from '../../widget/strings.ts';

export const DEFAULT_LANGUAGE = 'en';

/** Browsers send fewer characters. To parse a header of thousands takes milliseconds. */
const MAX_HEADER_LENGTH = 200;

/** Returns the language of the pages that a visitor likes best, by Accept-Language; the default one for a header that no browser sends. */
export function acceptedLanguage(req: Request): string {
  const { length } = req.headers['accept-language'] ?? '';
  return (length <= MAX_HEADER_LENGTH && req.acceptsLanguages(LANGUAGES)) || DEFAULT_LANGUAGE;
}

/** Returns the language that the address of a request names, if it is one of the pages, or else the accepted one. */
export function languageOf(req: Request): string {
  const { lang } = req.query;
  return typeof lang === 'string' && LANGUAGES.includes(lang) ? lang : acceptedLanguage(req);
}
