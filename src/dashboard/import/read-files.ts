import type { CurveName } from '../../core/ranking/curves.ts';
import type { GivenFormat } from '../../imports/choose-format.ts';
import { curveOfFiles, type FormatCurve } from '../../imports/curve-choice.ts';
import type { FieldMap } from '../../imports/fields.ts';
import { SeveralGuildsError } from '../../imports/guild-filter.ts';
import { type Input, openInput } from '../../imports/inputs.ts';
import type { Problems } from '../../imports/problems.ts';
import type { ImportProgress, Reading } from '../../imports/read-members.ts';
import { UnknownFieldsError } from '../../imports/unknown-fields.ts';
import { PAGE_ADVICE } from '../sentences.ts';
import type { UploadedFile } from '../upload.ts';

/** A received file, with the names of its fields if a person has chosen them. */
interface ImportFile extends UploadedFile {
  readonly map?: FieldMap;
}

/** What a person chose for an import. */
export interface ImportChoice extends Partial<Pick<GivenFormat, 'format' | 'sourceGuild'>> {
  /** Name of the file, or of all of them, for messages. */
  readonly name: string;
  readonly files: readonly ImportFile[];
  /** Undefined = the curve of the guild, or of the format. */
  readonly curve: CurveName | undefined;
}

/** Most members that are told apart, which bounds the memory of many files that are read at once. Repeats of any further member are not counted. */
export const MAX_DISTINCT = 50_000;

/** A question about a file that only a person can answer: what its fields mean, or which of its guilds to import. */
export class FileQuestion extends Error {
  constructor(
    /** The number of the file, from 0. */
    readonly file: number,
    readonly question: UnknownFieldsError | SeveralGuildsError,
  ) {
    super(question.message);
  }
}

/**
 * Opens files, passes them to `take`, and closes them even if that fails.
 * @throws FileQuestion when a person has to answer a question about a file.
 */
export async function readFiles<T>(
  choice: ImportChoice,
  signal: AbortSignal,
  progress: ImportProgress,
  problems: Problems,
  take: (reading: Reading, formatCurve: FormatCurve | undefined) => Promise<T>,
): Promise<T> {
  const inputs: Input[] = [];
  try {
    for (const index of choice.files.keys()) {
      const input = await openFile(choice, index, signal, progress);
      if (!choice.format && input.format !== inputs.at(-1)?.format)
        progress.write(`format: ${input.format} (detected)`);
      inputs.push(input);
    }
    return await take(
      { inputs, strict: false, problems, progress, signal },
      choice.curve ? undefined : curveOfFiles(inputs, PAGE_ADVICE),
    );
  } finally {
    await Promise.all(inputs.map((input) => input.close()));
  }
}

/** Opens a file of the choice. @throws FileQuestion when a person has to answer a question about the file. */
async function openFile(
  { files, format, sourceGuild }: ImportChoice,
  index: number,
  signal: AbortSignal,
  progress: ImportProgress,
): Promise<Input> {
  const { path, name, map: ownMap } = files[index] as ImportFile;
  const openWith = (map: FieldMap | undefined) =>
    openInput(path, { format, map, sourceGuild, name: name || 'file' }, signal, progress);
  try {
    return await openWith(ownMap).catch((error: unknown) => {
      // Pages of one leaderboard have the same fields: a person names them once.
      const map = error instanceof UnknownFieldsError && fittingMap(files, error);
      if (map) return openWith(map);
      throw error;
    });
  } catch (error) {
    if (error instanceof UnknownFieldsError || error instanceof SeveralGuildsError)
      throw new FileQuestion(index, error);
    throw error;
  }
}

/** Returns the names that a person gave to the fields of another file which has the same fields. */
function fittingMap(files: readonly ImportFile[], { fields }: UnknownFieldsError): FieldMap | undefined {
  const names = new Set(fields.map(({ name }) => name));
  return files.map(({ map }) => map).find((map) => map && Object.values(map).every((name) => names.has(name)));
}

/** Most characters of a line. A line can quote a whole field of the file, but a command in a line must stay whole. */
const LONGEST_LINE = 1000;

/** Returns a line of at most about 1,000 characters. */
export function shortened(line: string): string {
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)} …` : line;
}
