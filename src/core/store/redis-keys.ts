/**
 * The names of all Redis keys. `{G}` is a Redis Cluster hash tag: all keys of one guild live in one slot.
 */

/** The version of a guild's data that the scripts know (lib-model.lua), in the field "model" of its stats. */
export const DATA_VERSION = '1';

/** Returns the keys of one guild, or of its staged members. */
function guildKeysUnder(base: string) {
  return {
    /** ZSET: user id -> total XP. */
    xp: `${base}:xp`,
    /** HASH: members, total_xp, level_sum, hidden, rev, model; at times boards, explicit, recount, moving, replacing. */
    stats: `${base}:stats`,
    /**
     * HASH: plan, xp_curve, xp_curve_custom, xp_multiplier, rules, boards, utc_offset_minutes, time_zone, utc_offsets, avatars, public_page,
     * page_index, page_rewards, page_title, page_accent, page_accent_dark, page_background, page_background_dark, page_picture.
     */
    config: `${base}:config`,
    /** HASH: the description that the bot gave of the guild: name, icon, roles and channels as JSON, and at, the time of the description. */
    about: `${base}:about`,
    /** HASH: key id -> SHA-256 of the key. */
    apiKeys: `${base}:keys`,
    /** HASH: key id -> time of the key's last request. */
    apiKeysUsed: `${base}:keys:used`,
    /** HASH: hour and key id -> requests. */
    usage: `${base}:usage`,
    /** HASH: user id -> profile, as "LEVEL STREAK CLAIM NAME". */
    members: `${base}:members`,
    /** HASH: user id -> Discord's hash of the avatar; only members with an avatar have a field. */
    avatars: `${base}:avatars`,
    /** ZSET: hidden members, user id -> total XP. */
    hidden: `${base}:hidden`,
    /** HASH: hidden member -> why it is hidden, unless by a moderator alone. */
    hiddenReasons: `${base}:hidden:reasons`,
    /** Followed by a user id: STRING with a time to live, which exists while the cooldown of this member runs. */
    cooldownPrefix: `${base}:cooldown:`,
    /** Followed by the id of an event: STRING with a time to live, the reply to the call that was done for the event. */
    eventPrefix: `${base}:event:`,
    /** Followed by a number from 1, a colon and the id of an event: STRING like an event's, for the further script calls of one call. */
    eventPartPrefix: `${base}:event-part:`,
    /** HASH: the season that is ending, or the last season that has ended. */
    season: `${base}:season`,
    /** ZSET: members that are archived and not reset yet, user id -> archived XP. */
    seasonXp: `${base}:season:xp`,
    /** STREAM: changes that were made in the dashboard, without changes of access. */
    audit: `${base}:audit`,
    /** STREAM: changes of access that were made in the dashboard: sign-ins, keys, invites, plans. */
    securityAudit: `${base}:audit:security`,
    /** STRING with a time to live: the generation that all dashboard sessions of the guild carry. Without this key, all these sessions have ended. */
    sessions: `${base}:sessions`,
  };
}

/** The keys of one guild. */
export type GuildKeys = Readonly<ReturnType<typeof guildKeysUnder>>;

/** The keys of the dashboard sessions of a guild, or of the operator. */
export interface SessionKeys extends Pick<GuildKeys, 'sessions'> {
  /**
   * ZSET with a time to live: SHA-256 of the token of a session -> time of its sign-in for the guild, in milliseconds. A session that is not in the
   * set does not open the guild any longer. The service may not read this key.
   */
  readonly open: string;
}

/** The keys of a guild with the lock that imports, deletions and the end of a season share. */
export interface LockedKeys extends GuildKeys {
  /** STRING with a time to live. */
  readonly lock: string;
}

/** The keys of staged members. */
export interface StagingKeys extends LockedKeys {
  /** HASH: hidden staged member -> why it is hidden. */
  readonly carried: string;
}

/**
 * The first keys of each script that only reads a ranking. These scripts name no other key, because a Cluster that moves a slot takes a key that does
 * not exist for a key that has moved.
 */
export const READ_KEYS = ['xp', 'stats', 'config', 'members'] as const;

/** The first keys of each script that changes or counts members. The keys of the boards follow them. */
export const GUILD_KEYS = ['xp', 'stats', 'config', 'hidden', 'members'] as const;

/** The boards of a guild, as the ids of boards name them after `~`. A board with `.prev` is the board of the last period that is over. */
export const BOARDS = ['week', 'week.prev', 'month', 'month.prev'] as const;
/** The name of a board, as in {@link BOARDS}. */
export type BoardName = (typeof BOARDS)[number];

