import { InvalidInputError } from '../errors.ts';
import type { Input } from './inputs.ts';
import type { Problems } from './problems.ts';
import type { Progress } from './progress.ts';
import type { SeedRow } from './rows.ts';

export interface Reading {
  readonly inputs: readonly Input[];
  /** Ends the reading with an error at the first bad row. */
  readonly strict: boolean;
  readonly problems: Problems;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** The first bad row of a strict run. */
export class BadRowError extends InvalidInputError {}

/**
 * Hands every member of the inputs, in order, to `take`, and waits where that answers with a promise.
 * @returns how many there were.
 * @throws BadRowError, InvalidInputError for a file that cannot be read on, AbortError when the signal was given.
 */
export async function readMembers(
  { inputs, strict, problems, progress, signal }: Reading,
  take: (row: SeedRow) => Promise<void> | undefined,
): Promise<number> {
  let members = 0;
  let done = 0;
  const onRead = (amount: number): void => {
    done += amount;
  };
  for (const input of inputs) {
    const place = `${input.name} ${input.unit}`;
    for await (const entries of input.entries(onRead)) {
      for (const entry of entries) {
        if (typeof entry.row === 'string') {
          if (strict) throw new BadRowError(`${place} ${entry.at}: ${entry.row}`);
          problems.add(place, entry);
          continue;
        }
        members++;
        const waiting = take(entry.row);
        if (waiting) await waiting;
      }
      progress.update(done, members);
      signal.throwIfAborted();
    }
  }
  return members;
}
