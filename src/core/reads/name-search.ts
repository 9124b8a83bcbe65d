import { checkGuildAndUsers, checkText } from '../check-fields.ts';
import { InvalidInputError, RefusedError, shownText } from '../errors.ts';
import { ID_PATTERN, type LeaderboardMember as StoredMember } from '../ranking/model.ts';
import type { ScriptStore } from '../store/scripts.ts';
import type { CommandBatcher } from './command-batcher.ts';
import { foldText } from './fold-text.ts';
import { GuildNames } from './guild-names.ts';
import { type Member, memberOf } from './rankings.ts';
import { MemberCommand, StatsCommand, type Versioned } from './read-commands.ts';

/** Members that a search finds at most. */
export const MAX_HITS = 10;
/** Characters of a text to search for, at most. */
export const MAX_SEARCH_LENGTH = 100;

/** How many names a process keeps, and how often it reads the names of a guild. */
export const NAME_LIMITS = {
  /** Most bytes of the names of all guilds together. */
  bytes: 32 * 1024 * 1024,
  /** Most bytes of the names of one guild. */
  guildBytes: 16 * 1024 * 1024,
  /** Milliseconds between two readings of the names of one guild. */
  renewMs: 60_000,
  /** Most guilds whose names are being read or wait to be read. */
  waiting: 5,
} as const;

type NameLimits = { readonly [name in keyof typeof NAME_LIMITS]: number };

/** Candidates that one command confirms. Redis needs a fraction of a millisecond for them. */
const CONFIRMED_AT_ONCE = 50;
/** The most candidates that a search confirms. A search meets more false candidates only in the minute after a large part of a guild has changed. */
const MAX_CONFIRMED = 1000;
/** Bytes of the objects that hold the names of a guild. */
const OVERHEAD_BYTES = 500;
/** Seconds after which the queue of readings most likely has a free place again. */
const QUEUE_RETRY_S = 2;

/** The names of a guild as a process keeps them. */
interface KeptNames {
  /** Undefined for a guild whose names take too many bytes. */
  readonly names: GuildNames | undefined;
  readonly readAt: number;
}

/**
 * Finds ranked members by name. Redis has no index of names, so the process reads all names of a guild when somebody searches there, and keeps the
 * names. It reads them anew when a minute has passed and the guild has changed. Each search then reads the members whose kept name fits, so that no
 * search shows a member who is hidden, removed or renamed. The names of one guild are read at a time.
 */
export class NameSearch {
  /** The kept names by guild id, the least recently used guild first. */
  private readonly kept = new Map<string, KeptNames>();
  private keptBytes = 0;
  /**
   * When the names of a guild were last read, by guild id, the earliest reading first. An entry outlives the names, so that a guild is not read too
   * often.
   */
  private readonly readAt = new Map<string, number>();
  /** Readings that run or wait, by guild id. */
  private readonly readings = new Map<string, Promise<KeptNames>>();
  private lastReading: Promise<unknown> = Promise.resolve();

  /** @param now milliseconds on a clock that never goes back. */
  constructor(
    private readonly store: ScriptStore & { readonly commands: CommandBatcher },
    private readonly now: () => number,
    private readonly limits: NameLimits = NAME_LIMITS,
  ) {}

  /**
   * Returns up to ten ranked members: the member with this user id first, then by rank the members whose name contains the text. Case, accents and
   * spaces around the text do not matter. Takes one to three round trips while the names are kept, and m / 250 more to read the names of m members.
   * @param text 1 to 100 characters, not all of them invisible.
   * @throws InvalidInputError for an unfit argument.
   * @throws RefusedError "search_too_large" when the names of the guild take too many bytes, so that only a user id finds a member; "search_busy"
   * when the names of other guilds are being read, or when the names of this guild were read less than a minute ago and are not kept any more.
   * @throws StoreUnavailableError
   */
  async find(guildId: string, text: string): Promise<readonly Member[]> {
    checkGuildAndUsers(guildId, []);
    const wanted = checkedText(text);
    const userId = text.trim();
    const byId = ID_PATTERN.test(userId) ? await this.read(guildId, [userId]) : [];
    try {
      const named = await this.named(guildId, wanted);
      return [...byId, ...named.filter((member) => member.userId !== userId)].slice(0, MAX_HITS);
    } catch (error) {
      if (error instanceof RefusedError && byId.length > 0) return byId;
      throw error;
    }
  }

