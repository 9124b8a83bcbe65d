import type { Pinning } from '../pinning.ts';
import type { Goal } from '../table.ts';

/** How a section is to run. */
export interface SectionOptions {
  readonly pinning: Pinning;
  /** Measured seconds of one contender in one round. */
  readonly seconds: number;
  readonly rounds: number;
  /** A tenth of the data: to try the benchmark itself. */
  readonly small: boolean;
}

/** What a section found. */
export interface SectionResult {
  /** For --json. */
  readonly data: unknown;
  /** For a person. */
  readonly lines: readonly string[];
  readonly goals: readonly Goal[];
}
