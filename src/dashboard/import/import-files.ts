import { messageOf } from '../../core/errors.ts';
import type { ImportTarget } from '../../imports/import-job.ts';
import { importMembers } from '../../imports/import-members.ts';
import { storeRules } from '../../imports/import-rules.ts';
import { summaryLine } from '../../imports/import-summary.ts';
import type { LevelChoice } from '../../imports/level-check.ts';
import { Problems } from '../../imports/problems.ts';
import type { ImportProgress } from '../../imports/read-members.ts';
import { REFUSED_HEADER, refusedLine } from '../../imports/refused-rows.ts';
import { messageForPerson, PAGE_ADVICE } from '../sentences.ts';
import type { CheckedFile } from './check-files.ts';
import { type ImportChoice, MAX_DISTINCT, readFiles, shortened } from './read-files.ts';

/** How a person wants the members to be imported. */
export interface HowToImport {
  readonly replace: boolean;
  /** Undefined = refuse the import if levels differ from the curve. */
  readonly levels: LevelChoice | undefined;
  /** Whether to also store the rules that the files contain. */
  readonly withRules: boolean;
}

/** An import that runs, or has ended. */
export interface ImportRun extends HowToImport {
  readonly name: string;
  readonly notes: string[];
  /** Members read so far. */
  members: number;
  /** Share of the file that was read, 0 to 1. */
  share: number;
  /** Why rows were left out, with their positions. */
  refused: readonly string[];
  /** Which rows repeated a member. */
  repeated: readonly string[];
  /** Which avatars could not be read and were left out. */
  avatars: readonly string[];
  /** The first rows that were left out, as CSV. */
  refusedCsv: string;
  /** The last line, once it has ended. */
  summary?: string;
  /** The rules that came with the members and are stored now, in words. */
  storedRules?: string;
  /** Whether all good rows are imported. */
  isComplete: boolean;
  /** Why not everything was imported. */
  problem?: string;
}

/** Characters of the list of refused rows. */
const MAX_REFUSED = 1 << 20;

/**
 * Imports files into a guild. Never throws: however the import ends, `run` says so.
 * @param run receives the progress, and the result.
 * @param maxCreated most new members, as for `ImportJob`.
 * @returns the last line.
 */
export async function importFiles(
  target: ImportTarget,
  guild: string,
  choice: ImportChoice & Pick<CheckedFile, 'rules'>,
  run: ImportRun,
  signal: AbortSignal,
  maxCreated: number,
): Promise<string> {
  let size = 1;
  const progress: ImportProgress = {
    update: (done, members) => Object.assign(run, { members, share: Math.min(1, done / size) }),
    advice: PAGE_ADVICE,
    write: (line) => run.notes.push(shortened(line)),
  };
  run.refusedCsv = REFUSED_HEADER;
  const problems = new Problems((row) => {
    if (run.refusedCsv.length < MAX_REFUSED) run.refusedCsv += refusedLine(row);
  });
  try {
    const { summary, outcome } = await readFiles(choice, signal, progress, problems, (reading, formatCurve) => {
      size = Math.max(
        1,
        reading.inputs.reduce((sum, input) => sum + input.size, 0),
      );
      const { replace, levels } = run;
      const job = {
        guild,
        reading,
        replace,
        levels,
        plan: undefined,
        maxCreated,
        maxDistinct: MAX_DISTINCT,
        curve: choice.curve,
        formatCurve,
      };
      return importMembers(target, job);
    });
    if (outcome && !summary.complete) run.problem = shortened(messageForPerson(outcome) ?? outcome.message);
    run.isComplete = summary.complete;
    if (run.withRules && choice.rules && summary.complete) {
      await storeRules(target.guildConfig, guild, choice.rules);
      run.storedRules = choice.rules.words;
    }
    run.summary = summaryLine(summary, 'This server');
  } catch (error) {
    // A person can stop it before the file is open.
    const stopped = `Interrupted: nothing was ${run.replace ? 'replaced' : 'imported'}`;
    run.problem = signal.aborted ? stopped : shortened(messageForPerson(error) ?? messageOf(error));
    run.summary ??= 'Stopped before anything was imported';
  }
  run.refused = problems.lines().map(shortened);
  run.repeated = problems.repeatedLines().map(shortened);
  run.avatars = problems.avatarLines().map(shortened);
  return run.summary;
}
