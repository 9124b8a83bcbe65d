import { randomUUID } from 'node:crypto';
import { checkFields, checkGuildAndUsers } from '../check-fields.ts';
import { InvalidInputError, RefusedError } from '../errors.ts';
import { stageScript } from '../members/record-script.ts';
import { changesOf } from '../members/xp-record.ts';
import type { StoredMember } from '../reads/stored-members.ts';
import type { Script } from '../store/script.ts';
import type { ScriptStore } from '../store/scripts.ts';
import {
  beginSeasonScript,
  endCopyScript,
  finishSeasonScript,
  holdSeasonScript,
  type ListedPlace,
  markMembersScript,
  openArchiveScript,
  placeInArchiveScript,
  resetMembersScript,
  unlockSeasonScript,
} from './season-scripts.ts';

/** The options of `resetSeason`. */
export interface SeasonOptions {
  /** Guild id of the archive, such as `123.2026-s1`. The archive must have no data, except data of this season. */
  readonly archiveAs: string;
  /**
   * Whether members stay with 0 XP; true if left out. If false, members who have gained no XP since the end of the season are removed. Members hidden
   * by `self` or `moderator` stay, because after a removal their next message would put them into the ranking.
   */
  readonly keepMembers?: boolean;
  /** Stops between two steps. The same call goes on later. */
  readonly signal?: AbortSignal;
}

/** The members that one call of `resetSeason` has archived and reset. */
export interface SeasonResult {
  /** Members copied into the archive by this call. */
  readonly archived: number;
  /** Members that this call reset. */
  readonly reset: number;
}

/** Members of one step. Redis serves nobody else during a step, which takes a few milliseconds in a guild of a million. */
const MEMBERS_PER_STEP = 100;

/** Most readings of all members. Members who come after the last reading belong to the next season. */
const MAX_PASSES = 4;

/** Ends a season of one guild. One call at a time holds the locks of the guild and of the archive, and every step checks them. */
export class SeasonReset {
  private readonly token = randomUUID();

  constructor(
    private readonly store: ScriptStore,
    private readonly guildId: string,
    private readonly options: SeasonOptions,
  ) {}

  /** Copies all members, then resets them. @throws as GuildWriter.resetSeason. */
  async run(): Promise<SeasonResult> {
    const { guildId, options } = this;
    checkFields(options, 'the options of resetSeason', ['archiveAs', 'keepMembers', 'signal']);
    const { archiveAs, keepMembers = true } = options;
    checkGuildAndUsers(guildId, []);
    checkGuildAndUsers(archiveAs, []);
    if (archiveAs === guildId)
      throw new InvalidInputError('archiveAs must differ from the id of the guild whose season ends');
    const season = await this.step(beginSeasonScript, guildId, {
      guild: guildId,
      archive: archiveAs,
      keepsMembers: keepMembers,
    });
    try {
      if (season.phase === 'done') return { archived: 0, reset: 0 };
      let archived = 0;
      let reset = 0;
      for (let isCopied = season.phase !== 'copy'; ; isCopied = false) {
        if (!isCopied) {
          const { curve, multiplier, name } = season;
          // The address of an icon needs the id of the guild. `iconUrl` finds that id at the start of the archive's id.
          const icon = archiveAs.startsWith(`${guildId}.`) ? season.icon : '';
          const about = { name, icon };
          const opened = { archive: archiveAs, season: `${guildId} ${season.id}`, curve, multiplier, ...about };
          await this.step(openArchiveScript, archiveAs, opened);
          archived = await this.copy();
        }
        const result = await this.resetMembers();
        reset += result.reset;
        if (result.isDone) break;
      }
      await this.step(finishSeasonScript, guildId, {});
      return { archived, reset };
    } finally {
      // Errors are ignored: without Redis, or when another call has the lock now, there is no lock to give back.
      for (const locked of [guildId, archiveAs]) await this.step(unlockSeasonScript, locked, {}).catch(() => {});
    }
  }

