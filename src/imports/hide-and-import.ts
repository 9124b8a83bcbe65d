import { changeReason } from '../core/members/hiding.ts';
import { importRecords } from '../core/members/record-members.ts';
import type { FileRecord } from '../core/members/xp-record.ts';
import { HIDE_REASONS, type HideReason } from '../core/ranking/model.ts';
import type { ImportTarget } from './import-job.ts';

const BY_MODERATOR: readonly HideReason[] = ['moderator'];

/**
 * Hides the members that records hide, and then imports the records, so that a member that a row hides is never ranked in between. If the run ends
 * early, a member has only reasons for hiding that the file or the guild had.
 * @returns the number of members that are new to the ranking.
 * @throws as {@link importRecords}.
 */
export async function hideAndImport(
  target: ImportTarget,
  guild: string,
  records: readonly FileRecord[],
): Promise<{ readonly created: number }> {
  for (const reason of HIDE_REASONS) {
    const ids = records
      .filter(({ hidden, hiddenReasons = BY_MODERATOR }) => hidden && hiddenReasons.includes(reason))
      .map(({ userId }) => userId);
    if (ids.length > 0) await changeReason(target, 'add', guild, [...new Set(ids)], { reason });
  }
  return importRecords(target, guild, records, Date.now());
}
