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
   * @throws as {@link StagedMembers.lock}.
   */
  static async begin(target: LoadTarget, guildId: string, curve: CurveText): Promise<Replacement> {
    return new Replacement(await StagedMembers.lock(target, guildId, curveFields(curve)));
  }

  stage(records: readonly FileRecord[]): Promise<{ readonly created: number }> {
    return this.members.stage(records);
  }

  /**
   * Puts the staged members in the place of all present ones, at one moment. What a bot writes after that stays.
   * @returns the number of members removed.
   */
  async swap(): Promise<number> {
    const removed = await this.members.countUnstaged();
    await this.members.putInPlace();
    return removed;
  }

  /** Removes the members that are staged still, and the lock. */
  async end(): Promise<void> {
    clearInterval(this.renewal);
    await this.members.end();
  }
}
