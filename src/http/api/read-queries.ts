import type { Identity } from '../../access/authenticator.ts';
import type { GuildStats, LeaderboardPage, Member } from '../../leaderboard/model.ts';
import type { LeaderboardReader, Versioned } from '../../leaderboard/reader.ts';
import type { Want } from '../../reads/response-cache.ts';
import { Problem } from '../response/problem.ts';
import { type RenderedBody, renderJson, renderStats } from '../response/rendered-body.ts';

/**
 * What an address asks for, once its parameters are checked. One flat object each, because thousands are remembered and the garbage
 * collector walks over all of them, again and again: with closures it had twelve an address (docs/adr/0011).
 */
abstract class Asked<T, V extends RenderedBody | null> implements Want<V> {
  readonly key: string;
  /** Whether it is remembered under its address. */
  remembered = false;

  constructor(
    protected readonly reader: LeaderboardReader,
    /** Pattern of the address's path. */
    readonly path: string,
    protected readonly guildId: string,
    /** What of the guild, in one way for all addresses that ask for the same. */
    ...what: readonly (string | number)[]
  ) {
    this.key = [guildId, ...what].join(' ');
  }

  abstract read(held?: string): Promise<Versioned<T> | undefined>;
  abstract render(value: T): V;

  /** What is wanted, for a key of its guild. @throws Problem wrong_guild for any other. */
  by(identity: Identity): this {
    if (this.guildId !== identity.guildId) throw wrongGuild();
    return this;
  }
}

export class AskedPage extends Asked<LeaderboardPage, RenderedBody> {
  constructor(
    reader: LeaderboardReader,
    path: string,
    guildId: string,
    private readonly page: number,
    private readonly limit: number,
  ) {
    super(reader, path, guildId, 'page', page, limit);
  }

  read(held?: string): Promise<Versioned<LeaderboardPage> | undefined> {
    return this.reader.page(this.guildId, this.page, this.limit, held);
  }

  render(page: LeaderboardPage): RenderedBody {
    return renderJson(page);
  }
}

export class AskedMember extends Asked<Member | null, RenderedBody | null> {
  constructor(
    reader: LeaderboardReader,
    path: string,
    guildId: string,
    private readonly userId: string,
  ) {
    super(reader, path, guildId, 'member', userId);
  }

  read(held?: string): Promise<Versioned<Member | null> | undefined> {
    return this.reader.member(this.guildId, this.userId, held);
  }

  render(member: Member | null): RenderedBody | null {
    return member && renderJson(member);
  }
}

export class AskedStats extends Asked<GuildStats, RenderedBody> {
  constructor(reader: LeaderboardReader, path: string, guildId: string) {
    super(reader, path, guildId, 'stats');
  }

  read(held?: string): Promise<Versioned<GuildStats> | undefined> {
    return this.reader.stats(this.guildId, held);
  }

  render(stats: GuildStats): RenderedBody {
    return renderStats(stats);
  }
}

export type AskedAny = AskedPage | AskedMember | AskedStats;

export function wrongGuild(): Problem {
  return new Problem('wrong_guild', 'This API key belongs to another server.');
}
