import type { CurveName } from '../../core/ranking/curves.ts';
import type { GivenFormat } from '../../imports/choose-format.ts';
import { curveOfFiles, type FormatCurve } from '../../imports/curve-choice.ts';
import { type Input, openInput } from '../../imports/inputs.ts';
import type { Problems } from '../../imports/problems.ts';
import type { Progress, Reading } from '../../imports/reading.ts';
import { PAGE_ADVICE } from '../sentences.ts';
import type { UploadedFile } from '../upload.ts';

/** What a person chose for an import. */
export interface ImportChoice extends Partial<GivenFormat> {
  /** Name of the file, or of all of them, for messages. */
  readonly name: string;
  readonly files: readonly UploadedFile[];
  /** Undefined = that of the guild, or of the format. */
  readonly curve: CurveName | undefined;
}

/** Members of a file that are told apart. Many files are read at the same time. */
export const MAX_DISTINCT = 50_000;

/** Opens files, hands them to `take`, and closes them however that ends. */
export async function readFiles<T>(
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
