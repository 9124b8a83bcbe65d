import { InvalidInputError } from '../core/errors.ts';
import { checkInputs } from '../imports/check-inputs.ts';
import { generateEntries } from '../imports/generate.ts';
import { type Input, openInput } from '../imports/inputs.ts';
import type { CommandContext } from './context.ts';
import type { SeedOptions } from './seed-options.ts';
import type { SeedReport } from './seed-report.ts';
import { COMMAND_ADVICE } from './sentences.ts';
import { UsageError } from './terminal.ts';

/** Opens the files of the options, or generates members. @throws UsageError for a file that is named twice; InvalidInputError as openInput. */
export async function openInputs(
  { stdin }: CommandContext,
  options: SeedOptions,
  report: SeedReport,
  signal: AbortSignal,
): Promise<Input[]> {
  const { generate, randomSeed, file = [], format, map, sourceGuild } = options;
  if (generate !== undefined) {
    const entries: Input['entries'] = (onRead) => generateEntries(generate, randomSeed, onRead);
    return [{ name: 'generated', unit: 'element', size: generate, hasLevels: false, entries, close: async () => {} }];
  }
  if (new Set(file).size < file.length) throw new UsageError('--file names the same file twice');
  const inputs: Input[] = [];
  for (const path of file) {
    const from = path === '-' ? stdin : path;
    const input = await openInput(from, { format, map, sourceGuild }, signal, {
      write: report.note,
      advice: COMMAND_ADVICE,
    });
    // Files of one command mostly have the same format.
    if (!format && (inputs.length === 0 || input.format !== inputs.at(-1)?.format))
      report.tell(`${input.name}: ${input.format ?? 'no members'} (detected)`);
    inputs.push(input);
  }
  return inputs;
}

/**
 * Prints what only all inputs together show, such as which pages are missing.
 * @throws InvalidInputError when members of the inputs can be missing or wrong, and the run would replace the members of the guild.
 */
export function tellInputs(
  report: SeedReport,
  { replace, dryRun: isDry }: SeedOptions,
  inputs: readonly Input[],
): void {
  const { doubts, notices } = checkInputs(inputs);
  if (doubts.length > 0 && replace && !isDry)
    throw new InvalidInputError(
      `${doubts.join('; ')}: nothing was replaced. Complete the files, or ${COMMAND_ADVICE.importWithoutReplacing}`,
    );
  for (const line of [...doubts, ...notices]) report.note(line);
}
