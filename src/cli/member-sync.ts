import { createReadStream } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { count, digits } from '../count.ts';
import { InvalidInputError, systemErrorOf } from '../errors.ts';
import { requireGuild } from '../guild/overview/overview.ts';
import { ID_PATTERN } from '../guild/ranking/model.ts';
import type { CommandContext } from './context.ts';
import { withServices } from './services.ts';
import { print } from './terminal.ts';

export interface SyncOptions {
  readonly guild: string;
  readonly file: string;
  readonly dryRun?: boolean;
  readonly maxShare?: number;
  readonly json?: boolean;
}

/** Parses a share of members. */
export function parseShare(text: string): number {
  const share = /^\d(\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
  if (!(share <= 1)) throw new InvalidArgumentError('It must be a number from 0 to 1, such as 0.5.');
  return share;
}

/** Runs `member sync`, which hides the members that a list of the server lacks. */
export async function sync(context: CommandContext, options: SyncOptions): Promise<void> {
  const { guild, file, dryRun = false, maxShare, json } = options;
  const present = await readIds(file);
  const result = await withServices(context, async (services) => {
    await requireGuild(services, guild);
    return services.writer.syncMembers(guild, present, { dryRun, ...(maxShare !== undefined && { maxShare }) });
  });
  const { ranked, left, returned } = result;
  const would = dryRun ? 'Would hide' : 'Hid';
  print(context, json, { guild, dry_run: dryRun, ...result }, () => [
    `${would} ${digits(left)} of ${count(ranked, 'ranked member')} that the list lacks.`,
    `${dryRun ? 'Would lift' : 'Lifted'} "left" from ${count(returned, 'hidden member')} of the list.`,
  ]);
}

/** Reads a file with a user id on each line. @throws InvalidInputError for a file that cannot be read, and with the line that has none. */
async function readIds(file: string): Promise<Set<string>> {
  const ids = new Set<string>();
  let line = 0;
  const add = (text: string) => {
    line++;
    const id = text.trim();
    if (id === '') return;
    if (!ID_PATTERN.test(id))
      throw new InvalidInputError(`${file} line ${line}: ${JSON.stringify(id.slice(0, 70))} is no user id`);
    ids.add(id);
  };
  let rest = '';
  try {
    for await (const chunk of createReadStream(file, 'utf8')) {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop() ?? '';
      for (const text of lines) add(text);
    }
  } catch (error) {
    const { code } = systemErrorOf(error);
    throw code === '' ? error : new InvalidInputError(`${file} cannot be read: ${code}`);
  }
  add(rest);
  return ids;
}
