import { NotFoundError } from '../errors.ts';
import { publishInvalidation } from '../redis/invalidation.ts';
import type { RedisClient } from '../redis/redis-client.ts';
import type { RedisKeys } from '../redis/redis-keys.ts';
import { withStoreErrors } from '../redis/scripts.ts';
import { generateKey, generateKeyId, hashKey } from './key-format.ts';
import { splitOrigins } from './origins.ts';

/** The stored data of a key, without the key itself. */
export interface ApiKeyRecord {
  readonly id: string;
  readonly guildId: string;
  readonly name: string;
  /** ISO 8601 in UTC. */
  readonly createdAt: string;
  /** ISO 8601 in UTC, or null for a key that does not expire. */
  readonly expiresAt: string | null;
  /** Milliseconds that it was made for, or null for a key that does not expire. Its rotation changes its end, and not this. */
  readonly lifetimeMs: number | null;
  /** Web origins whose pages may use the key, such as https://example.com; none = no limit. */
  readonly origins: readonly string[];
  /** First characters of the key, to recognise it by; "" for a key that was made before they were stored. */
  readonly prefix: string;
}

/** Names that keys may have. */
export const KEY_NAME_PATTERN = /^\P{Cc}{1,64}$/u;
/** Characters of the prefix: `gr_` and four random ones. 28 random ones stay secret. */
const PREFIX_LENGTH = 7;

export interface CreatedKey {
  /** The key itself. It is not stored, so it cannot be read again. */
  readonly key: string;
  readonly record: ApiKeyRecord;
}

/** Creates, finds, lists, rotates and revokes the API keys of guilds. Every method can throw StoreUnavailableError. */
export class ApiKeyStore {
  constructor(
    private readonly client: RedisClient,
    private readonly redisKeys: RedisKeys,
    /** Milliseconds since the epoch. */
    private readonly now: () => number,
  ) {}

  /**
   * Creates a key of a guild. Two round trips. It is listed first, so that every key that works is listed.
   * @param lifetimeMs milliseconds until it expires, or null for never.
   * @param origins web origins that it is limited to, as {@link parseOrigins} returns them; none = no limit.
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
      lifetimeMs,
      origins,
      prefix: key.slice(0, PREFIX_LENGTH),
    };
    const sha = hashKey(key);
    await withStoreErrors(this.client.hset(this.redisKeys.guild(guildId).apiKeys, record.id, sha));
    await withStoreErrors(this.client.hset(this.redisKeys.apiKey(sha), toFields(record)));
    return { key, record };
  }

  /** Returns the record of the key with this SHA-256 (hex), or null. One round trip. */
  async find(sha: string): Promise<ApiKeyRecord | null> {
    const fields = await withStoreErrors(this.client.hgetall(this.redisKeys.apiKey(sha)));
    return fields.id && fields.guild_id ? fromFields(fields) : null;
  }

  /** Returns all keys of a guild, oldest first, expired ones included. One round trip for the list, then one a key. */
  async list(guildId: string): Promise<ApiKeyRecord[]> {
    const shas = await withStoreErrors(this.client.hvals(this.redisKeys.guild(guildId).apiKeys));
    const records = await Promise.all(shas.map((sha) => this.find(sha)));
    return records
      .filter((record) => record !== null)
      .sort((a, b) => a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id));
  }

  /**
   * Revokes a key at once, in every process of the service.
   * @throws NotFoundError when the guild has no such key.
   */
  async revoke(guildId: string, keyId: string): Promise<void> {
    const sha = await this.shaOf(guildId, keyId);
    // The record goes first: if the second step fails, the key is refused but still listed, and revoke can run again.
    await withStoreErrors(this.client.del(this.redisKeys.apiKey(sha)));
    const { apiKeys, apiKeysUsed } = this.redisKeys.guild(guildId);
    // In this order: the service stores the use of a listed key only.
    await withStoreErrors(Promise.all([this.client.hdel(apiKeys, keyId), this.client.hdel(apiKeysUsed, keyId)]));
    await publishInvalidation(this.client, this.redisKeys, guildId);
  }

  /**
   * Creates a key that replaces another. The old one works for `overlapMs` more, or until its own earlier expiry.
   * @throws NotFoundError when the guild has no such key.
   */
  async rotate(guildId: string, keyId: string, overlapMs: number): Promise<CreatedKey> {
    const sha = await this.shaOf(guildId, keyId);
    const old = await this.find(sha);
    if (!old)
      throw new NotFoundError(
        `Key ${keyId} of guild ${guildId} has no record any more: revoke it and create a new one`,
      );
    const created = await this.create(guildId, old.name, old.lifetimeMs, old.origins);
    const end = new Date(this.now() + overlapMs).toISOString();
    if (old.expiresAt === null || old.expiresAt > end) {
      await withStoreErrors(this.client.hset(this.redisKeys.apiKey(sha), 'expires_at', end));
    }
    await publishInvalidation(this.client, this.redisKeys, guildId);
    return created;
  }

  /** Revokes every key of a guild, and deletes their usage. @returns their number. */
  async revokeAll(guildId: string): Promise<number> {
    const { apiKeys, apiKeysUsed, usage } = this.redisKeys.guild(guildId);
    const shas = await withStoreErrors(this.client.hvals(apiKeys));
    await Promise.all(shas.map((sha) => withStoreErrors(this.client.del(this.redisKeys.apiKey(sha)))));
    await withStoreErrors(this.client.del(apiKeys, apiKeysUsed, usage));
    await publishInvalidation(this.client, this.redisKeys, guildId);
    return shas.length;
  }

  private async shaOf(guildId: string, keyId: string): Promise<string> {
    const sha = await withStoreErrors(this.client.hget(this.redisKeys.guild(guildId).apiKeys, keyId));
    if (sha === null)
      throw new NotFoundError(`Guild ${guildId} has no key ${keyId}: see the ids with "keys list --guild ${guildId}"`);
    return sha;
  }
}

function toFields(record: ApiKeyRecord): Record<string, string> {
  return {
    id: record.id,
    guild_id: record.guildId,
    name: record.name,
    created_at: record.createdAt,
    ...(record.expiresAt !== null && { expires_at: record.expiresAt }),
    ...(record.lifetimeMs !== null && { lifetime_ms: String(record.lifetimeMs) }),
    ...(record.origins.length > 0 && { origins: record.origins.join(' ') }),
    prefix: record.prefix,
  };
}

function fromFields(fields: Record<string, string>): ApiKeyRecord {
  return {
    id: fields.id ?? '',
    guildId: fields.guild_id ?? '',
    name: fields.name ?? '',
    createdAt: fields.created_at ?? '',
    expiresAt: fields.expires_at || null,
    lifetimeMs: fields.lifetime_ms ? Number(fields.lifetime_ms) : null,
    origins: splitOrigins(fields.origins ?? ''),
    prefix: fields.prefix ?? '',
  };
}
