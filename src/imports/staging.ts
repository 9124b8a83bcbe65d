import { RefusedError } from '../core/errors.ts';
import type { CurveText } from '../core/ranking/curves.ts';
import { StagedMembers } from '../core/replace/staged-members.ts';
import { curveFields } from '../core/settings/guild-config.ts';
import type { ImportTarget } from './import-job.ts';

const RENEW_MS = 2500;

/**
 * Holds the lock of a replacement while `work` stages the new members of a guild and puts them in place. Afterwards removes the lock, and the
 * members that are still staged. See ADR 7.
 * @param curve the curve that the guild will have.
 * @param plan the plan that the guild will have; undefined = as before.
 * @throws RefusedError while a move of the guild, or the end of a season, is unfinished, and as {@link StagedMembers.lock}.
 */
export async function withStagedMembers(
  target: ImportTarget,
  guildId: string,
  curve: CurveText,
  plan: string | undefined,
  work: (staged: StagedMembers) => Promise<void>,
): Promise<void> {
  const config = [...curveFields(curve), ...(plan === undefined ? [] : ['plan', plan])];
  const staged = await StagedMembers.lock(target, guildId, config);
  // An error of a renewal is ignored: if the lock is lost, the next command of the run fails and reports it.
  const renewal = setInterval(() => void staged.renew().catch(() => {}), RENEW_MS).unref();
  try {
    await refuseUnfinished(target, guildId);
    await work(staged);
  } finally {
    clearInterval(renewal);
    await staged.end().catch(() => {
      // Without Redis nothing can be cleaned up. The next replacement in this guild begins with that.
    });
  }
}

/**
 * Refuses while the end of a season is unfinished, because the new members would lose XP too, and while a move of the guild is unfinished, because
 * the API keys and the configuration of that move would stay. The lock keeps both from going on meanwhile.
 */
async function refuseUnfinished({ client, redisKeys }: ImportTarget, guildId: string): Promise<void> {
  const { season, seasonXp, stats } = redisKeys.guild(guildId);
  const [archive, waiting, moving] = await Promise.all([
    client.hget(season, 'archive'),
    client.exists(seasonXp),
    client.hexists(stats, 'moving'),
  ]);
  if (waiting === 1) throw new RefusedError('season_unfinished', { guild: guildId, archive: String(archive) });
  if (moving === 1) throw new RefusedError('move_unfinished', { guild: guildId });
}
