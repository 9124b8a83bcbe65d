import { InvalidInputError, messageOf } from '../../core/errors.ts';
import type { CurveName } from '../../core/ranking/curves.ts';
import { parseRules } from '../../core/rules/parse-rules.ts';
import { checkInputs } from '../../imports/check-inputs.ts';
import type { GivenFormat } from '../../imports/choose-format.ts';
import { curveOfFiles, type FormatCurve } from '../../imports/curve-choice.ts';
import { type DryRunResult, dryRun } from '../../imports/dry-run.ts';
import { rulesOfInputs } from '../../imports/import-rules.ts';
import { type Input, openInput } from '../../imports/inputs.ts';
import type { LevelChoice } from '../../imports/levels.ts';
import { load, readGuildState } from '../../imports/load.ts';
import type { LoadTarget } from '../../imports/load-job.ts';
import { IncompleteRun } from '../../imports/outcome.ts';
import { hiddenNotice, Problems } from '../../imports/problems.ts';
import type { Progress, Reading } from '../../imports/reading.ts';
import { REFUSED_HEADER, refusedLine } from '../../imports/refused-rows.ts';
import { summaryLine } from '../../imports/summary.ts';
import { PAGE_ADVICE, problemOf } from '../sentences.ts';
import type { UploadedFile } from '../upload.ts';

/** What a person chose for an import. */
export interface ImportChoice extends Partial<GivenFormat> {
  /** Name of the file, or of all of them, for messages. */
  readonly name: string;
  readonly files: readonly UploadedFile[];
  /** Undefined = that of the guild, or of the format. */
  readonly curve: CurveName | undefined;
}

/** What a file has. */
export interface CheckedFile {
  readonly preview: DryRunResult['preview'];
  /** Lines for the person, such as what was detected. */
  readonly notes: readonly string[];
  /** Why rows will be left out, with their places. */
  readonly refused: readonly string[];
  /** Says why members can be missing or wrong, such as a missing page; undefined for no reason. */
  readonly missing: string | undefined;
  /** The rules that came with the members; undefined for none. */
  readonly rules: Rules | undefined;
}

/** Rules of a bot, checked, and the multiplier of all XP. */
interface Rules {
  readonly text: string;
  readonly multiplier: number | undefined;
}

/** How a person wants the members to be loaded. */
export interface LoadChoice {
  readonly replace: boolean;
  /** Undefined = refuse levels that the curve does not give. */
  readonly levels: LevelChoice | undefined;
  /** Stores the rules that came with the members too. */
  readonly withRules: boolean;
}

/** A load that runs, or has ended. */
export interface ImportRun extends LoadChoice {
  readonly name: string;
  readonly notes: string[];
  /** Members read so far. */
  members: number;
  /** Share of the file that was read, 0 to 1. */
  share: number;
  /** Why rows were left out, with their places. */
  refused: readonly string[];
  /** The first rows that were left out, as CSV. */
  refusedCsv: string;
  /** The last line, once it has ended. */
  summary?: string;
  /** Whether all good rows are loaded. */
  isComplete: boolean;
  /** Why not everything was loaded. */
  problem?: string;
}

/** A file that takes longer to read is for the command. A small archive can hold a text of any length. */
const CHECK_MS = 30_000;
/** Members of a file that are told apart. Many files are read at the same time. */
const MAX_DISTINCT = 50_000;

/** Characters of the list of refused rows. */
const MAX_REFUSED = 1 << 20;

/**
 * Reads files once, and writes nothing.
 * @throws InvalidInputError when they cannot be read, or that takes longer than 30 s. UnknownFieldsError when a person has to say which
 * field is which.
 */
export async function checkFiles(target: LoadTarget, guildId: string, choice: ImportChoice): Promise<CheckedFile> {
  const notes: string[] = [];
  const signal = AbortSignal.timeout(CHECK_MS);
  const progress: Progress = {
    advice: PAGE_ADVICE,
    update: () => {},
    write: (line) => notes.push(shortened(line)),
  };
  const state = await readGuildState(target, guildId, false);
  const checking = read(choice, signal, progress, new Problems(), async (reading, formatCurve) => {
    const { doubts, notices } = checkInputs(reading.inputs);
    const missing = doubts.length > 0 ? shortened(doubts.join('; ')) : undefined;
    notes.push(...notices);
    const rules = rulesOf(reading, progress);
    const result = await dryRun(reading, {
      guild: guildId,
      state,
      curve: choice.curve,
      formatCurve,
      levels: undefined,
      maxDistinct: MAX_DISTINCT,
    });
    const hidden = hiddenNotice(reading.inputs, result.preview.hidden);
    if (hidden) notes.push(hidden);
    return { ...result, missing, rules, refused: reading.problems.lines().map(shortened) };
  });
  const result = await checking.catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  if (!result || signal.aborted) throw new InvalidInputError('It takes too long to read here: use the command "seed"');
  const { preview, notice, outcome, missing, rules, refused } = result;
  if (notice) notes.push(shortened(notice));
  if (outcome instanceof IncompleteRun && outcome.reason === 'levels') notes.push(shortened(outcome.message));
  return { preview, notes, refused, missing, rules };
}

