/** Digits that a double keeps for sure. Spreadsheets set all later ones to 0. */
const KEPT_DIGITS = 15;
/** A chance of one in 10^4 or less that real ids look so. */
const SURE = 4;

/** Tells whether the ids of a file were rounded, as spreadsheets and readers of JSON do with numbers of more than 15 digits. */
export class IdEvidence {
  /** Ids of more than 15 digits, and those among them that end in zeros from the 16th digit on. */
  private long = 0;
  private zeros = 0;
  /** Digits that are zero in them. */
  private zeroDigits = 0;
  /** Numbers of JSON above 2^53, and whether one has digits that a double cannot keep. */
  private numbers = 0;
  private hasExactNumber = false;
  /** The first id that looks rounded. */
  example: string | undefined;

  /** Takes an id of more than 15 digits. @param isNumber whether the file has it as a number of JSON. */
  add(text: string, isNumber: boolean): void {
    this.long++;
    if (/^0+$/.test(text.slice(KEPT_DIGITS))) {
      this.zeros++;
      this.zeroDigits += text.length - KEPT_DIGITS;
      this.example ??= text;
    }
    if (!isNumber || Number.isSafeInteger(Number(text))) return;
    this.numbers++;
    // A program that rounds writes the shortest digits of the double.
    if (String(Number(text)) !== text) this.hasExactNumber = true;
    else this.example ??= text;
  }

  /** Whether most long ids end in zeros where only digits of a double would be lost, or all numbers are such doubles. */
  get isRounded(): boolean {
    const areZeros = this.zeros * 2 > this.long && this.zeroDigits >= SURE;
    return areZeros || (this.numbers > 0 && !this.hasExactNumber);
  }
}
