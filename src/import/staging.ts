import { StagedMembers } from '../leaderboard/staged-members.ts';
import type { XpRecord } from '../leaderboard/writer.ts';
import type { LoadTarget } from './load-job.ts';

const RENEW_MS = 2500;

/** The replacement of a guild's members: stages the new ones, then puts them in place of the present ones. See ADR 7. */
export class Replacement {
  private readonly renewal: NodeJS.Timeout;

  private constructor(private readonly members: StagedMembers) {
    // When a renewal fails, the run's own commands fail too and report it.
    this.renewal = setInterval(() => void members.renew().catch(() => {}), RENEW_MS).unref();
  }

  /** Begins a replacement. @throws as {@link StagedMembers.lock}. */
  static async begin(target: LoadTarget, guildId: string): Promise<Replacement> {
    return new Replacement(await StagedMembers.lock(target, guildId));
  }

  stage(records: readonly XpRecord[]): Promise<{ readonly created: number }> {
    return this.members.stage(records);
  }

  /**
   * Puts the staged members in place, step by step, then removes the others. Readers see old and new members meanwhile, never an empty
   * guild. What the bot writes to a member after its step stays, and so does a member that the bot creates.
   * @param onStep called with the members in place so far; returns whether to go on.
   * @returns the number of members removed, and whether the swap is complete.
   */
  async swap(onStep: (moved: number) => boolean): Promise<{ removed: number; done: boolean }> {
    await this.members.listUnstaged();
    for (let moved = 0, step = 1; step > 0; moved += step) {
      if (!onStep(moved)) return { removed: 0, done: false };
      step = await this.members.putInPlace();
    }
    for (let removed = 0; ; ) {
      const step = await this.members.sweep();
      if (step.listed === 0) return { removed, done: true };
      removed += step.removed;
    }
  }

  /** Removes the members that are staged still, and the lock. */
  async end(): Promise<void> {
    clearInterval(this.renewal);
    await this.members.clear({ unlock: true });
  }
}
