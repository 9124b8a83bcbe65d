import { RefusedError } from '../core/errors.ts';
import type { CurveText } from '../core/ranking/curves.ts';
import { curveOfFiles } from '../imports/curve-choice.ts';
import { dryRun } from '../imports/dry-run.ts';
import type { FormatName } from '../imports/formats.ts';
import { generateEntries } from '../imports/generate.ts';
import { type Input, openInput } from '../imports/inputs.ts';
import type { LevelChoice } from '../imports/levels.ts';
import { load } from '../imports/load.ts';
import { IncompleteRun } from '../imports/outcome.ts';
import { Problems } from '../imports/problems.ts';
import { summaryLine } from '../imports/summary.ts';
import type { GuildOptions } from './arguments.ts';
import type { CommandContext } from './context.ts';
import { INTERRUPTED, REFUSED } from './exit-codes.ts';
import { type Interrupt, interruptible } from './interrupt.ts';
import { previewLines } from './preview.ts';
import { startProgress } from './progress.ts';
import { COMMAND_ADVICE } from './sentences.ts';
import { PartialResult, print, UsageError } from './terminal.ts';
import { planQuotasOf, withCore } from './with-core.ts';

export interface SeedOptions extends GuildOptions {
  readonly file?: readonly string[];
  readonly generate?: number;
  readonly randomSeed: string;
  readonly format?: FormatName;
  readonly curve?: CurveText;
  readonly levels?: LevelChoice;
  readonly plan?: string;
  readonly dryRun?: boolean;
  readonly replace?: boolean;
  readonly strict?: boolean;
}

/** Members that a dry run tells apart: half a gigabyte. A load needs its memory for less. */
const MAX_DISTINCT = { dryRun: 5_000_000, load: 1_000_000 };
const EXIT_CODES = { skipped: REFUSED, levels: REFUSED, interrupted: INTERRUPTED } as const;

/**
 * Runs `seed`: loads members into a guild, from files or generated.
 * @throws InvalidInputError for wrong options; PartialResult when not all rows were loaded.
 */
export async function seed(context: CommandContext, options: SeedOptions): Promise<void> {
  if ((options.file === undefined) === (options.generate === undefined)) {
    throw new UsageError('Give either --file or --generate');
  }
  // A wrong plan, or another wrong setting, is told before any input is read.
  planQuotasOf(context, options.plan);
  // While it waits for the beginning of a pipe, nothing is loaded yet.
  const message = () => 'Interrupted: nothing was loaded';
  const outcome = await interruptible(context, message, async (interrupt) => {
    const inputs = await openInputs(context, options, interrupt.signal);
    const run = options.dryRun ? preview : write;
    return run(context, options, inputs, interrupt);
  });
  if (outcome instanceof IncompleteRun) throw new PartialResult(outcome.message, EXIT_CODES[outcome.reason]);
  // What a script refuses of a load is a failure of it. Other refusals are about the guild.
  if (outcome instanceof RefusedError && 'index' in outcome.params) throw new Error(outcome.tell());
  if (outcome) throw outcome;
}

/** Reads the inputs and prints what they would load. @returns the error to report after that. */
async function preview(
  context: CommandContext,
  options: SeedOptions,
  inputs: readonly Input[],
  interrupt: Interrupt,
): Promise<Error | undefined> {
  const { guild, curve, levels, json } = options;
  const formatCurve = formatCurveOf(options, inputs);
  const { reading, stop } = startReading(context, options, inputs, interrupt);
  const job = { guild, curve, formatCurve, levels, maxDistinct: MAX_DISTINCT.dryRun };
  const result = await dryRun(reading, job).finally(stop);
  print(context, json, result.preview, () => previewLines(context, result));
  return result.outcome;
}

/** Loads the inputs and prints the summary. @returns the error to report after that. */
async function write(
  context: CommandContext,
  options: SeedOptions,
  inputs: readonly Input[],
  interrupt: Interrupt,
): Promise<Error | undefined> {
  const { guild, curve, levels, plan, replace = false, json } = options;
  const formatCurve = formatCurveOf(options, inputs);
  const { summary, outcome } = await withCore(context, (services) => {
    const { reading, stop } = startReading(context, options, inputs, interrupt);
    const reopen = reopening(options, inputs, interrupt.signal);
    const choices = { replace, plan, curve, formatCurve, levels };
    const holdExit = () => interrupt.holdExit();
    const job = { guild, reading, holdExit, ...choices, reopen, maxDistinct: MAX_DISTINCT.load };
    return load(services, job).finally(stop);
  });
  print(context, json, summary, () => summaryLine(summary));
  return outcome;
}

/** The second reading of a file says nothing that the first has said. */
const SILENT = { write: () => {}, advice: COMMAND_ADVICE };

/** Returns a function that opens the files once more; undefined for generated members, and with a pipe, which can be read once only. */
function reopening({ file, format }: SeedOptions, inputs: readonly Input[], signal: AbortSignal) {
  if (!file || inputs.some(({ size }) => size === undefined)) return undefined;
  return () => Promise.all(file.map((path) => openInput(path, format, signal, SILENT)));
}

function formatCurveOf({ curve }: SeedOptions, inputs: readonly Input[]) {
  return curve ? undefined : curveOfFiles(inputs, COMMAND_ADVICE);
}

/** Starts the progress bar. @returns the reading of the inputs, and a function that removes the bar. */
function startReading(
  { stderr }: CommandContext,
  { strict = false }: SeedOptions,
  inputs: readonly Input[],
  { signal }: Interrupt,
) {
  const progress = startProgress(totalSize(inputs), stderr);
  const problems = new Problems((line) => progress.write(line));
  return { reading: { inputs, strict, problems, progress, signal }, stop: () => progress.stop() };
}

/** Returns the sum of the inputs' sizes, or undefined when one of them is unknown. */
function totalSize(inputs: readonly Input[]): number | undefined {
  let sum = 0;
  for (const { size } of inputs) {
    if (size === undefined) return undefined;
    sum += size;
  }
  return sum;
}

async function openInputs(
  { stdin, stderr }: CommandContext,
  options: SeedOptions,
  signal: AbortSignal,
): Promise<Input[]> {
  const { generate, randomSeed, file = [], format } = options;
  if (generate !== undefined) {
    const entries: Input['entries'] = (onRead) => generateEntries(generate, randomSeed, onRead);
    return [{ name: 'generated', unit: 'element', size: generate, entries, close: () => {} }];
  }
  if (new Set(file).size < file.length) throw new UsageError('--file names the same file twice');
  const warn = (line: string): void => void stderr.write(`${line}\n`);
  const inputs: Input[] = [];
  for (const path of file) {
    const input = await openInput(path === '-' ? stdin : path, format, signal, { write: warn, advice: COMMAND_ADVICE });
    // Files of one command mostly have the same format.
    if (!format && input.format !== inputs.at(-1)?.format) warn(`${input.name}: ${input.format} (detected)`);
    inputs.push(input);
  }
  return inputs;
}
