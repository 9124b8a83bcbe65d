import { BETWEEN_LANGUAGES, LANGUAGES, type Label, type Labels, TEXTS } from './strings.ts';

export type Words = ReturnType<typeof createWords>;

/**
 * Returns texts, numbers and times in one language.
 * @param locale language tag of the web page; one that is not valid counts as the visitor's own.
 * @param labels texts that replace those of the language.
 */
export function createWords(locale: string, labels: Partial<Labels>) {
  let locales = [navigator.language];
  try {
    locales = Intl.getCanonicalLocales(locale || locales);
  } catch {
    // Not a language tag.
  }
  const { language } = new Intl.Locale(locales[0] as string);
  const index = Math.max(0, LANGUAGES.indexOf(language));
  /** Language of the texts, which can be another than that of the web page. */
  const lang = LANGUAGES[index] as string;
  const plural = new Intl.PluralRules(lang);
  const ago = new Intl.RelativeTimeFormat(locales, { style: 'narrow', numeric: 'auto' });
  const number = new Intl.NumberFormat(locales).format;
  const percent = new Intl.NumberFormat(locales, { style: 'percent' }).format;
  /** Returns a number in few figures, such as `1.5M`. */
  const compact = new Intl.NumberFormat(locales, { notation: 'compact', maximumFractionDigits: 1 }).format;

  return {
    lang,
    number,
    compact,
    /** Returns a share as a whole percentage: 100 % stands for the whole alone. */
    percent: (share: number) => percent(Math.floor(100 * share) / 100),
    /** Returns a text with its values. Numbers are formatted; the value `n` chooses between two forms. */
    say(label: Label, values: Readonly<Record<string, string | number>> = {}): string {
      const text = labels[label] ?? (TEXTS[label].split(BETWEEN_LANGUAGES)[index] as string);
      const [one, other = one] = text.split('|') as [string, string?];
      return (plural.select(Number(values.n)) === 'one' ? one : other).replace(/\{(\w+)\}/g, (_, name: string) => {
        const value = values[name] ?? '';
        return typeof value === 'number' ? number(value) : value;
      });
    },
    date: (iso: string) => new Date(iso).toLocaleDateString(locales, { dateStyle: 'medium' }),
    /** Returns how long ago something was, such as `4s ago`. */
    ago(seconds: number): string {
      const isLong = seconds >= 60;
      return ago.format(-Math.floor(isLong ? seconds / 60 : seconds), isLong ? 'minute' : 'second');
    },
    /** Returns a wait as `m:ss`, or as `h:mm:ss` from an hour on. */
    clock(seconds: number): string {
      const whole = Math.ceil(Math.max(0, seconds));
      const parts = [whole / 3600, (whole / 60) % 60, whole % 60].map(Math.floor);
      if (whole < 3600) parts.shift();
      return parts.map((part, i) => number(part).padStart(i && 2, number(0))).join(':');
    },
  };
}
