import { DataConflictError } from '../errors.ts';
import type { FileRecord } from '../guild/members/records.ts';
import type { CurveText } from '../guild/ranking/curves.ts';
import { StagedMembers } from '../guild/replace/staged-members.ts';
import { curveFields } from '../guild/settings/guild-config.ts';
import type { LoadTarget } from './load-job.ts';

const RENEW_MS = 2500;

/** The replacement of a guild's members: stages the new ones, then puts them in the place of the present ones. See ADR 7. */
export class Replacement {
  private readonly renewal: NodeJS.Timeout;

  private constructor(private readonly members: StagedMembers) {
    // When a renewal fails, the run's own commands fail too and report it.
    this.renewal = setInterval(() => void members.renew().catch(() => {}), RENEW_MS).unref();
  }

  /**
   * Begins a replacement.
   * @param curve the curve that the guild will have.
   * @param plan the plan that it will have; undefined = as before.
   * @throws DataConflictError while an import or the end of a season of the guild is not done, and as {@link StagedMembers.lock}.
   */
  static async begin(target: LoadTarget, guildId: string, curve: CurveText, plan?: string): Promise<Replacement> {
    const config = [...curveFields(curve), ...(plan === undefined ? [] : ['plan', plan])];
    const members = await StagedMembers.lock(target, guildId, config);
    const replacement = new Replacement(members);
    try {
      await refuseUnfinished(target, guildId);
    } catch (error) {
      await replacement.end();
      throw error;
    }
    return replacement;
  }

  stage(records: readonly FileRecord[]): Promise<{ readonly created: number }> {
    return this.members.stage(records);
  }

  /**
   * Puts the staged members in the place of all present ones, at one moment. What a bot writes after that stays.
   * @param curve the curve that the guild must have still, as {@link StagedMembers.putInPlace} takes it.
   * @returns the number of members removed.
   */
  async swap(curve?: string): Promise<number> {
    const removed = await this.members.countUnstaged();
    await this.members.putInPlace(curve);
    return removed;
  }

  /** Removes the members that are staged still, and the lock. */
  async end(): Promise<void> {
    clearInterval(this.renewal);
    await this.members.end();
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
  if (waiting === 1) throw DataConflictError.unfinishedSeason(guildId, String(archive));
  if (importing === 1) throw DataConflictError.unfinishedImport(guildId);
}
