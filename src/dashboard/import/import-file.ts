import { InvalidInputError, messageOf } from '../../core/errors.ts';
import type { CurveName } from '../../core/ranking/curves.ts';
import { curveOfFiles, type FormatCurve } from '../../imports/curve-choice.ts';
import { type DryRunResult, dryRun } from '../../imports/dry-run.ts';
import type { FormatName } from '../../imports/formats.ts';
import { openInput } from '../../imports/inputs.ts';
import type { LevelChoice } from '../../imports/levels.ts';
import { load, readGuildState } from '../../imports/load.ts';
import type { LoadTarget } from '../../imports/load-job.ts';
import { IncompleteRun } from '../../imports/outcome.ts';
import { Problems } from '../../imports/problems.ts';
import type { Progress, Reading } from '../../imports/reading.ts';
import { summaryLine } from '../../imports/summary.ts';
import { PAGE_ADVICE, problemOf } from '../sentences.ts';

/** What a person chose for an import. */
export interface ImportChoice {
  /** Name of the file, for messages. */
  readonly name: string;
  /** Undefined = detect it. */
  readonly format: FormatName | undefined;
  /** Undefined = that of the guild, or of the format. */
  readonly curve: CurveName | undefined;
}

/** What a file has. */
export interface CheckedFile {
  readonly preview: DryRunResult['preview'];
  /** Lines for the person: what was detected, and the first bad rows with their places. */
  readonly notes: readonly string[];
}

/** How a person wants the members to be loaded. */
export interface LoadChoice {
  readonly replace: boolean;
  /** Undefined = refuse levels that the curve does not give. */
  readonly levels: LevelChoice | undefined;
}

/** A load that runs, or has ended. */
export interface ImportRun extends LoadChoice {
  readonly name: string;
  readonly notes: string[];
  /** Members read so far. */
  members: number;
  /** Share of the file that was read, 0 to 1. */
  share: number;
  /** The last line, once it has ended. */
  summary?: string;
  /** Why not everything was loaded. */
  problem?: string;
}

/** A file that takes longer to read is for the command. A small archive can hold a text of any length. */
const CHECK_MS = 30_000;
/** Members of a file that are told apart. Many files are read at the same time. */
const MAX_DISTINCT = 50_000;

/**
 * Reads a file once, and writes nothing.
 * @throws InvalidInputError when it cannot be read, or takes longer than 30 s.
 */
export async function checkFile(
  target: LoadTarget,
  guildId: string,
  path: string,
  choice: ImportChoice,
): Promise<CheckedFile> {
  const notes: string[] = [];
  const signal = AbortSignal.timeout(CHECK_MS);
  const progress: Progress = {
    advice: PAGE_ADVICE,
    update: () => {},
    write: (line) => notes.push(shortened(line)),
  };
  const state = await readGuildState(target, guildId, false);
  const checking = read(path, choice, signal, progress, (reading, formatCurve) =>
    dryRun(reading, {
      guild: guildId,
      state,
      curve: choice.curve,
      formatCurve,
      levels: undefined,
      maxDistinct: MAX_DISTINCT,
    }),
  );
  const result = await checking.catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  if (!result || signal.aborted) throw new InvalidInputError('It takes too long to read here: use the command "seed"');
  const { preview, notice, outcome } = result;
  if (notice) notes.push(shortened(notice));
  if (outcome instanceof IncompleteRun && outcome.reason === 'levels') notes.push(shortened(outcome.message));
  return { preview, notes };
}

/**
 * Loads a file into a guild. However it ends, the run says so, and this is no error.
 * @param run is told of the progress, and of the end.
 * @param maxCreated new members, as `LoadJob` takes it.
 * @returns the last line.
 */
export async function loadFile(
  target: LoadTarget,
  guild: string,
  choice: ImportChoice & { readonly path: string },
  run: ImportRun,
  signal: AbortSignal,
  maxCreated: number,
): Promise<string> {
  let size = 0;
  const progress: Progress = {
    update: (done, members) => Object.assign(run, { members, share: Math.min(1, done / size) }),
    advice: PAGE_ADVICE,
    write: (line) => run.notes.push(shortened(line)),
  };
  try {
    const { summary, outcome } = await read(choice.path, choice, signal, progress, (reading, formatCurve) => {
      size = Math.max(1, reading.inputs[0]?.size ?? 1);
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
      return load(target, job);
    });
    if (outcome) run.problem = shortened(problemOf(outcome) ?? outcome.message);
    run.summary = summaryLine(summary);
  } catch (error) {
    // A person can stop it before the file is open.
    const stopped = `Interrupted: nothing was ${run.replace ? 'replaced' : 'loaded'}`;
    run.problem = signal.aborted ? stopped : shortened(problemOf(error) ?? messageOf(error));
    run.summary = 'Stopped before anything was loaded';
  }
  return run.summary;
}

/** Opens a file, hands it to `take`, and closes it however that ends. */
async function read<T>(
  path: string,
  { name, format, curve }: ImportChoice,
  signal: AbortSignal,
  progress: Progress,
  take: (reading: Reading, formatCurve: FormatCurve | undefined) => Promise<T>,
): Promise<T> {
  const input = await openInput(path, { format, name }, signal, progress);
  try {
    if (!format) progress.write(`format: ${input.format} (detected)`);
    const reading = { inputs: [input], strict: false, problems: new Problems(), progress, signal };
    return await take(reading, curve ? undefined : curveOfFiles([input], PAGE_ADVICE));
  } finally {
    await input.close();
  }
}

/** A line can quote a whole field of the file. */
const LONGEST_LINE = 500;

/** Returns a line of at most about 500 characters. */
export function shortened(line: string): string {
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)} …` : line;
}
