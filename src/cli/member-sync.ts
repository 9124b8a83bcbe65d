import { readFile } from 'node:fs/promises';
import { InvalidArgumentError } from 'commander';
import { InvalidInputError, systemErrorOf } from '../core/errors.ts';
import { digits, withNoun } from '../core/format-numbers.ts';
import { ID_PATTERN } from '../core/ranking/model.ts';
import type { GuildOptions } from './arguments.ts';
import type { CommandContext } from './context.ts';
import { print } from './terminal.ts';
import { withGuild } from './with-core.ts';

/** The options of `member sync`. */
export interface MemberSyncOptions extends GuildOptions {
  readonly file: string;
  readonly dryRun?: boolean;
  readonly maxShare?: number;
}

/** Parses a share of members. */
export function parseShare(text: string): number {
  const share = /^\d(\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
  if (!(share <= 1)) throw new InvalidArgumentError('It must be a number from 0 to 1, such as 0.5.');
  return share;
}

/** Runs `member sync`, which hides the members that a list of the server lacks. */
export async function sync(context: CommandContext, options: MemberSyncOptions): Promise<void> {
  const { guild, file, dryRun = false, maxShare, json } = options;
  const present = await readIds(file);
  const result = await withGuild(context, guild, ({ writer }) =>
    writer.syncMembers(guild, present, { dryRun, ...(maxShare !== undefined && { maxShare }) }),
  );
  const { ranked, left, returned } = result;
  const hid = dryRun ? 'Would hide' : 'Hid';
  const lifted = dryRun ? 'Would lift' : 'Lifted';
  print(context, json, { guild, dry_run: dryRun, ...result }, () => [
    `${hid} ${digits(left)} of ${withNoun(ranked, 'ranked member')}, because the list lacks them.`,
    `${lifted} "left" from ${withNoun(returned, 'hidden member')} on the list.`,
  ]);
}

/** Reads a file with a user id on each line. @throws InvalidInputError for a file that cannot be read, and for a line that is no user id. */
async function readIds(file: string): Promise<Set<string>> {
  const text = await readFile(file, 'utf8').catch((error) => {
    throw new InvalidInputError(`${file} cannot be read: ${systemErrorOf(error).code}`);
  });
  const ids = new Set<string>();
  for (const [index, line] of text.split('\n').entries()) {
    const id = line.trim();
    if (id === '') continue;
    if (!ID_PATTERN.test(id))
      throw new InvalidInputError(`${file} line ${index + 1}: ${JSON.stringify(id.slice(0, 70))} is not a user id`);
    ids.add(id);
  }
  return ids;
}
