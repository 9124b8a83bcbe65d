import { closeSync, openSync, writeSync } from 'node:fs';
import type { Core } from '../core/core.ts';
import { InvalidInputError, messageOf, RefusedError } from '../core/errors.ts';
import type { CurveText } from '../core/ranking/curves.ts';
import { parseRules } from '../core/rules/parse-rules.ts';
import { checkInputs } from '../imports/check-inputs.ts';
import type { FieldMap } from '../imports/choose-format.ts';
import { curveOfFiles } from '../imports/curve-choice.ts';
import { dryRun } from '../imports/dry-run.ts';
import type { FormatName } from '../imports/formats.ts';
import { generateEntries } from '../imports/generate.ts';
import { rulesOfInputs } from '../imports/import-rules.ts';
import { type Input, openInput } from '../imports/inputs.ts';
import type { LevelChoice } from '../imports/levels.ts';
import { load } from '../imports/load.ts';
import { IncompleteRun } from '../imports/outcome.ts';
import { hiddenNotice, Problems, type RefusedRow } from '../imports/problems.ts';
import type { Reading } from '../imports/reading.ts';
import { REFUSED_HEADER, refusedLine } from '../imports/refused-rows.ts';
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
  readonly map?: FieldMap;
  readonly sourceGuild?: string;
  readonly curve?: CurveText;
  readonly levels?: LevelChoice;
  readonly plan?: string;
  readonly dryRun?: boolean;
  readonly replace?: boolean;
  readonly strict?: boolean;
  readonly rules?: boolean;
  readonly refused?: string;
}

/** Members that are told apart: half a gigabyte in a dry run, which keeps the XP of each, and 100 MB in a load. */
const MAX_DISTINCT = { dryRun: 5_000_000, load: 5_000_000 };
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
    tellInputs(context, options, inputs);
    const run = options.dryRun ? preview : write;
    try {
      return await run(context, options, inputs, interrupt);
    } finally {
      await Promise.all(inputs.map((input) => input.close()));
    }
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
  const rules = takeRules(context, options, inputs);
  const { reading, stop } = startReading(context, options, inputs, interrupt);
  const job = { guild, curve, formatCurve, levels, maxDistinct: MAX_DISTINCT.dryRun };
  const result = await dryRun(reading, job).finally(stop);
  print(context, json, result.preview, () => previewLines(context, result));
  tellRefused(context, reading, result.preview.hidden);
  if (rules) context.stderr.write(`${rules.file}: its rules would be stored\n`);
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
  const rules = takeRules(context, options, inputs);
  const { summary, outcome, reading } = await withCore(context, async (services) => {
    const { reading, stop } = startReading(context, options, inputs, interrupt);
    const choices = { replace, plan, curve, formatCurve, levels };
    const holdExit = () => interrupt.holdExit();
    const job = { guild, reading, holdExit, ...choices, maxDistinct: MAX_DISTINCT.load };
    const result = await load(services, job).finally(stop);
    if (rules && result.summary.complete) await storeRules(services, guild, rules);
    return { ...result, reading };
  });
  print(context, json, summary, () => summaryLine(summary));
  tellRefused(context, reading, summary.hidden);
  if (rules && summary.complete) context.stderr.write(`${rules.file}: its rules are stored\n`);
  return outcome;
}

/**
 * Says what the inputs tell together, such as which pages are missing.
 * @throws InvalidInputError when members can be missing or wrong, and the present ones would be replaced.
 */
function tellInputs(
  { stderr }: CommandContext,
  { replace, dryRun: isDry }: SeedOptions,
  inputs: readonly Input[],
): void {
  const { doubts, notices } = checkInputs(inputs);
  for (const notice of notices) stderr.write(`${notice}\n`);
  if (doubts.length > 0 && replace && !isDry)
    throw new InvalidInputError(
      `${doubts.join('; ')}: nothing was replaced. Complete the files, or ${COMMAND_ADVICE.loadWithoutReplacing}`,
    );
  for (const doubt of doubts) stderr.write(`${doubt}\n`);
}

/** Returns the checked rules of the inputs, if a person wants them. @throws UsageError when the inputs have none. */
function takeRules({ stderr }: CommandContext, { rules: wanted }: SeedOptions, inputs: readonly Input[]) {
  const rules = rulesOfInputs(inputs);
  if (!wanted) {
    if (rules) stderr.write(`${rules.file}: it has rules of XP and roles too: add --rules to store them\n`);
    return undefined;
  }
  if (!rules) throw new UsageError('--rules stores the rules that came with the members, and there are none');
  parseRules(rules.rules);
  for (const notice of rules.notices) stderr.write(`${rules.file}: ${notice}\n`);
  return rules;
}

async function storeRules(
  { guildConfig }: Core,
  guild: string,
  { rules, multiplier }: NonNullable<ReturnType<typeof takeRules>>,
): Promise<void> {
  await guildConfig.setRules(guild, JSON.stringify(rules));
  if (multiplier !== undefined) await guildConfig.update(guild, { xpMultiplier: multiplier });
}

/** Tells which rows were left out, and why, and what is to know of hidden members. */
function tellRefused({ stderr }: CommandContext, { inputs, problems }: Reading, hidden: number): void {
  const notice = hiddenNotice(inputs, hidden);
  if (notice) stderr.write(`${notice}\n`);
  for (const line of problems.lines()) stderr.write(`${line}\n`);
}

function formatCurveOf({ curve }: SeedOptions, inputs: readonly Input[]) {
  return curve ? undefined : curveOfFiles(inputs, COMMAND_ADVICE);
}

/** Starts the progress bar. @returns the reading of the inputs, and a function that removes the bar. */
function startReading(
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

async function openInputs(
  { stdin, stderr }: CommandContext,
  options: SeedOptions,
  signal: AbortSignal,
): Promise<Input[]> {
  const { generate, randomSeed, file = [], format, map, sourceGuild } = options;
  if (generate !== undefined) {
    const entries: Input['entries'] = (onRead) => generateEntries(generate, randomSeed, onRead);
    return [{ name: 'generated', unit: 'element', size: generate, hasLevels: false, entries, close: async () => {} }];
  }
  if (new Set(file).size < file.length) throw new UsageError('--file names the same file twice');
  const warn = (line: string): void => void stderr.write(`${line}\n`);
  const inputs: Input[] = [];
  for (const path of file) {
    const from = path === '-' ? stdin : path;
    const input = await openInput(from, { format, map, sourceGuild }, signal, { write: warn, advice: COMMAND_ADVICE });
    // Files of one command mostly have the same format.
    if (!format && input.format !== inputs.at(-1)?.format)
      warn(`${input.name}: ${input.format ?? 'no members'} (detected)`);
    inputs.push(input);
  }
  return inputs;
}
