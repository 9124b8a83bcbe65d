import { InvalidInputError } from '../core/errors.ts';
import type { Reporter } from './advice.ts';
import type { Input } from './inputs.ts';
import type { Problems, RowPosition } from './problems.ts';
import type { ImportRow } from './rows.ts';

/** Receives the progress of a run. */
export interface ImportProgress extends Reporter {
  /** @param done amount read so far, in the unit of the inputs' sizes. @param members read so far. */
  update(done: number, members: number): void;
}

/** The inputs of a run, what to do with bad rows, and what receives the progress. */
export interface Reading {
  readonly inputs: readonly Input[];
  /** Whether the first bad row ends the reading with an error. */
  readonly strict: boolean;
  readonly problems: Problems;
  readonly progress: ImportProgress;
  readonly signal: AbortSignal;
}

/** A strict run has ended at its first bad row. */
export class BadRowError extends InvalidInputError {}

/**
 * Reads every member of the inputs, in order.
 * @param take called with each member and its position; a promise that it returns is awaited before the next member.
 * @throws BadRowError when strict; InvalidInputError for an unreadable file; AbortError when the signal is aborted.
 */
export async function readMembers(
  { inputs, strict, problems, progress, signal }: Reading,
  take: (row: ImportRow, position: RowPosition) => Promise<void> | undefined,
): Promise<void> {
  let members = 0;
  let done = 0;
  const onRead = (amount: number): void => {
    done += amount;
  };
  for (const input of inputs) {
    for await (const entries of input.entries(onRead)) {
      for (const entry of entries) {
        if (typeof entry.row === 'string') {
          if (strict) throw new BadRowError(`${input.name} ${input.unit} ${entry.at}: ${entry.row}`);
          problems.add(input, entry);
          continue;
        }
        members++;
        if (entry.avatarProblem !== undefined) problems.addAvatar({ input, at: entry.at }, entry.avatarProblem);
        const taken = take(entry.row, { input, at: entry.at });
        if (taken) await taken;
      }
      progress.update(done, members);
      signal.throwIfAborted();
    }
  }
}