  /** Copies all members. Starts again if a failover replaces the server of the guild or of the archive. @returns the number of members. */
  private async copy(): Promise<number> {
    const { guildId, options } = this;
    const serverOf = (id: string) => this.step(holdSeasonScript, id, {});
    for (;;) {
      const server = await serverOf(guildId);
      const serverOfArchive = await serverOf(options.archiveAs);
      // In a guild that gets members all the time, each reading misses some. After the last reading, they belong to the next season.
      for (let pass = 0; pass < MAX_PASSES; pass++) {
        await this.copyListed(pass > 0);
        if ((await serverOf(options.archiveAs)) !== serverOfArchive) break;
        const copied = await this.step(endCopyScript, guildId, { server, requiresAll: pass < MAX_PASSES - 1 });
        if (copied.status === 'OK') return copied.marked;
        if (copied.status !== 'MISSED') break;
      }
    }
  }

  /** Marks members with the XP that they have now, and copies them. */
  private async copyListed(onlyUnmarked: boolean): Promise<void> {
    const { guildId, options, store } = this;
    const { seasonXp: marked, xp: ranked, hidden } = store.redisKeys.guild(guildId);
    // A killed call can have marked members without copying them, and a marked member can move between ranked and hidden during the readings.
    const lists = onlyUnmarked ? { ranked, hidden } : { marked, ranked, hidden };
    for (const [place, list] of Object.entries(lists) as [ListedPlace, string][]) {
      let cursor = '0';
      do {
        options.signal?.throwIfAborted();
        const step = await this.step(markMembersScript, guildId, {
          size: MEMBERS_PER_STEP,
          cursor,
          place,
          onlyUnmarked,
        });
        if (step.invalid !== undefined)
          throw new RefusedError('user_id_unfit', { guild: guildId, user: step.invalid, list });
        await this.archive(step.members);
        cursor = step.cursor;
      } while (cursor !== '0');
    }
  }

  /** Copies members with the XP that is marked. */
  private async archive(members: readonly StoredMember[]): Promise<void> {
    const { archiveAs } = this.options;
    if (members.length === 0) {
      // Without members to copy, this step renews the lock of the archive.
      await this.step(holdSeasonScript, archiveAs, {});
      return;
    }
    const records = members.map(({ userId, xp, hidden, hiddenReasons: _, ...profile }) => {
      return { userId, set: xp, hidden, ...profile };
    });
    // A member can have become hidden or ranked since its first copy.
    await this.step(placeInArchiveScript, archiveAs, { members });
    await stageScript
      .run(this.store.scripts, this.store.redisKeys.locked(archiveAs), {
        token: this.token,
        changes: changesOf(records),
      })
      .catch((error: unknown) => {
        if (!(error instanceof RefusedError && error.code === 'field' && 'index' in error.params)) throw error;
        const user = members[error.params.index]?.userId ?? '';
        throw new RefusedError('name_unfit', { guild: this.guildId, user });
      });
    // Hidden members that are new to the archive have no reasons there yet.
    const hidden = members.filter((member) => member.hidden);
    if (hidden.length > 0) await this.step(placeInArchiveScript, archiveAs, { members: hidden });
  }

  /** Resets the members that are marked, unless a failover lost the step before. */
  private async resetMembers(): Promise<{ reset: number; isDone: boolean }> {
    for (let reset = 0; ; ) {
      this.options.signal?.throwIfAborted();
      const step = await this.step(resetMembersScript, this.guildId, { size: MEMBERS_PER_STEP });
      if (step.mustCopyAgain) return { reset, isDone: false };
      reset += step.reset;
      if (step.left === 0) return { reset, isDone: true };
    }
  }

  /** Runs a script on the guild or on the archive. @throws RefusedError "lock" when the process was suspended so long that the lock expired. */
  private step<Fields extends object, Result>(
    script: Script<keyof ReturnType<ScriptStore['redisKeys']['locked']>, Fields & { readonly token: string }, Result>,
    guildId: string,
    fields: Fields,
  ): Promise<Result> {
    return script.run(this.store.scripts, this.store.redisKeys.locked(guildId), { ...fields, token: this.token });
  }
}
