import { closeSync, openSync, writeSync } from 'node:fs';
import { InvalidInputError, messageOf } from '../core/errors.ts';
import type { Input } from '../imports/inputs.ts';
import { Problems, type RefusedRow } from '../imports/problems.ts';
import type { ImportProgress, Reading } from '../imports/read-members.ts';
import { REFUSED_HEADER, refusedLine } from '../imports/refused-rows.ts';
import type { CommandContext } from './context.ts';
import type { Interrupt } from './interrupt.ts';
import { startProgress } from './progress-bar.ts';
import type { SeedOptions } from './seed-options.ts';
import type { SeedReport } from './seed-report.ts';
import { COMMAND_ADVICE } from './sentences.ts';

/** Starts the progress bar. @returns the reading of the inputs, and a function that removes the bar. */
export function startReading(
  { stderr }: CommandContext,
  { strict = false, refused }: SeedOptions,
  inputs: readonly Input[],
  report: SeedReport,
  { signal }: Interrupt,
): { readonly reading: Reading; readonly stop: () => void } {
  const bar = startProgress(totalSize(inputs), stderr);
  const progress: ImportProgress = { update: bar.update, write: report.note, advice: COMMAND_ADVICE };
  const list = refused === undefined ? undefined : openRefused(refused);
  const problems = new Problems((row) => list?.add(row));
  const stop = () => {
    bar.stop();
    list?.close();
  };
  return { reading: { inputs, strict, problems, progress, signal }, stop };
}

/**
 * Creates the file of the refused rows. Each row is written at once, so that the file has all of them whenever the run ends.
 * @throws InvalidInputError
 */
function openRefused(path: string) {
  try {
    const file = openSync(path, 'w');
    writeSync(file, REFUSED_HEADER);
    return { add: (row: RefusedRow) => void writeSync(file, refusedLine(row)), close: () => closeSync(file) };
  } catch (error) {
    throw new InvalidInputError(`Cannot write ${path}: ${messageOf(error)}`);
  }
}

/** Returns the sum of the inputs' sizes. */
function totalSize(inputs: readonly Input[]): number {
  return inputs.reduce((sum, { size }) => sum + size, 0);
}
