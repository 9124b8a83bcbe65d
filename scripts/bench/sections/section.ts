import type { ContenderName } from '../contenders.ts';
import type { Goal } from '../table.ts';
import type { TestbedOptions } from '../testbed.ts';

/** Options of a section. */
export interface SectionOptions extends TestbedOptions {
  /** Measured seconds of one contender in one round. */
  readonly seconds: number;
  readonly rounds: number;
  /** Length of the soak. */
  readonly minutes: number;
  /** Uses a tenth of the data, to try the benchmark itself. */
  readonly small: boolean;
  /** Contenders of the mix instead of the section's own. */
  readonly contenders?: readonly ContenderName[];
}

/** Result of a section. */
export interface SectionResult {
  /** The data for --json. */
  readonly data: unknown;
  /** The lines of the report. */
  readonly lines: readonly string[];
  readonly goals: readonly Goal[];
}
