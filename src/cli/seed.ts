import { InvalidArgumentError, Option } from 'commander';
import { parseConfig } from '../config.ts';
import { InvalidInputError } from '../errors.ts';
import { curveOfFormats } from '../import/curve-choice.ts';
import { dryRun } from '../import/dry-run.ts';
import { FORMAT_NAMES, type FormatName } from '../import/formats.ts';
import { generateEntries } from '../import/generate.ts';
import { type Input, openInput } from '../import/inputs.ts';
import { Interrupt } from '../import/interrupt.ts';
import { load } from '../import/load.ts';
import { Problems } from '../import/problems.ts';
import { startProgress } from '../import/progress.ts';
import { summaryJson, summaryLine } from '../import/summary.ts';
import { CURVE_NAMES, type CurveName } from '../leaderboard/curves.ts';
import { withStore } from './store.ts';
import { id, print, program, run } from './terminal.ts';

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

await run(
  program('seed', 'Load XP data into a guild, from files or made up')
    .requiredOption('--guild <id>', 'guild to load into', id)
    .option('--file <path...>', 'files to load, in order; - is the standard input')
    .option('--generate <n>', 'load n made-up members instead', count)
    .option('--random-seed <text>', 'other made-up members; the same for the same text', '1')
    .addOption(new Option('--format <name>', 'format of the files (found out when left out)').choices(FORMAT_NAMES))
    .addOption(new Option('--curve <name>', 'curve by which the guild counts levels').choices(CURVE_NAMES))
    .option('--plan <name>', "the guild's plan, one of PLAN_QUOTAS")
    .option('--replace', "put them in the place of the guild's members; readers never see it empty")
    .option('--dry-run', 'write nothing, need no Redis; show a summary and the first ten')
    .option('--strict', 'stop at the first bad row instead of skipping it')
    .option('--json', 'print the summary as JSON')
    .addHelpText('after', HELP)
    .action(seed),
);

async function seed(options: SeedOptions): Promise<void> {
  const { guild, curve, plan, json } = options;
  if ((options.file === undefined) === (options.generate === undefined)) {
    throw new InvalidInputError('Give either --file or --generate');
  }
  checkPlan(plan);
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  const interrupt = new Interrupt();
  try {
    const inputs = await openInputs(options, interrupt.signal, say);
    const formatCurve = curve ? undefined : curveOfFormats(inputs.flatMap(({ format }) => format ?? []));
    const sizes = inputs.map(({ size }) => size);
    const work = async <T>(task: (reading: Parameters<typeof dryRun>[0]) => Promise<T>): Promise<T> => {
      const progress = startProgress(
        sizes.reduce((sum, size) => (sum === undefined || size === undefined ? undefined : sum + size), 0),
      );
      const problems = new Problems((line) => progress.write(line));
      const { signal } = interrupt;
      try {
        return await task({ inputs, strict: options.strict ?? false, problems, progress, signal });
      } finally {
        progress.stop();
      }
    };
    if (options.dryRun) {
      const { result, lines, ending } = await work((reading) => dryRun(reading, { guild, curve, formatCurve }));
      print(json, result, () => lines);
      if (ending) throw ending;
      return;
    }
    const { summary, ending } = await withStore((store) =>
      work((reading) =>
        load(store, { guild, reading, interrupt, replace: options.replace ?? false, plan, curve, formatCurve }),
      ),
    );
    print(json, summaryJson(summary), () => summaryLine(summary));
    if (ending) throw ending;
  } finally {
    interrupt.end();
  }
}

async function openInputs(options: SeedOptions, signal: AbortSignal, say: (line: string) => void): Promise<Input[]> {
  const { generate, randomSeed, file = [], format } = options;
  if (generate !== undefined) {
    const entries: Input['entries'] = (onRead) => generateEntries(generate, randomSeed, onRead);
    return [{ name: 'generated', unit: 'element', size: generate, entries }];
  }
  if (new Set(file).size < file.length) throw new InvalidInputError('--file names the same file twice');
  const inputs: Input[] = [];
  for (const path of file) {
    const input = await openInput(path, format, signal, say);
    if (!format) say(`${input.name}: ${input.format} (detected)`);
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

function count(text: string): number {
  if (!/^[1-9]\d{0,7}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 to 99999999.');
  return Number(text);
}
