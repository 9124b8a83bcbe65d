import { NotFoundError } from '../errors.ts';
import { type RedisClient, stored } from '../redis/commands.ts';
import type { KeyNames } from '../redis/redis-keys.ts';
import { generateKey, generateKeyId, hashKey } from './key-format.ts';
import { splitOrigins } from './origins.ts';

/** What is stored about a key; never the key itself. */
export interface ApiKeyRecord {
  readonly id: string;
  readonly guildId: string;
  readonly name: string;
  /** ISO 8601 in UTC. */
  readonly createdAt: string;
  /** ISO 8601 in UTC, or null for a key that does not expire. */
  readonly expiresAt: string | null;
  /** Web origins whose pages may use it, such as https://example.com; none = it works everywhere. */
  readonly origins: readonly string[];
}

export interface CreatedKey {
  /** The key itself: known now and never again. */
  readonly key: string;
  readonly record: ApiKeyRecord;
}

/** Makes, lists and revokes the keys of guilds. */
export class ApiKeyStore {
  constructor(
    private readonly client: RedisClient,
    private readonly keys: KeyNames,
    /** Milliseconds since the epoch. */
    private readonly now: () => number,
  ) {}

  /**
   * Makes a key of a guild. Two round trips: listed first, so that no key can work without being listed.
   * @param lifetimeMs until it expires, or null for never.
   * @param origins web origins it is limited to, as {@link parseOrigins} gives them; none = no limit.
   */
  async create(
    guildId: string,
    name: string,
    lifetimeMs: number | null,
    origins: readonly string[] = [],
  ): Promise<CreatedKey> {
    const key = generateKey();
    const now = this.now();
    const record: ApiKeyRecord = {
      id: generateKeyId(),
      guildId,
      name,
      createdAt: new Date(now).toISOString(),
      expiresAt: lifetimeMs === null ? null : new Date(now + lifetimeMs).toISOString(),
      origins,
    };
    const sha = hashKey(key);
    await stored(this.client.hset(this.keys.guild(guildId).apiKeys, record.id, sha));
    await stored(this.client.hset(this.keys.apiKey(sha), toFields(record)));
    return { key, record };
  }

  /** The record of the key with this SHA-256, or null. One round trip. */
  async find(sha: string): Promise<ApiKeyRecord | null> {
    const fields = await stored(this.client.hgetall(this.keys.apiKey(sha)));
    return fields.id && fields.guild_id ? fromFields(fields) : null;
  }

  /** All keys of a guild, oldest first, expired ones included. One round trip a key. */
  async list(guildId: string): Promise<ApiKeyRecord[]> {
    const shas = await stored(this.client.hvals(this.keys.guild(guildId).apiKeys));
    const records = await Promise.all(shas.map((sha) => this.find(sha)));
    return records
      .filter((record) => record !== null)
      .sort((a, b) => a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id));
  }

  /**
   * Ends a key at once, in every process of the service.
   * @throws NotFoundError when the guild has no such key.
   */
  async revoke(guildId: string, keyId: string): Promise<void> {
    const sha = await this.shaOf(guildId, keyId);
    // The record goes first: should the second step fail, the key is dead and still listed, and revoke can run again.
    await stored(this.client.del(this.keys.apiKey(sha)));
    await stored(this.client.hdel(this.keys.guild(guildId).apiKeys, keyId));
    await this.announce(guildId);
  }

  /**
   * Makes a key that takes the place of another, which goes on working for `overlapMs` (or until its own earlier end).
   * @throws NotFoundError when the guild has no such key.
   */
  async rotate(guildId: string, keyId: string, overlapMs: number): Promise<CreatedKey> {
    const sha = await this.shaOf(guildId, keyId);
    const old = await this.find(sha);
    if (!old)
      throw new NotFoundError(
        `Key ${keyId} of guild ${guildId} has no record any more: revoke it and create a new one`,
      );
    const created = await this.create(guildId, old.name, lifetimeOf(old), old.origins);
    const end = new Date(this.now() + overlapMs).toISOString();
    if (old.expiresAt === null || old.expiresAt > end) {
      await stored(this.client.hset(this.keys.apiKey(sha), 'expires_at', end));
    }
    await this.announce(guildId);
    return created;
  }

  /** Ends every key of a guild. @returns how many there were. */
  async revokeAll(guildId: string): Promise<number> {
    const { apiKeys } = this.keys.guild(guildId);
    const shas = await stored(this.client.hvals(apiKeys));
    await Promise.all(shas.map((sha) => stored(this.client.del(this.keys.apiKey(sha)))));
    await stored(this.client.del(apiKeys));
    await this.announce(guildId);
    return shas.length;
  }

  /** Tells every process of the service to drop what it remembers of the guild's keys and plan. */
  async announce(guildId: string): Promise<void> {
    await stored(this.client.publish(this.keys.changed, guildId));
  }

  private async shaOf(guildId: string, keyId: string): Promise<string> {
    const sha = await stored(this.client.hget(this.keys.guild(guildId).apiKeys, keyId));
    if (sha === null)
      throw new NotFoundError(`Guild ${guildId} has no key ${keyId}: see the ids with "keys list --guild ${guildId}"`);
    return sha;
  }
}

function lifetimeOf(record: ApiKeyRecord): number | null {
  return record.expiresAt === null ? null : Date.parse(record.expiresAt) - Date.parse(record.createdAt);
}

function toFields(record: ApiKeyRecord): Record<string, string> {
  return {
    id: record.id,
    guild_id: record.guildId,
    name: record.name,
    created_at: record.createdAt,
    ...(record.expiresAt !== null && { expires_at: record.expiresAt }),
    ...(record.origins.length > 0 && { origins: record.origins.join(' ') }),
  };
}

function fromFields(fields: Record<string, string>): ApiKeyRecord {
  return {
    id: fields.id ?? '',
    guildId: fields.guild_id ?? '',
    name: fields.name ?? '',
    createdAt: fields.created_at ?? '',
    expiresAt: fields.expires_at || null,
    origins: splitOrigins(fields.origins ?? ''),
  };
}