/** Returns the checked rules that came with the members. Rules that do not fit are told, and not offered. */
function rulesOf({ inputs }: Reading, progress: Progress): Rules | undefined {
  try {
    const found = rulesOfInputs(inputs);
    if (!found) return undefined;
    parseRules(found.rules);
    for (const notice of found.notices) progress.write(`rules: ${notice}`);
    return { text: JSON.stringify(found.rules), multiplier: found.multiplier };
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    progress.write(`the rules that came along do not fit: ${error.message}`);
    return undefined;
  }
}

/**
 * Loads files into a guild. However it ends, the run says so, and this is no error.
 * @param run is told of the progress, and of the end.
 * @param maxCreated new members, as `LoadJob` takes it.
 * @returns the last line.
 */
export async function loadFiles(
  target: LoadTarget,
  guild: string,
  choice: ImportChoice & Pick<CheckedFile, 'rules'>,
  run: ImportRun,
  signal: AbortSignal,
  maxCreated: number,
): Promise<string> {
  let size = 1;
  const progress: Progress = {
    update: (done, members) => Object.assign(run, { members, share: Math.min(1, done / size) }),
    advice: PAGE_ADVICE,
    write: (line) => run.notes.push(shortened(line)),
  };
  run.refusedCsv = REFUSED_HEADER;
  const problems = new Problems((row) => {
    if (run.refusedCsv.length < MAX_REFUSED) run.refusedCsv += refusedLine(row);
  });
  try {
    const { summary, outcome } = await read(choice, signal, progress, problems, (reading, formatCurve) => {
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
      return load(target, job);
    });
    if (outcome && !summary.complete) run.problem = shortened(problemOf(outcome) ?? outcome.message);
    run.isComplete = summary.complete;
    if (run.withRules && choice.rules && summary.complete) await storeRules(target, guild, choice.rules);
    run.summary = summaryLine(summary);
  } catch (error) {
    // A person can stop it before the file is open.
    const stopped = `Interrupted: nothing was ${run.replace ? 'replaced' : 'loaded'}`;
    run.problem = signal.aborted ? stopped : shortened(problemOf(error) ?? messageOf(error));
    run.summary ??= 'Stopped before anything was loaded';
  }
  run.refused = problems.lines().map(shortened);
  return run.summary;
}

async function storeRules({ guildConfig }: LoadTarget, guild: string, { text, multiplier }: Rules): Promise<void> {
  await guildConfig.setRules(guild, text);
  if (multiplier !== undefined) await guildConfig.update(guild, { xpMultiplier: multiplier });
}

/** Opens files, hands them to `take`, and closes them however that ends. */
async function read<T>(
  { files, format, map, sourceGuild, curve }: ImportChoice,
  signal: AbortSignal,
  progress: Progress,
  problems: Problems,
  take: (reading: Reading, formatCurve: FormatCurve | undefined) => Promise<T>,
): Promise<T> {
  const inputs: Input[] = [];
  try {
    for (const { path, name } of files) {
      const input = await openInput(path, { format, map, sourceGuild, name: name || 'file' }, signal, progress);
      if (!format && input.format !== inputs.at(-1)?.format) progress.write(`format: ${input.format} (detected)`);
      inputs.push(input);
    }
    return await take(
      { inputs, strict: false, problems, progress, signal },
      curve ? undefined : curveOfFiles(inputs, PAGE_ADVICE),
    );
  } finally {
    await Promise.all(inputs.map((input) => input.close()));
  }
}

/** A line can quote a whole field of the file. */
const LONGEST_LINE = 500;

/** Returns a line of at most about 500 characters. */
export function shortened(line: string): string {
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)} …` : line;
}
