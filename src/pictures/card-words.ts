import { InvalidInputError, shownJson, shownText } from '../core/errors.ts';
import { TEXTS as WIDGET_TEXTS } from '../widget/strings.ts';
import { createTranslator, type Piece, piecesOf, type Texts, type Values } from '../widget/translation.ts';
import { cleaned } from './text.ts';

const { rank, level, next, streak } = WIDGET_TEXTS;

/** The texts of the card in the languages of the widget: `{x}` stands for a value. */
const TEXTS = {
  rank,
  level,
  next,
  streak,
  highest: {
    en: 'highest level',
    de: 'höchstes Level',
    fr: 'niveau maximal',
    es: 'nivel máximo',
    pt: 'nível máximo',
    ar: 'أعلى مستوى',
    ja: '最高レベル',
  },
  hidden: {
    en: 'not in the ranking',
    de: 'nicht in der Rangliste',
    fr: 'hors du classement',
    es: 'fuera de la clasificación',
    pt: 'fora da classificação',
    ar: 'خارج لوحة الصدارة',
    ja: 'ランキング対象外',
  },
  left: {
    en: 'left the server',
    de: 'hat den Server verlassen',
    fr: 'a quitté le serveur',
    es: 'salió del servidor',
    pt: 'saiu do servidor',
    ar: 'غادر الخادم',
    ja: 'サーバーを退出',
  },
  self: {
    en: 'by own choice',
    de: 'auf eigenen Wunsch',
    fr: 'par choix personnel',
    es: 'por decisión propia',
    pt: 'por escolha própria',
    ar: 'برغبة شخصية',
    ja: '本人の希望',
  },
  moderator: {
    en: 'by a moderator',
    de: 'durch die Moderation',
    fr: 'par la modération',
    es: 'por la moderación',
    pt: 'pela moderação',
    ar: 'بقرار من الإشراف',
    ja: 'モデレーターによる',
  },
} as const satisfies Texts;

/** The name of a text of the card. */
export type CardLabel = keyof typeof TEXTS;
/** Texts that replace texts of the language, such as `{ level: 'Stufe {n}' }`. */
export type CardLabels = Readonly<Partial<Record<CardLabel, string>>>;

const MAX_LABEL = 60;
/** Characters of a language tag that each program must take. */
const MAX_LANG = 35;
/** From here on a number is shown in few figures, as in the widget. */
const COMPACT_FROM = 1e12;

/** The texts and numbers of a card in one language, as {@link createCardWords} returns them. */
export type CardWords = ReturnType<typeof createCardWords>;

/**
 * Returns texts and numbers in one language. Languages that the widget does not know have English texts and their own numbers.
 * @throws InvalidInputError for a text that is no language tag, and for an unfit label.
 */
export function createCardWords(lang: string, labels: CardLabels) {
  const locale = localeOf(lang);
  if (typeof labels !== 'object' || labels === null)
    throw new InvalidInputError(`labels must be an object with texts, not ${shownText(labels)}`);
  for (const [name, text] of Object.entries(labels)) checkLabel(name, text);
  const translator = createTranslator(TEXTS, locale, labels);
  const number = (value: number): string =>
    value < COMPACT_FROM ? translator.number(value) : translator.compact(value);
  const textOf = (label: CardLabel): string => cleaned(translator.textOf(label));
  /** Returns a text in pieces, with a capital letter at its start. */
  const pieces = (label: CardLabel, values: Values = {}): Piece[] =>
    piecesOf(translator.capitalized(textOf(label)), values, number).filter(([text]) => text !== '');

  return {
    locale,
    isRtl: translator.isRtl,
    number,
    pieces,
    say: (label: CardLabel, values?: Values): string =>
      pieces(label, values)
        .map(([text]) => text)
        .join(''),
    list(labels: readonly CardLabel[]): string {
      const format = new Intl.ListFormat(translator.language, { type: 'unit' });
      return translator.capitalized(format.format(labels.map(textOf)));
    },
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
