import { type Labels, TEXTS } from './strings.ts';
import { createTranslator } from './translation.ts';

/** Texts, numbers and times of the widget in one language, as {@link createWords} returns them. */
export type WidgetWords = ReturnType<typeof createWords>;

/**
 * Returns texts, numbers and times in one language.
 * @param lang language tag of the web page; the visitor's own language replaces an invalid tag.
 * @param labels texts that replace texts of the language.
 */
export function createWords(lang: string, labels: Partial<Labels>) {
  const locale = localeOf(lang);
  const { language, number, compact, dates, say } = createTranslator(TEXTS, locale, labels);
  const ago = new Intl.RelativeTimeFormat(locale, { style: 'narrow', numeric: 'auto' });
  const percent = new Intl.NumberFormat(locale, { style: 'percent' }).format;

  return {
    lang: language,
    number,
    compact,
    dates,
    say,
    /** Returns a share as a whole percentage: 100 % stands for the whole alone. */
    percent: (share: number) => percent(Math.floor(100 * share) / 100),
    date: (iso: string) => new Date(iso).toLocaleDateString(locale, { dateStyle: 'medium' }),
    /** Returns how long ago something was, such as `4s ago`. */
    ago(seconds: number): string {
      if (seconds < 60) return ago.format(-Math.floor(seconds), 'second');
      return ago.format(-Math.floor(seconds / 60), 'minute');
    },
    /** Returns a wait as `m:ss`, or as `h:mm:ss` from an hour on. */
    clock(seconds: number): string {
      const whole = Math.ceil(Math.max(0, seconds));
      const hours = Math.floor(whole / 3600);
      const minutes = Math.floor(whole / 60) % 60;
      const twoDigits = (part: number) => number(part).padStart(2, number(0));
      if (hours === 0) return `${number(minutes)}:${twoDigits(whole % 60)}`;
      return `${number(hours)}:${twoDigits(minutes)}:${twoDigits(whole % 60)}`;
    },
  };
}

function localeOf(lang: string): string {
  try {
    return Intl.getCanonicalLocales(lang)[0] ?? navigator.language;
  } catch {
    return navigator.language; // Not a language tag.
  }
}