  /** Returns the members whose name contains a folded text, by rank: at least the first eleven, if so many members have such a name. */
  private async named(guildId: string, wanted: string): Promise<Member[]> {
    const names = await this.namesOf(guildId);
    const found: Member[] = [];
    // A scan can give a member twice.
    const userIds = new Set<string>();
    const confirm = async (some: readonly string[]) => {
      const members = await this.read(guildId, some);
      found.push(...members.filter(({ username }) => foldText(username).includes(wanted)));
    };
    let waiting: string[] = [];
    for (const userId of names.userIdsOf(wanted)) {
      if (userIds.has(userId)) continue;
      userIds.add(userId);
      waiting.push(userId);
      if (waiting.length < CONFIRMED_AT_ONCE) continue;
      await confirm(waiting);
      waiting = [];
      // The eleventh hit is needed because one hit can be the member that was found by its id.
      if (found.length > MAX_HITS || userIds.size >= MAX_CONFIRMED) break;
    }
    if (waiting.length > 0) await confirm(waiting);
    return found.sort((one, other) => one.rank - other.rank);
  }

  /** Reads members with one command, and leaves out members that are not ranked. */
  private async read(guildId: string, userIds: readonly string[]): Promise<Member[]> {
    const { commands } = this.store;
    const reads: Promise<Versioned<StoredMember | null>>[] = [];
    commands.collect(() => {
      for (const userId of userIds) reads.push(commands.read(new MemberCommand(guildId, userId)));
    });
    const replies = await Promise.all(reads);
    return replies.flatMap(({ value }) => (value ? [memberOf(value)] : []));
  }

  /** Returns the names of a guild, and reads them if they are missing or out of date. */
  private async namesOf(guildId: string): Promise<GuildNames> {
    const kept = this.kept.get(guildId);
    const isFresh = kept && (this.now() - kept.readAt < this.limits.renewMs || (await this.isUnchanged(guildId, kept)));
    const used = isFresh ? kept : await this.renewed(guildId, kept);
    // These names now are the last to be dropped, unless they were dropped meanwhile.
    if (this.kept.get(guildId) === used) {
      this.kept.delete(guildId);
      this.kept.set(guildId, used);
    }
    const { names } = used;
    if (!names) throw new RefusedError('search_too_large', { guild: guildId });
    return names;
  }

  private async isUnchanged(guildId: string, { names }: KeptNames): Promise<boolean> {
    const { revision } = await this.store.commands.read(new StatsCommand(guildId));
    return revision !== '' && revision === names?.revision;
  }

  /** Reads the names of a guild, or returns the kept names if reading is not possible now. */
  private renewed(guildId: string, kept: KeptNames | undefined): Promise<KeptNames> | KeptNames {
    const { renewMs, waiting } = this.limits;
    const reading = this.readings.get(guildId);
    if (reading) return reading;
    const waitMs = (this.readAt.get(guildId) ?? Number.NEGATIVE_INFINITY) + renewMs - this.now();
    if (waitMs <= 0 && this.readings.size < waiting) return this.startReading(guildId);
    if (kept) return kept;
    const seconds = waitMs > 0 ? Math.ceil(waitMs / 1000) : QUEUE_RETRY_S;
    throw new RefusedError('search_busy', { guild: guildId, seconds });
  }

  /** Reads the names of a guild when the readings before have ended. */
  private startReading(guildId: string): Promise<KeptNames> {
    const reading = this.lastReading.then(() => this.readNames(guildId)).finally(() => this.readings.delete(guildId));
    this.readings.set(guildId, reading);
    this.lastReading = reading.catch(() => {});
    return reading;
  }

  private async readNames(guildId: string): Promise<KeptNames> {
    const { scripts, redisKeys } = this.store;
    const names = await GuildNames.read(scripts, redisKeys.guild(guildId), this.limits.guildBytes);
    const kept = { names, readAt: this.now() };
    this.keep(guildId, kept);
    return kept;
  }

  /** Keeps names, and drops the names of the guilds that were searched least recently. */
  private keep(guildId: string, kept: KeptNames): void {
    this.drop(guildId);
    this.kept.set(guildId, kept);
    this.keptBytes += bytesOf(kept);
    for (const other of this.kept.keys()) {
      if (this.keptBytes <= this.limits.bytes) break;
      this.drop(other);
    }
    for (const [other, at] of this.readAt) {
      if (other !== guildId && kept.readAt - at < this.limits.renewMs) break;
      this.readAt.delete(other);
    }
    this.readAt.delete(guildId);
    this.readAt.set(guildId, kept.readAt);
  }

  private drop(guildId: string): void {
    const kept = this.kept.get(guildId);
    if (kept) this.keptBytes -= bytesOf(kept);
    this.kept.delete(guildId);
  }
}

function bytesOf({ names }: KeptNames): number {
  return (names?.bytes ?? 0) + OVERHEAD_BYTES;
}

/** Returns a text to search for in its folded form. @throws InvalidInputError */
function checkedText(text: string): string {
  checkText(text, 'text');
  const folded = text.length <= MAX_SEARCH_LENGTH ? foldText(text) : '';
  if (folded !== '') return folded;
  const most = `1 to ${MAX_SEARCH_LENGTH} characters that can be seen`;
  throw new InvalidInputError(`text must have ${most}, not ${shownText(text.slice(0, MAX_SEARCH_LENGTH))}`);
}