/** The kinds of boards: a board counts the XP gained in a week, or in a month. */
export const BOARD_KINDS = ['week', 'month'] as const;
/** The kind of a board, as in {@link BOARD_KINDS}. */
export type BoardKind = (typeof BOARD_KINDS)[number];

/** Returns the kind of a board. */
export function kindOfBoard(board: BoardName): BoardKind {
  return board.startsWith('week') ? 'week' : 'month';
}

/** Returns the keys of a board of the guild with this `xp` key: ZSETs of ranked and of hidden members, user id -> XP gained. */
export function boardKeys(guildXpKey: string, board: BoardName) {
  const base = `${guildXpKey.slice(0, -':xp'.length)}~${board}`;
  return { xp: `${base}:xp`, hidden: `${base}:hidden` };
}

/** Returns the keys that the scripts take after the first five for a guild with boards (lib-boards.lua). */
export function allBoardKeys(guildXpKey: string): string[] {
  return BOARDS.flatMap((board) => Object.values(boardKeys(guildXpKey, board)));
}

/** Makes the names of keys from a deployment's `KEY_PREFIX`. Pure. */
export class RedisKeys {
  constructor(private readonly prefix: string) {}

  /** Returns the keys of a guild. */
  guild(guildId: string): GuildKeys {
    return guildKeysUnder(`${this.prefix}:{${guildId}}`);
  }

  /** Returns the keys under which an import stages members before they replace the present members. */
  staging(guildId: string): StagingKeys {
    const base = `${this.prefix}:{${guildId}}:next`;
    const staging = guildKeysUnder(base);
    return { ...staging, carried: `${base}:carried`, lock: `${staging.xp}:lock` };
  }

  /** Returns the keys of a guild with its lock. */
  locked(guildId: string): LockedKeys {
    return { ...this.guild(guildId), lock: this.staging(guildId).lock };
  }

  /** HASH: the record of the API key with this SHA-256 (hex). */
  apiKey(sha256: string): string {
    return `${this.prefix}:key:${sha256}`;
  }

  /** STRING: requests counted for a guild in the running quota window. The hash tag puts the key in the slot of the guild. */
  quota(guildId: string): string {
    return `${this.prefix}:quota:{${guildId}}`;
  }

  /** STRING: requests counted for an API key with a cap in its running quota window. The key is in the slot of the guild too. */
  keyQuota(guildId: string, keyId: string): string {
    return `${this.quota(guildId)}:${keyId}`;
  }

  /** STRING with a time to live: the lock of the rotation of an API key. */
  rotation(guildId: string, keyId: string): string {
    return `${this.guild(guildId).apiKeys}:rotating:${keyId}`;
  }

  /** Pattern of SCAN that matches at least one Redis key of each guild. It matches other keys too: see {@link guildIdOf}. */
  get guildPattern(): string {
    return `${this.prefix}:{*}:[chksx]*`;
  }

  /** Returns the guild of a Redis key that shows that the guild exists; undefined for another key. */
  guildIdOf(key: string): string | undefined {
    const rest = key.startsWith(`${this.prefix}:{`) ? key.slice(this.prefix.length) : '';
    return /^:\{([^}]+)\}:(?:config|hidden|keys|stats|xp)$/.exec(rest)?.[1];
  }

  /** STRING with a time to live: the invite to a guild's dashboard whose token has this SHA-256 (hex). */
  invite(sha256: string): string {
    return `${this.prefix}:invite:${sha256}`;
  }

  /**
   * STRING with a time to live: an invite for the operator. Its name differs from the name of other invites, so that the permissions of a bot do not
   * cover it.
   */
  operatorInvite(sha256: string): string {
    return `${this.prefix}:operator-invite:${sha256}`;
  }

  /** STRING with a time to live: the dashboard session whose token has this SHA-256 (hex). */
  session(sha256: string): string {
    return `${this.prefix}:session:${sha256}`;
  }

  /** Returns the keys of the sessions of a guild; null = the sessions of the operator. */
  sessionsOf(guildId: string | null): SessionKeys {
    if (guildId !== null) {
      return { sessions: this.guild(guildId).sessions, open: `${this.prefix}:sessions:{${guildId}}` };
    }
    const sessions = `${this.prefix}:operator-sessions`;
    return { sessions, open: `${sessions}:open` };
  }

  /** STRING with a time to live: the generation that all dashboard sessions of a person carry. Without this key, all these sessions have ended. */
  personSessions(userId: string): string {
    return `${this.prefix}:person-sessions:${userId}`;
  }

  /** Pub/sub channel: a guild's API keys or config changed; the message is the guild id. */
  get invalidationChannel(): string {
    return `${this.prefix}:changed`;
  }
}
