import type { FieldMap } from './fields.ts';

/** What a person can do about a file, in the words of the place that shows it: options of a command, or fields of a page. */
export interface Advice {
  readonly checkFormat: string;
  /** @param readings ways to read the fields, the likeliest first. */
  mapFields(readings: readonly FieldMap[]): string;
  /** @param reading a way to read the file with another field as XP. */
  readInstead(reading: FieldMap): string;
  readonly chooseGuild: string;
  readonly nameCurve: string;
  switchCurve(curve: string): string;
  /** @param better the curve that gives most of the levels, if it differs from the chosen curve. */
  chooseLevels(better: string | undefined): string;
  readonly importWithoutReplacing: string;
  readonly runAgain: string;
}

/** Tells a person about files. */
export interface Reporter {
  /** Shows a line to the person. */
  write(line: string): void;
  readonly advice: Advice;
}
