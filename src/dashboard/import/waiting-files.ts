import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { sessionGeneration } from '../../core/access/session-generation.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { withNoun } from '../../core/format-numbers.ts';
import type { FieldMap } from '../../imports/fields.ts';
import type { SeveralGuildsError } from '../../imports/guild-filter.ts';
import type { ImportTarget } from '../../imports/import-job.ts';
import { UnknownFieldsError } from '../../imports/unknown-fields.ts';
import { type CheckedFile, checkFiles } from './check-files.ts';
import { FileQuestion, type ImportChoice, shortened } from './read-files.ts';

/** Files that were received, and wait for an answer or for their import. */
export interface WaitingFiles {
  readonly id: string;
  readonly bytes: number;
  /** The generation of the guild's sessions at the upload. */
  readonly generation: string;
}

/** Files that were received and read once. */
export interface CheckedImport extends ImportChoice, CheckedFile, WaitingFiles {}

/** Files with a question about one of the files: which field is which, or which of its guilds to import. */
export interface UnreadImport extends WaitingFiles {
  readonly choice: ImportChoice;
  /** The numbers of the files for which the answer counts, from 0. The question shows the first of them. */
  readonly questioned: readonly number[];
  /** Why the file cannot be read; "" when it can, and a person wants to choose other fields. */
  readonly problem: string;
  /** The fields to name, and the likeliest names; undefined for another question. */
  readonly fields?: UnknownFieldsError['fields'];
  readonly likeliest?: FieldMap;
  /** The guilds to choose from; undefined for another question. */
  readonly guilds?: SeveralGuildsError['guilds'];
  /** Whether the guilds can be members. */
  readonly mayBeMembers?: boolean;
}

/** Fields and guilds that a page lists. */
const MAX_LISTED = 200;

/**
 * Reads files once, and writes nothing to the guild.
 * @param maxMembers most members of the files.
 * @returns the checked files, or the files with a question for the person.
 * @throws InvalidInputError when the files cannot be read, or have too many members.
 */
export async function checkImport(
  target: ImportTarget,
  guildId: string,
  choice: ImportChoice,
  maxMembers: number,
): Promise<{ readonly checked: CheckedImport } | { readonly unread: UnreadImport }> {
  const sizes = await Promise.all(choice.files.map(({ path }) => stat(path)));
  // If nobody has signed in to the guild yet, its generation begins here. The first sign-in keeps that generation.
  const { text: generation } = await sessionGeneration(target, target.redisKeys.guild(guildId).sessions);
  const common = { id: randomUUID(), bytes: sizes.reduce((sum, { size }) => sum + size, 0), generation };
  try {
    const file = await checkFiles(target, guildId, choice);
    const { repeated_exact, members } = file.preview;
    // In a larger file, repeats are not counted exactly, so it is not refused here: the import ends at the limit.
    if (repeated_exact && members > maxMembers)
      throw tooManyMembers(`The file has ${withNoun(members, 'member')}`, maxMembers);
    return { checked: { ...choice, ...file, ...common } };
  } catch (error) {
    if (!(error instanceof FileQuestion)) throw error;
    const { file, question } = error;
    const asked =
      question instanceof UnknownFieldsError
        ? { fields: question.fields.slice(0, MAX_LISTED), likeliest: question.readings[0] ?? {} }
        : { guilds: question.guilds.slice(0, MAX_LISTED), mayBeMembers: question.mayBeMembers };
    return { unread: { ...common, choice, questioned: [file], problem: shortened(question.message), ...asked } };
  }
}

/** Returns the error for too many members. @param what says what has how many members. */
export function tooManyMembers(what: string, maxMembers: number): InvalidInputError {
  const limit = withNoun(maxMembers, 'member');
  return new InvalidInputError(`${what}, and the dashboard imports up to ${limit}: ask the operator for more`);
}
