import { RefusedError } from '../core/errors.ts';
import type { CurveText } from '../core/ranking/curves.ts';
import { StagedMembers } from '../core/replace/staged-members.ts';
import { curveFields } from '../core/settings/guild-config.ts';
import type { LoadTarget } from './load-job.ts';

const RENEW_MS = 2500;

/**
 * Holds the lock of the replacement of a guild's members, while `work` stages the new ones and puts them in place. Then removes the lock and
 * what is staged still. See ADR 7.
 * @param curve the curve that the guild will have.
 * @param plan the plan that it will have; undefined = as before.
 * @throws RefusedError while an import or the end of a season of the guild is not done, and as {@link StagedMembers.lock}.
 */
export async function withStagedMembers(
  target: LoadTarget,
  guildId: string,
  curve: CurveText,
  plan: string | undefined,
  work: (staged: StagedMembers) => Promise<void>,
): Promise<void> {
  const config = [...curveFields(curve), ...(plan === undefined ? [] : ['plan', plan])];
  const staged = await StagedMembers.lock(target, guildId, config);
  // When a renewal fails, the run's own commands fail too and report it.
  const renewal = setInterval(() => void staged.renew().catch(() => {}), RENEW_MS).unref();
  try {
    await refuseUnfinished(target, guildId);
    await work(staged);
  } finally {
    clearInterval(renewal);
    await staged.end().catch(() => {
      // Without Redis nothing can be cleaned up. The next --replace of the guild does it first.
    });
  }
}

/**
 * Refuses while members wait to lose the XP of a season, which the new ones would lose too, and after an unfinished import, whose API keys
 * and configuration would stay. The lock keeps further steps of both away.
 */
async function refuseUnfinished({ client, redisKeys }: LoadTarget, guildId: string): Promise<void> {
  const { season, seasonXp, stats } = redisKeys.guild(guildId);
  const [archive, waiting, importing] = await Promise.all([
    client.hget(season, 'archive'),
    client.exists(seasonXp),
    client.hexists(stats, 'importing'),
  ]);
  if (waiting === 1) throw new RefusedError('season_unfinished', { guild: guildId, archive: String(archive) });
  if (importing === 1) throw new RefusedError('import_unfinished', { guild: guildId });
}
