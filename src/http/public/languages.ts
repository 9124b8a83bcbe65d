import type { Request } from 'express';
import { LANGUAGES } from '../../web/widget/strings.ts';

export const DEFAULT_LANGUAGE = 'en';

/** Returns the language of the pages that a visitor likes best, by Accept-Language. */
export function acceptedLanguage(req: Request): string {
  return req.acceptsLanguages(LANGUAGES) || DEFAULT_LANGUAGE;
}

/** Returns the language that the address of a request names, if it is one of the pages, or else the accepted one. */
export function languageOf(req: Request): string {
  const { lang } = req.query;
  return typeof lang === 'string' && LANGUAGES.includes(lang) ? lang : acceptedLanguage(req);
}
