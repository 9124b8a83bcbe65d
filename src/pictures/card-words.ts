import { InvalidInputError, shownJson, shownText } from '../core/errors.ts';
import { BETWEEN_LANGUAGES, LANGUAGES, TEXTS as WIDGET_TEXTS } from '../widget/strings.ts';
import { cleaned } from './text.ts';

const { rank, level, next, streak } = WIDGET_TEXTS;

/** The texts of the card in the languages of the widget: `{x}` stands for a value. */
const TEXTS = {
  rank,
  level,
  next,
  streak,
  highest: 'highest level/höchstes Level/niveau maximal/nivel máximo/nível máximo/أعلى مستوى/最高レベル',
  hidden:
    'not in the ranking/nicht in der Rangliste/hors du classement/fuera de la clasificación/fora da classificação/خارج لوحة الصدارة/ランキング対象外',
  left: 'left the server/hat den Server verlassen/a quitté le serveur/salió del servidor/saiu do servidor/غادر الخادم/サーバーを退出',
  self: 'by own choice/auf eigenen Wunsch/par choix personnel/por decisión propia/por escolha própria/برغبة شخصية/本人の希望',
  moderator:
    'by a moderator/durch die Moderation/par la modération/por la moderación/pela moderação/بقرار من الإشراف/モデレーターによる',
} as const satisfies Record<string, string>;

export type CardLabel = keyof typeof TEXTS;
/** Texts that replace those of the language, such as `{ level: 'Stufe {n}' }`. */
export type CardLabels = Readonly<Partial<Record<CardLabel, string>>>;

const MAX_LABEL = 60;
/** Characters of a language tag that each program must take. */
const MAX_LANG = 35;
/** From here on a number is shown in few figures, as in the widget. */
const COMPACT_FROM = 1e12;

/** A piece of a text, and whether it is a value. */
export type Piece = readonly [text: string, isValue: boolean];

export type CardWords = ReturnType<typeof wordsOf>;

/**
 * Returns texts and numbers in one language. Languages that the widget does not know have English texts and their own numbers.
 * @throws InvalidInputError for a text that is no language tag, and for an unfit label.
 */
export function wordsOf(lang: string, labels: CardLabels) {
  const locale = localeOf(lang);
  if (typeof labels !== 'object' || labels === null)
    throw new InvalidInputError(`labels must be an object with texts, not ${shownText(labels)}`);
  for (const [name, text] of Object.entries(labels)) checkLabel(name, text);
  const { language } = new Intl.Locale(locale);
  const index = Math.max(0, LANGUAGES.indexOf(language));
  const textLanguage = LANGUAGES[index] as string;
  const full = new Intl.NumberFormat(locale).format;
  const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 }).format;
  const number = (value: number): string => (value < COMPACT_FROM ? full : compact)(value);

  const textOf = (label: CardLabel): string =>
    cleaned(labels[label] ?? (TEXTS[label].split(BETWEEN_LANGUAGES)[index] as string));
  const capital = (text: string): string =>
    text.replace(/^\p{Ll}/u, (letter) => letter.toLocaleUpperCase(textLanguage));
  /** Returns a text in pieces, with a capital letter at its start. */
  const pieces = (label: CardLabel, values: Readonly<Record<string, number>> = {}): Piece[] =>
    capital(textOf(label))
      .split(/\{(\w+)\}/)
      .map((part, at): Piece => (at % 2 === 1 ? [figureOf(values[part]), true] : [part, false]))
      .filter(([part]) => part !== '');
  const figureOf = (value: number | undefined) => (value === undefined ? '' : number(value));

  return {
    locale,
    isRtl: textLanguage === 'ar',
    number,
    pieces,
    say: (...call: Parameters<typeof pieces>): string =>
      pieces(...call)
        .map(([text]) => text)
        .join(''),
    list: (each: readonly CardLabel[]): string =>
      capital(new Intl.ListFormat(textLanguage, { type: 'unit' }).format(each.map(textOf))),
  };
}

function localeOf(lang: string): string {
  try {
    if (typeof lang === 'string' && lang.length <= MAX_LANG) return Intl.getCanonicalLocales(lang)[0] as string;
  } catch {
    // Not a language tag.
  }
  throw new InvalidInputError(`lang must be a language tag such as en or pt-BR, not ${shownJson(lang)}`);
}

function checkLabel(name: string, text: unknown): void {
  if (!Object.hasOwn(TEXTS, name))
    throw new InvalidInputError(`labels has no text ${name}: it can have ${Object.keys(TEXTS).join(', ')}`);
  if (text !== undefined && (typeof text !== 'string' || text.length > MAX_LABEL))
    throw new InvalidInputError(`The label ${name} must be a text of at most ${MAX_LABEL} characters`);
}
