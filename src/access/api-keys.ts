import { RefusedError } from '../errors.ts';
import type { RedisClient } from '../store/client.ts';
import { publishInvalidation } from '../store/invalidation.ts';
import type { RedisKeys } from '../store/keys.ts';
import { transact } from '../store/store.ts';
import { type ApiKeyRecord, fromFields, isExpired, type ListedKey, toFields } from './api-key-record.ts';
import { generateKey, generateKeyId, hashKey } from './key-format.ts';
import { oneRotation } from './one-rotation.ts';

/** Names that keys may have. */
export const KEY_NAME_PATTERN = /^\P{Cc}{1,64}$/u;
/** Keys of one guild. Each look at their list reads all of them. */
export const MAX_KEYS = 100;
/** Characters of the prefix: `gr_` and four random ones. 28 random ones stay secret. */
const PREFIX_LENGTH = 7;
/** Seconds that a new record lasts until its key is found in the list. */
const UNLISTED_TTL_S = 60;

export interface CreatedKey {
  /** The key itself. It is not stored, so it cannot be read again. */
  readonly key: string;
  readonly record: ApiKeyRecord;
}

export interface RotatedKey extends CreatedKey {
  /** The key before it, with the end that it has now; null when it was revoked. */
  readonly replaced: ApiKeyRecord | null;
}

