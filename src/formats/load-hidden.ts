import { HIDE_REASONS, type HideReason } from '../guild/members/hide-reasons.ts';
import type { FileRecord, XpRecord } from '../guild/members/records.ts';
import type { LoadTarget } from './load-job.ts';

const BY_MODERATOR: readonly HideReason[] = ['moderator'];

/**
 * Loads records into a guild, and hides the members of those that say so. No member that a row hides is ranked meanwhile by another row.
 * @returns the number of members that the ranking did not have before.
 * @throws as LeaderboardWriter.load.
 */
export async function loadAndHide(
  { client, redisKeys, writer }: LoadTarget,
  guild: string,
  records: readonly FileRecord[],
): Promise<{ readonly created: number }> {
  const wanted = wantedReasons(records);
  if (wanted.size === 0) return writer.load(guild, records);
  // A member that is ranked now leaves the ranking before its XP changes. No other row of it may make it a ranked one.
  const rows = records.map((record) => (wanted.has(record.userId) ? { ...record, hidden: true } : record) as XpRecord);
  const named = (reason: HideReason) => [...wanted].flatMap(([id, reasons]) => (reasons.has(reason) ? [id] : []));
  const unmoderated = [...wanted.keys()].filter((id) => !wanted.get(id)?.has('moderator'));
  const { xp, hidden } = redisKeys.guild(guild);
  const known = async (key: string) => (unmoderated.length > 0 ? client.zmscore(key, ...unmoderated) : []);
  const [ranked, others] = await Promise.all([known(xp), known(hidden)]);
  const byReason = HIDE_REASONS.map((reason) => [reason, named(reason)] as const).filter(([, ids]) => ids.length > 0);
  const [loaded] = await Promise.all([
    writer.load(guild, rows),
    ...byReason.map(([reason, ids]) => writer.hide(guild, ids, { reason })),
  ]);
  // Who was no member before is hidden as by a moderator first.
  const fresh = unmoderated.filter((_, n) => (ranked[n] ?? null) === null && (others[n] ?? null) === null);
  if (fresh.length > 0) await writer.unhide(guild, fresh, { reason: 'moderator' });
  return loaded;
}

/** Returns the members that records hide, each with all reasons that its records name. */
function wantedReasons(records: readonly FileRecord[]): Map<string, ReadonlySet<HideReason>> {
  const wanted = new Map<string, ReadonlySet<HideReason>>();
  for (const { userId, hidden, hiddenReasons = BY_MODERATOR } of records)
    if (hidden) wanted.set(userId, new Set([...(wanted.get(userId) ?? []), ...hiddenReasons]));
  return wanted;
}
