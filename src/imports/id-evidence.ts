/** Digits that a double always keeps. Spreadsheets set all later digits to 0. */
const KEPT_DIGITS = 15;
/** Ids count as rounded if real ids would look so with a chance of less than 1 in 4,000, which is 2 to the power of -12. */
const SURE_BITS = 12;
/** Bits of the fraction of a double. */
const FRACTION_BITS = 52;
/** A long id that a program has written as a decimal number. */
const DECIMAL_ID = /^\d{15,20}[.,]0*$|^\d(?:[.,]\d+)?e\+?0*1[4-9]$/i;

/** Returns whether a text is a long id as a decimal number, such as `8.138e17`. Its last digits are lost. */
export function isDecimalId(text: string): boolean {
  return DECIMAL_ID.test(text);
}

/** The evidence for one way of rounding. */
class Rounding {
  private rounded = 0;
  /** Minus the logarithm to base 2 of the chance that real ids look like these rounded ids. */
  private bits = 0;

  /** Adds an id that looks rounded. @param bits minus the logarithm to base 2 of the chance that a real id looks so. */
  add(bits: number): void {
    this.rounded++;
    this.bits += bits;
  }

  /** Whether all ids look rounded. @param all number of ids. */
  areAll(all: number): boolean {
    return all > 0 && this.rounded === all;
  }

  /**
   * Whether too many ids look rounded for chance, also if they are only some of all ids: `ofChoice` counts the ways to choose them.
   * @param all number of ids.
   */
  isSure(all: number): boolean {
    const share = this.rounded / all;
    const ofChoice =
      share > 0 && share < 1 ? -all * (share * Math.log2(share) + (1 - share) * Math.log2(1 - share)) : 0;
    return this.bits - ofChoice >= SURE_BITS;
  }
}

/**
 * Tells whether the ids of a file were rounded: by a spreadsheet to 15 digits, or by a program that reads them as doubles. JavaScript writes the
 * shortest digits that give the same double, and Python the exact digits of the double.
 */
export class IdEvidence {
  /** Number of ids of more than 15 digits, and of ids so large that a double cannot represent each of them. */
  private long = 0;
  private aboveDoubles = 0;
  private readonly zeros = new Rounding();
  private readonly shortest = new Rounding();
  private readonly exact = new Rounding();
  /** Number of such large ids that are numbers of JSON. */
  private numbers = 0;
  private readonly shortestNumbers = new Rounding();
  private readonly exactNumbers = new Rounding();
  /** Number of ids that are decimal numbers. */
  private decimals = 0;
  /** The first id that looks rounded. */
  example: string | undefined;

  /** Takes an id of more than 15 digits. @param isNumber whether the file has it as a number of JSON. */
  add(text: string, isNumber: boolean): void {
    this.long++;
    if (/^0+$/.test(text.slice(KEPT_DIGITS))) {
      this.zeros.add((text.length - KEPT_DIGITS) * Math.log2(10));
      this.example ??= text;
    }
    const double = Number(text);
    if (Number.isSafeInteger(double)) return;
    this.aboveDoubles++;
    if (isNumber) this.numbers++;
    const bits = Math.floor(Math.log2(double)) - FRACTION_BITS;
    const isShortest = (text.length < 18 || text.endsWith('0')) && String(double) === text;
    const isExact = text.length <= 20 && Number(text.slice(-KEPT_DIGITS)) % 2 ** bits === 0;
    if (isShortest) this.shortest.add(bits);
    if (isExact) this.exact.add(bits);
    if (isShortest && isNumber) this.shortestNumbers.add(bits);
    if (isExact && isNumber) this.exactNumbers.add(bits);
    if (isShortest || isExact) this.example ??= text;
  }

  /** Takes an id that {@link isDecimalId}. */
  addDecimal(text: string): void {
    this.decimals++;
    this.example ??= text;
  }

  /** Whether the ids were certainly rounded, or all large ids that are numbers of JSON look rounded in the same way. */
  get isRounded(): boolean {
    const { long, aboveDoubles, numbers } = this;
    return (
      this.decimals > long ||
      this.zeros.isSure(long) ||
      this.shortest.isSure(aboveDoubles) ||
      this.exact.isSure(aboveDoubles) ||
      this.shortestNumbers.areAll(numbers) ||
      this.exactNumbers.areAll(numbers)
    );
  }

  /** Whether all large ids look rounded, but are too few to be certain. */
  get canBeRounded(): boolean {
    const { aboveDoubles } = this;
    return !this.isRounded && (this.shortest.areAll(aboveDoubles) || this.exact.areAll(aboveDoubles));
  }
}
