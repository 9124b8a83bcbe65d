import { wholeText } from '../guild/members/gain.ts';
import { checkIds } from '../guild/ranking/check-ids.ts';
import { type GuildStats, type LeaderboardPage, MAX_PAGE_SIZE, type Member } from '../guild/ranking/model.ts';
import { around, decodePage, MemberRead, PageRead, type PageReply, StatsRead } from '../guild/ranking/reader.ts';
import { CommandBatcher } from '../store/command-batcher.ts';
import type { RedisKeys } from '../store/keys.ts';
import type { Scripts } from '../store/scripts.ts';

const MAX_AROUND = 50;

/**
 * Reads guilds for a bot: the same data as the API, without HTTP and without its quota. Each method is one script and one round trip.
 * All of them throw InvalidIdError, InvalidInputError for another wrong argument, and StoreUnavailableError.
 */
export class GuildReader {
  private readonly commands: CommandBatcher;

  constructor(
    client: { readonly isCluster: boolean },
    private readonly scripts: Scripts,
    private readonly redisKeys: RedisKeys,
  ) {
    this.commands = new CommandBatcher(client, scripts, redisKeys);
  }

  /** Returns one page of the ranking, from page 1, with 1 to 100 rows. O(log m + limit). */
  async page(guildId: string, page = 1, limit = 10): Promise<LeaderboardPage> {
    checkIds(guildId, []);
    wholeText('page', page, 1, Number.MAX_SAFE_INTEGER);
    wholeText('limit', limit, 1, MAX_PAGE_SIZE);
    return (await this.commands.read(new PageRead(guildId, page, limit))).value;
  }

  /** Returns a ranked member, or null. O(log m). */
  async member(guildId: string, userId: string): Promise<Member | null> {
    checkIds(guildId, [userId]);
    return (await this.commands.read(new MemberRead(guildId, userId))).value;
  }

  /** Returns the counters and the curve of a guild. O(1). */
  async stats(guildId: string): Promise<GuildStats> {
    checkIds(guildId, []);
    return (await this.commands.read(new StatsRead(guildId))).value;
  }

  /**
   * Returns a ranked member with up to `n` members above it and up to `n` below it, and the total; null if it is not ranked.
   * O(log m + n).
   * @param n 0 to 50.
   */
  async around(guildId: string, userId: string, n = 5): Promise<Omit<LeaderboardPage, 'page'> | null> {
    checkIds(guildId, [userId]);
    const keys = this.redisKeys.guild(guildId);
    const reach = wholeText('n', n, 0, MAX_AROUND);
    const [start, reply] = await around<[number | string, PageReply]>(this.scripts, keys, [userId, reach]);
    const first = Number(start);
    if (first < 0) return null;
    const { data, total } = decodePage(reply, 1, first).value;
    return { data, total };
  }
}
