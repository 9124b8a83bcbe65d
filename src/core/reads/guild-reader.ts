import { checkFields, checkGuildAndUsers, wholeText } from '../check-fields.ts';
import { InvalidInputError, shownText } from '../errors.ts';
import { levelForXp } from '../ranking/curves.ts';
import { MAX_PAGE_SIZE } from '../ranking/model.ts';
import { parseRules } from '../rules/parse-rules.ts';
import type { Rules } from '../rules/parsed-rules.ts';
import { BOARDS, type BoardName, boardKeys, kindOfBoard } from '../store/redis-keys.ts';
import type { ScriptStore } from '../store/scripts.ts';
import { cardScript, type MemberCard } from './card.ts';
import type { CommandBatcher } from './command-batcher.ts';
import { listScript } from './listed-members.ts';
import { NameSearch } from './name-search.ts';
import {
  type GuildStats,
  guildStats,
  type Member,
  memberOf,
  type RankingPage,
  type RankingPart,
  rankingPart,
} from './rankings.ts';
import { aroundScript, curveOf, MemberCommand, PageCommand, RulesCommand, StatsCommand } from './read-commands.ts';
import { membersScript } from './stored-members.ts';

const MAX_AROUND = 50;

/** Members in one script call. Redis serves no other client during a call, which takes a few milliseconds. */
const MEMBERS_PER_SLICE = 250;

/** A member with the level that its roles follow. */
export interface MemberLevel {
  readonly userId: string;
  /** The explicit level, or else the level by the curve. Hidden members have a level too. */
  readonly level: number;
}

/** Which ranking to read. */
export interface RankingOptions {
  /**
   * A board of the guild: the XP gained in this week or month, or in the last week or month that is over. Without a board, the ranking of the guild.
   */
  readonly board?: BoardName;
}

/**
 * Reads guilds for a bot: the same data as the API, in camel case, without HTTP and without its quota. Each method is one script and one
 * round trip, but for `find` and `rewardsOf`.
 * All methods throw InvalidInputError for a wrong argument, and StoreUnavailableError.
 */
export class GuildReader {
  private readonly search: NameSearch;

  /** @param now milliseconds on a clock that never goes back. */
  constructor(
    private readonly store: ScriptStore & { readonly commands: CommandBatcher },
    now: () => number,
  ) {
    this.search = new NameSearch(store, now);
  }

  /** Returns one page of a ranking, from page 1, with 1 to 100 rows. A board has the members' levels in the guild. O(log m + limit). */
  async page(guildId: string, page = 1, limit = 10, options: RankingOptions = {}): Promise<RankingPage> {
    const board = checkRanking(guildId, [], options);
    wholeText('page', page, 1, Number.MAX_SAFE_INTEGER);
    wholeText('limit', limit, 1, MAX_PAGE_SIZE);
    const found = await this.store.commands.read(new PageCommand(guildId, page, limit, board));
    return { ...rankingPart(found), page };
  }

  /** Returns a ranked member, or null. O(log m). */
  async member(guildId: string, userId: string, options: RankingOptions = {}): Promise<Member | null> {
    const board = checkRanking(guildId, [userId], options);
    const { value } = await this.store.commands.read(new MemberCommand(guildId, userId, board));
    return value && memberOf(value);
  }

  /** Returns the counters and the curve of a guild. @throws StoreUnavailableError "CURVE" for a curve with unfit numbers. O(1). */
  async stats(guildId: string, options: RankingOptions = {}): Promise<GuildStats> {
    const board = checkRanking(guildId, [], options);
    const { value, curve } = await this.store.commands.read(new StatsCommand(guildId, board));
    return guildStats(value, curveOf(curve));
  }

  /**
   * Returns the rules of a guild for `xpFor` and `rewardRoles`, null without any. A bot keeps them for a while: the channel
   * `gr:changed` names a guild whose rules changed. O(1).
   * @throws InvalidInputError which names the wrong field, when another program stored rules that are wrong.
   */
  async rules(guildId: string): Promise<Rules | null> {
    checkGuildAndUsers(guildId, []);
    const { value } = await this.store.commands.read(new RulesCommand(guildId));
    return value === '' ? null : parseRules(value);
  }

  /**
   * Returns a ranked member with up to `n` members above it and up to `n` below it, and the total; null if it is not ranked.
   * O(log m + n).
   * @param n 0 to 50.
   */
  async around(guildId: string, userId: string, n = 5, options: RankingOptions = {}): Promise<RankingPart | null> {
    const board = checkRanking(guildId, [userId], options);
    const keys = this.store.redisKeys.guild(guildId);
    const reach = wholeText('n', n, 0, MAX_AROUND);
    const boards = board ? BOARDS.filter((other) => kindOfBoard(other) === kindOfBoard(board)) : [];
    const further = boards.map((name) => boardKeys(keys.xp, name).xp);
    const part = await aroundScript.run(this.store.scripts, keys, { userId, reach, board }, further);
    return part && rankingPart(part);
  }

