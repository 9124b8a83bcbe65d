import { type Command, Option } from 'commander';
import { parseConfig } from '../config.ts';
import { InvalidInputError } from '../errors.ts';
import { curveOfFormats } from '../import/curve-choice.ts';
import { dryRun } from '../import/dry-run.ts';
import { FORMAT_NAMES, type FormatName } from '../import/formats.ts';
import { generateEntries } from '../import/generate.ts';
import { IncompleteRun } from '../import/incomplete-run.ts';
import { type Input, openInput } from '../import/inputs.ts';
import { load } from '../import/load.ts';
import { Problems } from '../import/problems.ts';
import { summaryJson, summaryLine } from '../import/summary.ts';
import { CURVE_NAMES, type CurveName } from '../leaderboard/curves.ts';
import { parseId, parseMemberCount } from './arguments.ts';
import { INTERRUPTED, Interrupt } from './interrupt.ts';
import { previewLines } from './preview.ts';
import { startProgress } from './progress.ts';
import { withServices } from './services.ts';
import { PartialResult, print, program } from './terminal.ts';

interface SeedOptions {
  readonly guild: string;
  readonly file?: readonly string[];
  readonly generate?: number;
  readonly randomSeed: string;
  readonly format?: FormatName;
  readonly curve?: CurveName;
  readonly plan?: string;
  readonly dryRun?: boolean;
  readonly replace?: boolean;
  readonly strict?: boolean;
  readonly json?: boolean;
}

const HELP = `
Examples:
  npm run seed -- --guild 123456789012345678 --file members.csv
  npm run seed -- --guild 123456789012345678 --file page-0.json page-1.json --dry-run
  npm run seed -- --guild 123456789012345678 --file export.json --replace
  zcat members.csv.gz | npm run seed -- --guild 123456789012345678 --file -
  npm run seed -- --guild demo --generate 100000

Exit codes:
  0    everything was loaded
  1    it failed, or --strict met a bad row, or --replace found one and replaced nothing
  2    bad rows were skipped, all others were loaded
  130  it was interrupted; run it again to load the rest

XP is set, not added: running it again changes nothing. The formats are described in docs/importing.md.`;

const EXIT_CODES = { skipped: 2, interrupted: INTERRUPTED } as const;

/** Returns `seed`, which loads members into a guild from files, or generates them. */
export function seedCommand(): Command {
  return program('seed', 'Load XP data into a guild, from files or made up')
    .requiredOption('--guild <id>', 'guild to load into', parseId)
    .option('--file <path...>', 'files to load, in order; - is the standard input')
    .option('--generate <n>', 'load n made-up members instead', parseMemberCount)
    .option('--random-seed <text>', 'other made-up members; the same for the same text', '1')
    .addOption(new Option('--format <name>', 'format of the files (found out when left out)').choices(FORMAT_NAMES))
    .addOption(new Option('--curve <name>', 'curve by which the guild counts levels').choices(CURVE_NAMES))
    .option('--plan <name>', "the guild's plan, one of PLAN_QUOTAS")
    .option('--replace', "put them in the place of the guild's members; readers never see it empty")
    .option('--dry-run', 'write nothing, need no Redis; show a summary and the first ten')
    .option('--strict', 'stop at the first bad row instead of skipping it')
    .option('--json', 'print the summary as JSON')
    .addHelpText('after', HELP)
    .action(seed);
}

async function seed(options: SeedOptions): Promise<void> {
  if ((options.file === undefined) === (options.generate === undefined)) {
    throw new InvalidInputError('Give either --file or --generate');
  }
  checkPlan(options.plan);
  const interrupt = new Interrupt();
  try {
    const inputs = await openInputs(options, interrupt.signal);
    const outcome = await (options.dryRun ? preview(options, inputs, interrupt) : write(options, inputs, interrupt));
    if (outcome instanceof IncompleteRun) throw new PartialResult(outcome.message, EXIT_CODES[outcome.reason]);
    if (outcome) throw outcome;
  } finally {
    interrupt.end();
  }
}

/** Reads the inputs and prints what they would load. @returns the error to report after that. */
async function preview(
  options: SeedOptions,
  inputs: readonly Input[],
  interrupt: Interrupt,
): Promise<Error | undefined> {
  const { guild, curve, json } = options;
  const formatCurve = formatCurveOf(options, inputs);
  const { reading, stop } = startReading(options, inputs, interrupt);
  const { preview, notice, outcome } = await dryRun(reading, { guild, curve, formatCurve }).finally(stop);
  print(json, preview, () => previewLines(preview, notice));
  return outcome;
}

/** Loads the inputs and prints the summary. @returns the error to report after that. */
async function write(options: SeedOptions, inputs: readonly Input[], interrupt: Interrupt): Promise<Error | undefined> {
  const { guild, curve, plan, replace = false, json } = options;
  const formatCurve = formatCurveOf(options, inputs);
  const { summary, outcome } = await withServices((services) => {
    const { reading, stop } = startReading(options, inputs, interrupt);
    return load(services, { guild, reading, stop: interrupt, replace, plan, curve, formatCurve }).finally(stop);
  });
  print(json, summaryJson(summary), () => summaryLine(summary));
  return outcome;
}

function formatCurveOf({ curve }: SeedOptions, inputs: readonly Input[]) {
  return curve ? undefined : curveOfFormats(inputs.flatMap(({ format }) => format ?? []));
}

/** Starts the progress bar. @returns the reading of the inputs, and a function that removes the bar. */
function startReading({ strict = false }: SeedOptions, inputs: readonly Input[], { signal }: Interrupt) {
  const progress = startProgress(totalSize(inputs));
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

async function openInputs(options: SeedOptions, signal: AbortSignal): Promise<Input[]> {
  const { generate, randomSeed, file = [], format } = options;
  if (generate !== undefined) {
    const entries: Input['entries'] = (onRead) => generateEntries(generate, randomSeed, onRead);
    return [{ name: 'generated', unit: 'element', size: generate, entries }];
  }
  if (new Set(file).size < file.length) throw new InvalidInputError('--file names the same file twice');
  const warn = (line: string): void => void process.stderr.write(`${line}\n`);
  const inputs: Input[] = [];
  for (const path of file) {
    const input = await openInput(path, format, signal, warn);
    if (!format) warn(`${input.name}: ${input.format} (detected)`);
    inputs.push(input);
  }
  return inputs;
}

function checkPlan(plan: string | undefined): void {
  const plans = [...parseConfig(process.env).planQuotas.keys()];
  if (plan !== undefined && !plans.includes(plan)) {
    throw new InvalidInputError(`There is no plan ${plan}: choose one of ${plans.join(', ')} (PLAN_QUOTAS names them)`);
  }
}
