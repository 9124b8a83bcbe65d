import { closeSync, openSync, writeSync } from 'node:fs';
import { InvalidInputError, messageOf } from '../core/errors.ts';
import type { Input } from '../imports/inputs.ts';
import { hiddenNotice, Problems, type RefusedRow } from '../imports/problems.ts';
import type { Reading } from '../imports/reading.ts';
import { REFUSED_HEADER, refusedLine } from '../imports/refused-rows.ts';
import type { CommandContext } from './context.ts';
import type { Interrupt } from './interrupt.ts';
import { startProgress } from './progress.ts';
import type { SeedOptions } from './seed-options.ts';

/** Starts the progress bar. @returns the reading of the inputs, and a function that removes the bar. */
export function startReading(
  { stderr }: CommandContext,
  { strict = false, refused }: SeedOptions,
  inputs: readonly Input[],
  { signal }: Interrupt,
) {
  const progress = startProgress(totalSize(inputs), stderr);
  const list = refused === undefined ? undefined : openRefused(refused);
  const problems = new Problems((row) => list?.add(row));
  const stop = () => {
    progress.stop();
    list?.close();
  };
  return { reading: { inputs, strict, problems, progress, signal }, stop };
}

/** Tells which rows were left out, and why, and what is to know of hidden members. */
export function tellRefused({ stderr }: CommandContext, { inputs, problems }: Reading, hidden: number): void {
  const notice = hiddenNotice(inputs, hidden);
  if (notice) stderr.write(`${notice}\n`);
  for (const line of problems.lines()) stderr.write(`${line}\n`);
}

/** Creates the file of the refused rows. Each is written at once, so that an end at any time leaves all of them. @throws InvalidInputError */
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
