import { NotFoundError } from '../errors.ts';
import { type RedisClient, withStoreErrors } from '../redis/commands.ts';
import type { RedisKeys } from '../redis/redis-keys.ts';
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
    private readonly redisKeys: RedisKeys,
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
    await withStoreErrors(this.client.hset(this.redisKeys.guild(guildId).apiKeys, record.id, sha));
    await withStoreErrors(this.client.hset(this.redisKeys.apiKey(sha), toFields(record)));
    return { key, record };
  }

  /** The record of the key with this SHA-256, or null. One round trip. */
  async find(sha: string): Promise<ApiKeyRecord | null> {
    const fields = await withStoreErrors(this.client.hgetall(this.redisKeys.apiKey(sha)));
    return fields.id && fields.guild_id ? fromFields(fields) : null;
  }

  /** All keys of a guild, oldest first, expired ones included. One round trip a key. */
  async list(guildId: string): Promise<ApiKeyRecord[]> {
    const shas = await withStoreErrors(this.client.hvals(this.redisKeys.guild(guildId).apiKeys));
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
    await withStoreErrors(this.client.del(this.redisKeys.apiKey(sha)));
    await withStoreErrors(this.client.hdel(this.redisKeys.guild(guildId).apiKeys, keyId));
    await this.publishInvalidation(guildId);
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
      await withStoreErrors(this.client.hset(this.redisKeys.apiKey(sha), 'expires_at', end));
    }
    await this.publishInvalidation(guildId);
    return created;
  }

  /** Ends every key of a guild. @returns how many there were. */
  async revokeAll(guildId: string): Promise<number> {
    const { apiKeys } = this.redisKeys.guild(guildId);
    const shas = await withStoreErrors(this.client.hvals(apiKeys));
    await Promise.all(shas.map((sha) => withStoreErrors(this.client.del(this.redisKeys.apiKey(sha)))));
    await withStoreErrors(this.client.del(apiKeys));
    await this.publishInvalidation(guildId);
    return shas.length;
  }

  /** Tells every process of the service to drop what it remembers of the guild's keys and plan. */
  async publishInvalidation(guildId: string): Promise<void> {
    await withStoreErrors(this.client.publish(this.redisKeys.invalidationChannel, guildId));
  }

  private async shaOf(guildId: string, keyId: string): Promise<string> {
    const sha = await withStoreErrors(this.client.hget(this.redisKeys.guild(guildId).apiKeys, keyId));
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
