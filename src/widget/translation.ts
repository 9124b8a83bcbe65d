/** The engine of all translated texts: the texts of the widget, of the public pages and of rank cards. */

/** Languages of the texts. The first language stands in for every other language. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'pt', 'ar', 'ja'] as const;

/** The code of a language of the texts. */
export type Language = (typeof LANGUAGES)[number];

/**
 * Texts by their labels, each in all languages. `{x}` stands for a value. A text such as `{n} member|{n} members` has two forms: for `n` = 1, and for
 * every other number `n`.
 */
export type Texts<Label extends string = string> = Readonly<Record<Label, Readonly<Record<Language, string>>>>;

/** Values of a text by their names. Numbers are formatted. */
export type Values = Readonly<Record<string, string | number>>;

/** A piece of a text, and whether it is a value. */
export type Piece = readonly [text: string, isValue: boolean];

/** Returns whether a text is the code of one of the languages. */
export function isLanguage(code: string): code is Language {
  return (LANGUAGES as readonly string[]).includes(code);
}

/** Returns the pieces of a text, each value in its place: nothing for a value that is not given. */
export function piecesOf(text: string, values: Values, format: (value: number) => string): Piece[] {
  // The names of values stand at the odd places.
  return text.split(/\{(\w+)\}/).map((part, at): Piece => {
    if (at % 2 === 0) return [part, false];
    const value = values[part] ?? '';
    return [typeof value === 'number' ? format(value) : value, true];
  });
}

/**
 * Returns the functions that translate texts into the language of a locale, or else into English. Numbers are formatted by the locale.
 * @param locale a valid language tag.
 * @param labels texts that replace texts of the language.
 */
export function createTranslator<Label extends string>(
  texts: Texts<Label>,
  locale: string,
  labels?: Readonly<Partial<Record<Label, string>>>,
) {
  const { language: wanted } = new Intl.Locale(locale);
  const language = isLanguage(wanted) ? wanted : LANGUAGES[0];
  const plural = new Intl.PluralRules(language);
  const number = new Intl.NumberFormat(locale).format;
  const range = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
  const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 }).format;

  const textOf = (label: Label): string => labels?.[label] ?? texts[label][language];
  const capitalized = (text: string): string =>
    text.replace(/^\p{Ll}/u, (letter) => letter.toLocaleUpperCase(language));
  const say = (label: Label, values: Values = {}, format = number): string => {
    const [one = '', other] = textOf(label).split('|');
    const isOther = other !== undefined && plural.select(Number(values.n)) !== 'one';
    return piecesOf(isOther ? other : one, values, format)
      .map(([text]) => text)
      .join('');
  };

  return {
    /** The language of the texts, which can differ from the language of the locale. */
    language,
    isRtl: language === 'ar',
    number,
    /** Returns a number in few figures, such as `1.5M`. */
    compact,
    /** Returns two midnights in UTC as a range of days, such as `Nov 23 – 29`. */
    dates: (first: number, last: number): string => range.formatRange(first, last),
    /** Returns a text as it is, with the places of its values. */
    textOf,
    /** Returns a text with a capital letter at its start. */
    capitalized,
    /** Returns a text with its values, as `format` writes numbers. */
    say,
    /** Returns the same with a capital letter at its start. */
    title: (...call: Parameters<typeof say>): string => capitalized(say(...call)),
  };
}
