import { RefusedError } from '../core/errors.ts';
import { curveOfFiles } from '../imports/curve-choice.ts';
import { dryRun } from '../imports/dry-run.ts';
import { importMembers } from '../imports/import-members.ts';
import { storeRules } from '../imports/import-rules.ts';
import { summaryLine } from '../imports/import-summary.ts';
import type { Input } from '../imports/inputs.ts';
import { IncompleteRun } from '../imports/outcome.ts';
import type { CommandContext } from './context.ts';
import { dryRunLines } from './dry-run-lines.ts';
import { INTERRUPTED, REFUSED } from './exit-codes.ts';
import { type Interrupt, interruptible } from './interrupt.ts';
import { openInputs, tellInputs } from './seed-inputs.ts';
import type { SeedOptions } from './seed-options.ts';
import { startReading } from './seed-reading.ts';
import { SeedReport } from './seed-report.ts';
import { takeRules } from './seed-rules.ts';
import { COMMAND_ADVICE } from './sentences.ts';
import { PartialResult, print, UsageError } from './terminal.ts';
import { planQuotasOf, withCore } from './with-core.ts';

/** Members that are told apart. They take up to 140 MB in a dry run, which keeps the XP of each, and up to 70 MB in an import. */
const MAX_DISTINCT = { dryRun: 5_000_000, import: 5_000_000 };
const EXIT_CODES = { skipped: REFUSED, levels: REFUSED, interrupted: INTERRUPTED } as const;

/**
 * Runs `seed`: imports members into a guild, from files or generated.
 * @throws InvalidInputError for wrong options; PartialResult when not all rows were imported.
 */
export async function seed(context: CommandContext, options: SeedOptions): Promise<void> {
  if ((options.file === undefined) === (options.generate === undefined)) {
    throw new UsageError('Give either --file or --generate');
  }
  // Reports a wrong plan or a wrong setting before any input is read.
  planQuotasOf(context, options.plan);
  // Only an interruption while the inputs are opened throws. A later interruption ends the run, which reports what it has imported.
  const message = () => 'Interrupted: nothing was imported';
  const report = new SeedReport(context);
  const outcome = await interruptible(context, message, async (interrupt) => {
    try {
      return await runWith(context, options, report, interrupt);
    } finally {
      report.tellNotes();
    }
  });
  if (outcome instanceof IncompleteRun) throw new PartialResult(outcome.message, EXIT_CODES[outcome.reason]);
  // A script that refuses a record which was checked before shows a fault of the program, not of the guild.
  if (outcome instanceof RefusedError && 'index' in outcome.params) throw new Error(outcome.tell());
  if (outcome) throw outcome;
}

/** Opens the inputs, runs the import or the dry run, and closes the inputs. @returns the error to report after the run. */
async function runWith(
  context: CommandContext,
  options: SeedOptions,
  report: SeedReport,
  interrupt: Interrupt,
): Promise<Error | undefined> {
  const inputs = await openInputs(context, options, report, interrupt.signal);
  try {
    tellInputs(report, options, inputs);
    const run = options.dryRun ? preview : write;
    return await run(context, options, inputs, report, interrupt);
  } finally {
    await Promise.all(inputs.map((input) => input.close()));
  }
}

/** Reads the inputs and prints what they would import. @returns the error to report after that. */
async function preview(
  context: CommandContext,
  options: SeedOptions,
  inputs: readonly Input[],
  report: SeedReport,
  interrupt: Interrupt,
): Promise<Error | undefined> {
  const { guild, curve, levels, json } = options;
  const formatCurve = formatCurveOf(options, inputs);
  const rules = takeRules(report, options, inputs);
  const { reading, stop } = startReading(context, options, inputs, report, interrupt);
  const job = { guild, curve, formatCurve, levels, maxDistinct: MAX_DISTINCT.dryRun };
  const result = await dryRun(reading, job).finally(stop);
  print(context, json, result.preview, () => dryRunLines(context, result));
  report.tellReading(reading, result.preview.hidden, options);
  if (rules) report.tell(`${rules.file}: its rules would be stored: ${rules.words}`);
  return result.outcome;
}

/** Imports the inputs and prints the summary. @returns the error to report after that. */
async function write(
  context: CommandContext,
  options: SeedOptions,
  inputs: readonly Input[],
  report: SeedReport,
  interrupt: Interrupt,
): Promise<Error | undefined> {
  const { guild, curve, levels, plan, replace = false, json } = options;
  const formatCurve = formatCurveOf(options, inputs);
  const rules = takeRules(report, options, inputs);
  const { summary, outcome, reading } = await withCore(context, async (core) => {
    const { reading, stop } = startReading(context, options, inputs, report, interrupt);
    const choices = { replace, plan, curve, formatCurve, levels };
    const holdExit = () => interrupt.holdExit();
    const job = { guild, reading, holdExit, ...choices, maxDistinct: MAX_DISTINCT.import };
    const result = await importMembers(core, job).finally(stop);
    if (rules && result.summary.complete) await storeRules(core.guildConfig, guild, rules);
    return { ...result, reading };
  });
  print(context, json, summary, () => summaryLine(summary));
  report.tellReading(reading, summary.hidden, options);
  if (rules && summary.complete) report.tell(`${rules.file}: its rules are stored: ${rules.words}`);
  return outcome;
}

/** Returns the curve of the files, unless a person names a curve. */
function formatCurveOf({ curve }: SeedOptions, inputs: readonly Input[]) {
  return curve ? undefined : curveOfFiles(inputs, COMMAND_ADVICE);
}
