/** Digits that a double keeps for sure. Spreadsheets set all later ones to 0. */
const KEPT_DIGITS = 15;
/** Bits of a chance of one in 4,000. Ids that are as unlikely as that were rounded. */
const SURE_BITS = 12;
/** Bits of the fraction of a double. */
const FRACTION_BITS = 52;
/** A long id that a program has written as a decimal number. */
const DECIMAL_ID = /^\d{15,20}[.,]0*$|^\d(?:[.,]\d+)?e\+?0*1[4-9]$/i;

/** Returns whether a text is a long id as a decimal number, such as `8.138e17`. Its last digits are lost. */
export function isDecimalId(text: string): boolean {
  return DECIMAL_ID.test(text);
}

/** How much the ids speak for one way of rounding. */
class Rounding {
  private rounded = 0;
  /** Minus the logarithm to base 2 of the chance that all of these ids look so by themselves. */
  private bits = 0;

  /** Takes an id that looks rounded. @param bits of the chance that a real one does. */
  add(bits: number): void {
    this.rounded++;
    this.bits += bits;
  }

  /** Whether every one of `all` ids looks so. */
  areAll(all: number): boolean {
    return all > 0 && this.rounded === all;
  }

  /** Whether so many of `all` ids look so that chance does not explain it. The choice of them among all has a number of bits too. */
  isSure(all: number): boolean {
    const share = this.rounded / all;
    const ofChoice =
      share > 0 && share < 1 ? -all * (share * Math.log2(share) + (1 - share) * Math.log2(1 - share)) : 0;
    return this.bits - ofChoice >= SURE_BITS;
  }
}

/**
 * Tells whether the ids of a file were rounded: by spreadsheets to 15 digits, or by a program that reads them as doubles. JavaScript
 * writes the shortest digits of a double, and Python all of them.
 */
export class IdEvidence {
  /** Ids of more than 15 digits, and those that a double cannot all have. */
  private long = 0;
  private aboveDoubles = 0;
  private readonly zeros = new Rounding();
  private readonly shortest = new Rounding();
  private readonly exact = new Rounding();
  /** Numbers of JSON that a double cannot all have. */
  private numbers = 0;
  private readonly shortestNumbers = new Rounding();
  private readonly exactNumbers = new Rounding();
  /** Ids that are decimal numbers. */
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

  /** Whether the ids were rounded for sure, or are all numbers of JSON as a program writes them that has rounded them. */
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

  /** Whether all long ids look rounded, and are too few to be sure of it. */
  get canBeRounded(): boolean {
    const { aboveDoubles } = this;
    return !this.isRounded && (this.shortest.areAll(aboveDoubles) || this.exact.areAll(aboveDoubles));
  }
}
