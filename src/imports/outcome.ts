import { InvalidInputError, RefusedError, StoreUnavailableError } from '../core/errors.ts';
import { withNoun } from '../core/format-numbers.ts';
import { explainFailure } from '../core/store/failures.ts';
import type { DistinctMembers } from './distinct-members.ts';
import type { Reading } from './read-members.ts';

/** A run that kept results but did not import every row. The message says what happened and what to do. */
export class IncompleteRun extends Error {
  constructor(
    message: string,
    /**
     * `skipped`: bad rows were skipped, all others are imported. `levels`: a person has to choose what to do with levels.
     * `interrupted`: the run was stopped.
     */
    readonly reason: 'skipped' | 'levels' | 'interrupted',
  ) {
    super(message);
  }
}

/** What an import has done so far. */
export interface ImportCounts {
  /** The records that Redis confirmed. */
  readonly members: DistinctMembers;
  imported: number;
  created: number;
  /** Rows that repeated a member of the inputs. */
  repeated: number;
  /** Only of a replacement: members removed. */
  removed?: number;
  /** Whether the swap of a replacement was sent. If its reply is lost, it is unknown whether the swap was done. */
  isSwapSent?: boolean;
}

/** Returns the error to report after an import that stopped early, with the state of the guild. */
export function outcomeOf(error: unknown, counts: ImportCounts, { progress, signal }: Reading): Error {
  if (error instanceof IncompleteRun) return error;
  const { runAgain } = progress.advice;
  const state = stateOf(counts, runAgain);
  if (error instanceof StoreUnavailableError && counts.isSwapSent)
    return new Error(`${explainFailure(error.reason)} (the guild has all old or all new members: ${runAgain})`);
  if (signal.aborted) return new IncompleteRun(`Interrupted: ${state}`, 'interrupted');
  if (error instanceof StoreUnavailableError) return new Error(`${explainFailure(error.reason)} (${state})`);
  if (error instanceof RefusedError) return error.after(state);
  // To run the same command again would not help: the same file would be refused again.
  if (error instanceof InvalidInputError)
    return new Error(`${error.message} (${stateOf(counts, 'correct the file and run it again')})`);
  return error instanceof Error ? error : new Error(`${error} (${state})`);
}

/** Says what the import has done to the guild, and what to do next. */
function stateOf({ imported, removed }: ImportCounts, advice: string): string {
  if (removed !== undefined) return 'nothing was replaced';
  return `${withNoun(imported, 'member')} ${imported === 1 ? 'was' : 'were'} imported, and the counters of the guild are exact: ${advice}`;
}