/** What a caller does with a key that is made. */
export interface KeepOptions {
  /** Called before the key works. A failure makes no key, so none works that nobody has seen. */
  readonly keep?: (created: CreatedKey) => Promise<void>;
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
   * Creates a key of a guild. Four round trips. It is listed first, so that every key that works is listed.
   * @param lifetimeMs milliseconds until it expires, or null for never.
   * @param origins web origins that it is limited to, as {@link parseOrigins} returns them; none = no limit.
   * @param cap requests an hour that it allows, as {@link parseCap} returns them, or null for no cap.
   * @param options replaced: id of a key that must be listed still.
   * @throws RefusedError when the guild has {@link MAX_KEYS} keys that have not expired, or no key `replaced`.
   */
  async create(
    guildId: string,
    name: string,
    lifetimeMs: number | null,
    origins: readonly string[] = [],
    cap: number | null = null,
    { replaced, keep }: KeepOptions & { readonly replaced?: string } = {},
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
      cap,
      prefix: key.slice(0, PREFIX_LENGTH),
    };
    const sha = hashKey(key);
    if (!(await this.enlist(guildId, record.id, sha, replaced))) {
      await this.removeExpired(guildId, replaced);
      if (!(await this.enlist(guildId, record.id, sha, replaced)))
        throw new RefusedError('keys_full', { guild: guildId, most: MAX_KEYS });
    }
    try {
      await keep?.({ key, record });
      if (!(await this.storeListed(guildId, record.id, sha, Object.entries(toFields(record)).flat())))
        throw new RefusedError('key_revoked', { guild: guildId });
    } catch (error) {
      // Nothing of it may stay: a record without an entry works unseen, and an entry alone takes the place of another key.
      await this.client.del(this.redisKeys.apiKey(sha)).catch(() => {});
      await this.client.hdel(this.redisKeys.guild(guildId).apiKeys, record.id).catch(() => {});
      throw error;
    }
    return { key, record };
  }

  /**
   * Stores the record of a key that is listed. Three round trips.
   * @param fields of the record: field, value, ...
   * @returns whether it is listed still; otherwise nothing of it stays.
   */
  async storeListed(guildId: string, id: string, sha: string, fields: readonly (string | Buffer)[]): Promise<boolean> {
    const apiKey = this.redisKeys.apiKey(sha);
    // Until it is found in the list it has an end, so that a kill leaves no key that works unseen.
    await transact(
      this.client
        .multi()
        .hset(apiKey, ...fields)
        .expire(apiKey, UNLISTED_TTL_S),
    );
    if ((await this.client.hexists(this.redisKeys.guild(guildId).apiKeys, id)) === 1) {
      const [, isThere] = await transact(this.client.multi().persist(apiKey).exists(apiKey));
      return isThere === 1;
    }
    await this.client.del(apiKey);
    return false;
  }

  /** Lists a key. One round trip. @returns false when the guild has too many. @throws RefusedError */
  private async enlist(guildId: string, id: string, sha: string, replaced: string | undefined): Promise<boolean> {
    const { apiKeys } = this.redisKeys.guild(guildId);
    // Together, so that of several calls at once as many are listed as there is room for.
    const change = this.client
      .multi()
      .hset(apiKeys, id, sha)
      .hlen(apiKeys)
      .hexists(apiKeys, replaced ?? id);
    const [, count, isThere] = await transact(change);
    if (isThere === 1 && Number(count) <= MAX_KEYS) return true;
    await this.client.hdel(apiKeys, id);
    if (isThere === 0) throw new RefusedError('key_unknown', { guild: guildId, key: replaced ?? id });
    return false;
  }

  /** Revokes the expired keys of a guild, and none that is being made. @param kept id of one that stays, because its successor is being made. */
  private async removeExpired(guildId: string, kept: string | undefined): Promise<void> {
    for (const record of await this.list(guildId)) {
      if (record.id === kept || !isExpired(record, this.now())) continue;
      await this.revoke(guildId, record.id).catch(unlessRevoked);
    }
  }

  /** Returns the record of the key with this SHA-256 (hex), or null. One round trip. */
  async find(sha: string): Promise<ApiKeyRecord | null> {
    const fields = await this.client.hgetall(this.redisKeys.apiKey(sha));
    return fields.id && fields.guild_id ? fromFields(fields) : null;
  }

  /**
   * Returns all keys of a guild, oldest first, expired ones included, and before them those without a record. One round trip for the list,
   * then one a key.
   */
  async list(guildId: string): Promise<ListedKey[]> {
    const listed = Object.entries(await this.client.hgetall(this.redisKeys.guild(guildId).apiKeys));
    const keys = await Promise.all(
      listed.map(async ([id, sha]): Promise<ListedKey> => {
        const record = await this.find(sha);
        return record ?? { ...fromFields({ id, guild_id: guildId }), isUnfinished: true };
      }),
    );
    return keys.sort((a, b) => a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id));
  }

  /**
   * Revokes a key at once, in every process of the service.
   * @throws RefusedError when the guild has no such key.
   */
  async revoke(guildId: string, keyId: string): Promise<void> {
    await this.remove(guildId, { [keyId]: await this.shaOf(guildId, keyId) });
    await publishInvalidation(this.client, this.redisKeys, guildId);
  }

  /**
   * Creates a key that replaces another. The old one works for `overlapMs` more, or until its own earlier expiry; with 0 it is revoked.
   * @throws RefusedError when the guild has no such key, or another call rotates it, or did so a moment ago.
   */
  rotate(guildId: string, keyId: string, overlapMs: number, options: KeepOptions = {}): Promise<RotatedKey> {
    // Two calls at once would make two keys, and the last of them say when the old one ends.
    const rotate = () => this.replace(guildId, keyId, overlapMs, options);
    return oneRotation(this.client, this.redisKeys, guildId, keyId, rotate);
  }

  private async replace(guildId: string, keyId: string, overlapMs: number, options: KeepOptions): Promise<RotatedKey> {
    const sha = await this.shaOf(guildId, keyId);
    const old = await this.find(sha);
    if (!old) throw new RefusedError('key_unfinished', { guild: guildId, key: keyId });
    const created = await this.create(guildId, old.name, old.lifetimeMs, old.origins, old.cap, {
      ...options,
      replaced: keyId,
    });
    const replaced = await this.endAfter(old, sha, overlapMs).catch(async (error: unknown) => {
      // Nobody sees the new key then.
      await this.revoke(guildId, created.record.id).catch(() => {});
      throw error;
    });
    // The old key has ended or will: the new one is shown whether Redis takes this or not, as identities are cached for seconds only.
    await publishInvalidation(this.client, this.redisKeys, guildId).catch(() => {});
    return { ...created, replaced };
  }

  /**
   * Lets a key end after a time, unless it does before; with 0 it is revoked. Publishes nothing.
   * @param sha of the key.
   * @returns its record from now on, null for none.
   */
  private async endAfter(record: ApiKeyRecord, sha: string, overlapMs: number): Promise<ApiKeyRecord | null> {
    if (overlapMs === 0) {
      await this.remove(record.guildId, { [record.id]: sha });
      return null;
    }
    const end = new Date(this.now() + overlapMs).toISOString();
    const expiresAt = record.expiresAt === null || record.expiresAt > end ? end : record.expiresAt;
    const apiKey = this.redisKeys.apiKey(sha);
    if (expiresAt !== record.expiresAt) await this.client.hset(apiKey, 'expires_at', expiresAt);
    if ((await this.client.hexists(apiKey, 'id')) === 1) return { ...record, expiresAt };
    // It was revoked meanwhile: nothing of it may stay.
    await this.client.del(apiKey);
    return null;
  }

  /**
   * Revokes every key of a guild, and deletes their usage.
   * @param hold rejects when the caller has lost its lock: the keys can be those of another one then, and stay.
   * @returns their number.
   */
  async revokeAll(guildId: string, hold?: () => Promise<unknown>): Promise<number> {
    const { apiKeys, apiKeysUsed, usage } = this.redisKeys.guild(guildId);
    let revoked = 0;
    for (;;) {
      const listed = await this.client.hgetall(apiKeys);
      // After the list is read, so that it names no key of one who took the lock meanwhile.
      await hold?.();
      const count = Object.keys(listed).length;
      if (count === 0) break;
      // Only those: a key that is made meanwhile stays listed until its record is deleted too.
      await this.remove(guildId, listed);
      revoked += count;
    }
    await this.client.del(apiKeysUsed, usage);
    await publishInvalidation(this.client, this.redisKeys, guildId);
    return revoked;
  }

  /** Deletes keys with all that is stored of them. Three round trips. @param listed their ids with their SHA-256. */
  private async remove(guildId: string, listed: Readonly<Record<string, string>>): Promise<void> {
    const ids = Object.keys(listed);
    const { apiKeys, apiKeysUsed } = this.redisKeys.guild(guildId);
    const deleteRecords = () =>
      Promise.all(Object.values(listed).map((sha) => this.client.del(this.redisKeys.apiKey(sha))));
    // What is beside the list goes first: if the next step fails, the keys are refused but still listed, and the call can run again.
    await Promise.all([deleteRecords(), this.client.del(...ids.map((id) => this.redisKeys.keyQuota(guildId, id)))]);
    // In this order: the service stores the use of a listed key only.
    await Promise.all([this.client.hdel(apiKeys, ...ids), this.client.hdel(apiKeysUsed, ...ids)]);
    // Once more: a key that was being made can have stored its record and found itself listed between the two.
    await deleteRecords();
  }

  private async shaOf(guildId: string, keyId: string): Promise<string> {
    const sha = await this.client.hget(this.redisKeys.guild(guildId).apiKeys, keyId);
    if (sha === null) throw new RefusedError('key_unknown', { guild: guildId, key: keyId });
    return sha;
  }
}

/** Ignores that somebody else revoked a key before. */
function unlessRevoked(error: unknown): void {
  if (!(error instanceof RefusedError && error.code === 'key_unknown')) throw error;
}
