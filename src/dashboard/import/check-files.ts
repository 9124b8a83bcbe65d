import { InvalidInputError } from '../../core/errors.ts';
import { checkInputs } from '../../imports/check-inputs.ts';
import { type DryRunResult, dryRun } from '../../imports/dry-run.ts';
import type { ImportTarget } from '../../imports/import-job.ts';
import { readGuildState } from '../../imports/import-members.ts';
import { IncompleteRun } from '../../imports/outcome.ts';
import { hiddenNotice, Problems } from '../../imports/problems.ts';
import type { ImportProgress } from '../../imports/read-members.ts';
import { PAGE_ADVICE } from '../sentences.ts';
import { type FieldReading, fieldReadings } from './field-readings.ts';
import { type FoundRules, rulesOf } from './found-rules.ts';
import { type ImportChoice, MAX_DISTINCT, readFiles, shortened } from './read-files.ts';

/** What the check of the files found. */
export interface CheckedFile {
  readonly preview: DryRunResult['preview'];
  /** Lines for the person, such as what was detected. */
  readonly notes: readonly string[];
  /** Why rows will be left out, with their positions. */
  readonly refused: readonly string[];
  /** Which rows repeat a member. */
  readonly repeated: readonly string[];
  /** Which avatars cannot be read and will be left out. */
  readonly avatars: readonly string[];
  /** Why members can be missing or wrong, such as a missing page; undefined if there is no doubt. */
  readonly missing: string | undefined;
  /** How the fields of the files are read. */
  readonly readings: readonly FieldReading[];
  /** The rules that came with the members; undefined for none. */
  readonly rules: FoundRules | undefined;
}

/** Longest time for reading, because a small archive can contain a text of any length. The command imports files that take longer. */
const CHECK_MS = 30_000;
/**
 * Reads files once, and writes nothing.
 * @throws InvalidInputError when the files cannot be read, or reading takes longer than 30 s; FileQuestion when a person has to answer a question
 *   about a file.
 */
export async function checkFiles(target: ImportTarget, guildId: string, choice: ImportChoice): Promise<CheckedFile> {
  const notes: string[] = [];
  const signal = AbortSignal.timeout(CHECK_MS);
  const progress: ImportProgress = {
    advice: PAGE_ADVICE,
    update: () => {},
    write: (line) => notes.push(shortened(line)),
  };
  const state = await readGuildState(target, guildId, false);
  const checking = readFiles(choice, signal, progress, new Problems(), async (reading, formatCurve) => {
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
    const { problems } = reading;
    const left = {
      refused: problems.lines().map(shortened),
      repeated: problems.repeatedLines().map(shortened),
      avatars: problems.avatarLines().map(shortened),
    };
    return { ...result, ...left, missing, rules, readings: fieldReadings(reading.inputs) };
  });
  const result = await checking.catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  if (!result || signal.aborted)
    throw new InvalidInputError(
      'Reading this file takes longer than the dashboard allows: ask the operator to import the file with the command "seed"',
    );
  const { preview, notice, outcome, missing, rules, refused, repeated, avatars, readings } = result;
  if (notice) notes.push(shortened(notice));
  if (outcome instanceof IncompleteRun && outcome.reason === 'levels') notes.push(shortened(outcome.message));
  return { preview, notes, refused, repeated, avatars, missing, rules, readings };
}