  /**
   * Returns the data for the rank card of a member, ranked or hidden; null for a user who is not a member. O(log m).
   * @throws StoreUnavailableError "CURVE" for a curve with unfit numbers.
   */
  async card(guildId: string, userId: string): Promise<MemberCard | null> {
    checkGuildAndUsers(guildId, [userId]);
    return cardScript.run(this.store.scripts, this.store.redisKeys.guild(guildId), { userId });
  }

  /**
   * Finds ranked members by a part of their name, or by their user id: ten at most, the member with this id first, then by rank. Case and accents do
   * not matter. The reader keeps the names of the guilds that were searched, in 32 MiB at most, and reads the names anew when a minute has passed and
   * the guild has changed. The reader reads each hit again before it returns the hit, so that no search shows a member who is hidden, removed or
   * renamed.
   * @param text 1 to 100 characters, not all of them invisible.
   * @throws RefusedError "search_too_large" when the names of the guild take more than 16 MiB: then a search finds only user ids. "search_busy" when
   * too many guilds wait to be read; `params.seconds` says when to try again.
   */
  find(guildId: string, text: string): Promise<readonly Member[]> {
    return this.search.find(guildId, text);
  }

  /**
   * Lists members with the level that their roles follow, in slices of about 250: for each level, `rewardRoles` says which roles are missing
   * and which are too many. Hidden members come too. Each slice is of one moment. O(n log m) for n members; one round trip a slice, two
   * without `userIds`.
   * @param userIds the members of the server, as the bot has them: users without XP are left out. All members of the guild unless given.
   */
  async *rewardsOf(guildId: string, userIds?: Iterable<string>): AsyncGenerator<readonly MemberLevel[]> {
    const given = userIds === undefined ? undefined : listOf(userIds);
    checkGuildAndUsers(guildId, given ?? []);
    const keys = this.store.redisKeys.guild(guildId);
    for await (const slice of given ? slicesOf(given) : this.allMembers(guildId)) {
      const { curve: curveText, members } = await membersScript.run(this.store.scripts, keys, { userIds: slice });
      const curve = curveOf(curveText);
      yield members.map(({ userId, xp, level }) => ({ userId, level: level ?? levelForXp(curve, xp) }));
    }
  }

  /** Lists the user ids of a guild, ranked and hidden, each once, in the steps in which Redis scans them. */
  private async *allMembers(guildId: string): AsyncGenerator<readonly string[]> {
    const keys = this.store.redisKeys.guild(guildId);
    // A scan can give a member twice.
    const seen = new Set<string>();
    // Hidden members are read first, and again at the end, so that no member is missed that is hidden or put back meanwhile.
    for (const kind of ['hidden', 'ranked', 'hidden'] as const) {
      let cursor = '0';
      do {
        const step = await listScript.run(this.store.scripts, keys, { kind, cursor });
        const userIds = step.userIds.filter((userId) => !seen.has(userId));
        for (const userId of userIds) seen.add(userId);
        if (userIds.length > 0) yield userIds;
        cursor = step.cursor;
      } while (cursor !== '0');
    }
  }
}

/** Returns user ids as a list. A text would be a list of its letters, which nobody means. @throws InvalidInputError */
function listOf(userIds: Iterable<string>): readonly string[] {
  if (typeof userIds === 'object' && userIds !== null && Symbol.iterator in userIds) return [...userIds];
  throw new InvalidInputError(`The user ids must be a list or another iterable, not ${shownText(userIds)}`);
}

/** Cuts user ids into slices of one script call each. */
function* slicesOf(userIds: readonly string[]): Generator<readonly string[]> {
  for (let from = 0; from < userIds.length; from += MEMBERS_PER_SLICE)
    yield userIds.slice(from, from + MEMBERS_PER_SLICE);
}

/** Returns the board that a call names. @throws InvalidInputError */
function checkRanking(guildId: string, userIds: readonly string[], options: RankingOptions): BoardName | undefined {
  checkGuildAndUsers(guildId, userIds);
  checkFields(options, 'the options of a ranking', ['board']);
  const { board } = options;
  if (board === undefined || BOARDS.includes(board)) return board;
  const shown = typeof board === 'string' ? board : shownText(board);
  throw new InvalidInputError(`board must be one of ${BOARDS.join(', ')}, not ${shown}`);
}
