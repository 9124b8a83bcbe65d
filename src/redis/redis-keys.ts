/**
 * Every Redis key name, in one place. `{G}` is a Redis Cluster hash tag: all keys of one guild live in one slot.
 */

/** The keys of one guild. */
export interface GuildKeys {
  /** ZSET: user id -> total XP. */
  readonly xp: string;
  /** HASH of counters: members, total_xp, level_sum, rev. */
  readonly stats: string;
  /** HASH: plan, xp_curve, xp_multiplier. */
  readonly config: string;
  /** HASH: key id -> SHA-256 of the key. */
  readonly apiKeys: string;
  /** Followed by a user id: HASH of that member's profile. */
  readonly memberPrefix: string;
}

/** The keys of a guild's replacement under way. */
export interface StagingKeys extends GuildKeys {
  /** STRING with a time to live: held by the one replacement that may run. */
  readonly lock: string;
}

/** What key names a deployment uses, from its `KEY_PREFIX`. Pure. */
export class RedisKeys {
  constructor(private readonly prefix: string) {}

  guild(guildId: string): GuildKeys {
    return this.under(`${this.prefix}:{${guildId}}`);
  }

  /** Where an import builds a guild's next members before they take the place of the present ones. */
  staging(guildId: string): StagingKeys {
    const guild = this.guild(guildId);
    const staging = this.under(`${this.prefix}:{${guildId}}:next`);
    return { ...staging, config: guild.config, lock: `${staging.xp}:lock` };
  }

  private under(base: string): GuildKeys {
    return {
      xp: `${base}:xp`,
      stats: `${base}:stats`,
      config: `${base}:config`,
      apiKeys: `${base}:keys`,
      memberPrefix: `${base}:member:`,
    };
  }

  /** HASH with the record of the API key whose SHA-256 (hex) this is. */
  apiKey(sha256: string): string {
    return `${this.prefix}:key:${sha256}`;
  }

  /** Counter of the requests a guild has used in the running hour: tagged, so that it lives beside the guild. */
  quota(guildId: string): string {
    return `${this.prefix}:quota:{${guildId}}`;
  }

  /** Pub/sub channel: a guild's keys or config changed; the message is the guild id. */
  get invalidationChannel(): string {
    return `${this.prefix}:changed`;
  }
}
