/** Numbers as spreadsheets and exporters write them: `4700`, `4,700`, `4.700`, `4 700`, `4700.0`. */

/** What a dot or a comma means in the numbers of a file; undefined = the numbers do not show it. */
export interface NumberStyle {
  readonly '.': 'groups' | 'decimals' | undefined;
  readonly ',': 'groups' | 'decimals' | undefined;
}

/** The style of a file whose numbers show nothing about their separators. */
export const PLAIN_STYLE: NumberStyle = { '.': undefined, ',': undefined };

/** A space or an apostrophe between groups of three digits. */
const GROUP_SPACE = /(?<=\d)[ '’\u00A0\u2009\u202F](?=\d{3}(?!\d))/g;
const PLAIN = /^\d{1,32}$/;
const GROUPED = /^(\d{1,3}(?:([.,])\d{3})(?:\2\d{3})*)(?:(?!\2)[.,](\d+))?$/;
/** Groups of two digits above the last three, as in India: 12,34,567. */
const INDIAN = /^\d{1,2}(?:,\d{2})+,\d{3}$/;
const WITH_DECIMALS = /^(\d{1,32})([.,])(\d*)$/;

/** A word before or after a number that says what it counts, such as in "Level 5" or "4700 XP". */
const UNIT = /^(?:level|lvl|lv|stufe|niveau|nivel)\.? *|(?<=\d) *(?:xp|exp|points|pts)$/i;

/** A sign that separates groups of digits, or begins decimals. */
export type Separator = keyof NumberStyle;
/** Most characters of an example. */
const MAX_EXAMPLE = 40;

/** Gathers what the numbers of a column show about the meaning of dots and commas in their file. O(1) of memory. */
export class NumberEvidence {
  private readonly shown = { '.': new Set<'groups' | 'decimals'>(), ',': new Set<'groups' | 'decimals'>() };
  /**
   * About numbers such as `5.000`, which by themselves can be 5 or 5000: whether one of them would have a fraction if its separator began decimals,
   * and whether one of them ends in 0.
   */
  private readonly grouped = {
    '.': { isFraction: false, endsInZero: false },
    ',': { isFraction: false, endsInZero: false },
  };
  /** The first such number, by its separator. */
  readonly examples: { '.'?: string; ','?: string } = {};
  /** Whether there are numbers without separators below 1,000, and from 1,000 on. */
  private hasSmall = false;
  private hasLarge = false;

  /**
   * Takes the text of a value, and ignores a text that is no number.
   * @param isNumber whether it is a number of JSON.
   * @returns whether the text is a number.
   */
  add(text: string, isNumber: boolean): boolean {
    if (isNumber && text.includes('.')) this.shown['.'].add('decimals');
    const number = PLAIN.test(text) ? text : plain(text);
    if (PLAIN.test(number)) {
      if (number.length > 3) this.hasLarge = true;
      else this.hasSmall = true;
      return true;
    }
    const grouped = GROUPED.exec(number);
    const decimal = WITH_DECIMALS.exec(number);
    if (grouped && decimal) {
      const separator = decimal[2] as Separator;
      this.examples[separator] ??= text.slice(0, MAX_EXAMPLE);
      if (!/^0*$/.test(decimal[3] ?? '')) this.grouped[separator].isFraction = true;
      if (number.endsWith('0')) this.grouped[separator].endsInZero = true;
      return true;
    }
    if (grouped) this.shown[grouped[2] as Separator].add('groups');
    else if (decimal) this.shown[decimal[2] as Separator].add('decimals');
    return isNumber || grouped !== null || decimal !== null;
  }

  /**
   * Returns the style. If no number shows it by itself, a comma separates thousands if a number would not be whole otherwise. A dot separates
   * thousands if there are small numbers without a dot and a number ends in 0: a program that writes decimals with a dot leaves out a 0 at the end.
   */
  get style(): NumberStyle {
    const dot = only(this.shown['.']);
    const comma = only(this.shown[',']);
    const other = (style: 'groups' | 'decimals' | undefined) => style && (style === 'groups' ? 'decimals' : 'groups');
    const canBeGroups = !this.hasLarge && this.shown['.'].size === 0 && this.shown[','].size === 0;
    const dots = canBeGroups && this.hasSmall && this.grouped['.'].endsInZero ? 'groups' : undefined;
    const isGroupedByCommas = this.grouped[','].isFraction || (this.hasSmall && this.examples[','] !== undefined);
    const commas = canBeGroups && isGroupedByCommas ? 'groups' : undefined;
    return { '.': dot ?? other(comma) ?? dots, ',': comma ?? other(dot) ?? commas };
  }
}

/** Returns the element of a set that has no other element; undefined for any other set. */
function only<T>(set: ReadonlySet<T>): T | undefined {
  return set.size === 1 ? [...set][0] : undefined;
}

/** A number of a file; `ambiguous` = its separator can mean two things, which give different numbers; undefined = no number. */
type ReadNumber = { readonly whole: number; readonly hasFraction: boolean } | 'ambiguous' | undefined;

/** Reads a number of 0 to 2^53-1. @returns undefined for a text that is no number, and for a number out of this range. */
export function readNumber(value: unknown, style: NumberStyle): ReadNumber {
  if (typeof value === 'number') return safe(Math.trunc(value), !Number.isInteger(value));
  if (typeof value !== 'string') return undefined;
  if (PLAIN.test(value)) return safe(Number(value), false);
  const text = plain(value);
  if (PLAIN.test(text)) return safe(Number(text), false);
  const grouped = GROUPED.exec(text);
  const decimal = WITH_DECIMALS.exec(text);
  if (grouped && decimal) {
    const meaning = style[decimal[2] as Separator];
    // If the file does not show what the separator means, `5.000` is ambiguous too, as 5 or 5000.
    if (!meaning) return 'ambiguous';
    return meaning === 'groups' ? whole(grouped[1], '') : whole(decimal[1], decimal[3]);
  }
  if (grouped) return whole(grouped[1], grouped[3]);
  return decimal ? whole(decimal[1], decimal[3]) : undefined;
}

/** Returns the text of a number without the word for what it counts, and without spaces or commas of India between its digits. */
function plain(text: string): string {
  const number = text.replace(UNIT, '').replace(GROUP_SPACE, '');
  return INDIAN.test(number) ? number.replaceAll(',', '') : number;
}

/** Returns a number without its separators, and whether its fraction is more than zeros. */
function whole(digits = '', fraction = ''): ReadNumber {
  return safe(Number(digits.replace(/[.,]/g, '')), /[1-9]/.test(fraction));
}

/** Returns a number in the range of XP; undefined for any other number. */
function safe(number: number, hasFraction: boolean): ReadNumber {
  // An integer above 2^53-1 becomes a double above it too, so nothing is rounded into the range.
  return Number.isSafeInteger(number) && number >= 0 ? { whole: number, hasFraction } : undefined;
}
