import { randomUUID } from 'node:crypto';
import { InvalidInputError, RefusedError } from '../errors.ts';
import { checkFields, checkIds } from '../members/check-fields.ts';
import { recordArguments } from '../members/records.ts';
import { decodeRow, type StoredMember } from '../members/stored-members.ts';
import { stage, throwRefusal } from '../members/writer.ts';
import { GUILD_KEYS } from '../store/keys.ts';
import { defineScript } from '../store/script.ts';
import type { ScriptStore } from '../store/scripts.ts';

export const season = defineScript('season', [...GUILD_KEYS, 'season', 'seasonXp', 'lock', 'hiddenReasons']);

export interface SeasonOptions {
  /** Guild id of the archive, such as `123.2026-s1`. It must have no data, unless they are of this season. */
  readonly archiveAs: string;
  /**
   * Whether members stay with 0 XP; otherwise those go who gained nothing since. Who is hidden by `self` or `moderator` stays, or the next
   * message would show it. True unless given.
   */
  readonly keepMembers?: boolean;
  /** Stops between two steps. The same call goes on later. */
  readonly signal?: AbortSignal;
}

export interface SeasonResult {
  /** Members copied into the archive by this call. */
  readonly archived: number;
  /** Members that this call reset. */
  readonly reset: number;
}

/** Members of one step. Redis serves nobody else meanwhile: a few milliseconds in a guild of a million. */
const MEMBERS_PER_STEP = 100;

/** Readings of the members, before those who came meanwhile are left to the next season. */
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
    checkIds(guildId, []);
    checkIds(archiveAs, []);
    if (archiveAs === guildId)
      throw new InvalidInputError('archiveAs must be another guild id than that of the season');
    const begun = await this.step(guildId, 'begin', archiveAs, keepMembers ? 'keep' : 'drop');
    this.throwConflict(begun, guildId);
    const [, id, phase, curve, multiplier] = begun as [string, string, string, string, string];
    try {
      if (phase === 'done') return { archived: 0, reset: 0 };
      let archived = 0;
      let reset = 0;
      for (let isCopied = phase !== 'copy'; ; isCopied = false) {
        if (!isCopied) {
          const opened = await this.step(archiveAs, 'open', `${guildId} ${id}`, curve, multiplier);
          this.throwConflict(opened, archiveAs);
          archived = await this.copy();
        }
        const result = await this.resetMembers();
        reset += result.reset;
        if (result.isDone) break;
      }
      await this.step(guildId, 'done');
      return { archived, reset };
    } finally {
      // Without Redis, or for another call that has the lock now, there is nothing to give back.
      for (const locked of [guildId, archiveAs]) await this.step(locked, 'unlock').catch(() => {});
    }
  }

  /** Copies all members, again if a server of the guild or of the archive was replaced meanwhile. @returns how many. */
  private async copy(): Promise<number> {
    const { guildId, options } = this;
    const serverOf = async (id: string) => String((await this.step(id, 'server'))[1]);
    for (;;) {
      const servers = [await serverOf(guildId), await serverOf(options.archiveAs)] as const;
      let [status, archived]: readonly (string | number)[] = ['MISSED'];
      // In a guild that gets members all the time, some are always missed: they came after the season's end.
      for (let pass = 0; pass < MAX_PASSES && status === 'MISSED'; pass++) {
        await this.copyListed(pass === 0 ? '' : 'unmarked');
        if ((await serverOf(options.archiveAs)) !== servers[1]) break;
        const wanted = pass === MAX_PASSES - 1 ? '' : 'all';
        [status, archived] = await this.step(guildId, 'copied', servers[0], wanted);
      }
      if (status === 'OK') return Number(archived);
    }
  }

  /** Marks members with the XP that they have now, and copies them. */
  private async copyListed(which: '' | 'unmarked'): Promise<void> {
    const { guildId, options, store } = this;
    // A call that was killed can have marked members that it did not copy, and these can change their place between the readings of the places.
    const { seasonXp: marked, xp: ranked, hidden } = store.redisKeys.guild(guildId);
    for (const [place, list] of Object.entries(which === '' ? { marked, ranked, hidden } : { ranked, hidden })) {
      let cursor = '0';
      do {
        options.signal?.throwIfAborted();
        const reply = await this.step(guildId, 'mark', MEMBERS_PER_STEP, cursor, place, which);
        if (reply[0] === 'INVALID')
          throw new RefusedError('user_id_unfit', { guild: guildId, user: String(reply[1]), list });
        const [, next, ...rows] = reply as string[];
        await this.archive(rows.map(decodeRow));
        cursor = next as string;
      } while (cursor !== '0');
    }
  }

  /** Copies members with the XP that is marked. */
  private async archive(members: readonly StoredMember[]): Promise<void> {
    if (members.length === 0) {
      // Any step renews the lock of the archive.
      await this.step(this.options.archiveAs, 'server');
      return;
    }
    const archive = this.store.redisKeys.locked(this.options.archiveAs);
    const records = members.map(({ userId, xp, hidden, hiddenReasons: _, ...profile }) => {
      return { userId, set: xp, hidden, profile };
    });
    const ranked = members.filter(({ hidden }) => !hidden).map(({ userId }) => userId);
    const hidden = members.flatMap(({ userId, hidden, hiddenReasons }) =>
      hidden ? [userId, hiddenReasons.join(' ')] : [],
    );
    // A member can have changed its place after its first copy.
    await this.placeInArchive('hide', hidden);
    await this.placeInArchive('unhide', ranked);
    const reply = await stage(this.store.scripts, archive, [this.token, ...recordArguments(records)]);
    if (reply[2] === 'field')
      throw new RefusedError('name_unfit', { guild: this.guildId, user: members[Number(reply[1])]?.userId ?? '' });
    throwRefusal(reply);
    // Those that the archive has only now have no reasons yet.
    await this.placeInArchive('hide', hidden);
  }

  /** Hides members in the archive, each followed by its reasons, or ranks them there. Passes over those that the archive does not have yet. */
  private async placeInArchive(mode: 'hide' | 'unhide', args: readonly string[]): Promise<void> {
    if (args.length > 0) await this.step(this.options.archiveAs, mode, ...args);
  }

  /** Resets the members that are marked, unless a failover lost the step before. */
  private async resetMembers(): Promise<{ reset: number; isDone: boolean }> {
    for (let reset = 0; ; ) {
      this.options.signal?.throwIfAborted();
      const [status, left, count] = await this.step(this.guildId, 'reset', MEMBERS_PER_STEP);
      if (status === 'AGAIN') return { reset, isDone: false };
      reset += Number(count);
      if (Number(left) === 0) return { reset, isDone: true };
    }
  }

  /** Runs a mode of season.lua on the guild or on the archive. @throws RefusedError "lock" after a suspension of ten seconds. */
  private async step(guildId: string, mode: string, ...args: (string | number)[]) {
    const reply = await season(this.store.scripts, this.store.redisKeys.locked(guildId), [mode, this.token, ...args]);
    throwRefusal(reply);
    return reply;
  }

  /** @throws RefusedError when a reply says that something else is in the way. */
  private throwConflict([status, other]: readonly (string | number)[], guild: string): void {
    if (status === 'BUSY') throw new RefusedError('guild_busy', { guild });
    if (status === 'IMPORTING') throw new RefusedError('import_unfinished', { guild });
    if (status === 'OTHER') throw new RefusedError('season_unfinished', { guild, archive: String(other) });
    if (status === 'EXISTS') throw new RefusedError('archive_exists', { guild });
  }
}
