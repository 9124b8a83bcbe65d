import { InvalidInputError, RefusedError } from '../errors.ts';
import { type ClientStore, publishInvalidation, transact } from '../store/store.ts';
import { oversizedKeyFields } from '../text-bounds.ts';
import { type ApiKeyRecord, isExpired, OVERSIZED, toFields } from './api-key-record.ts';
import { generateKey, generateKeyId, hashKey } from './key-format.ts';
import { withRotationLock } from './rotation-lock.ts';
import { StoredApiKeys } from './stored-api-keys.ts';

/** Names that keys may have. */
export const KEY_NAME_PATTERN = /^\P{Cc}{1,64}$/u;
/** Keys of one guild. Each look at their list reads all of them. */
export const MAX_KEYS = 100;
/** Characters of the prefix: `gr_` and four random characters. The other 28 random characters stay secret. */
const PREFIX_LENGTH = 7;

/** A key that was just made, with its record. */
export interface CreatedKey {
  /** The key itself. It is not stored, so it cannot be read again. */
  readonly key: string;
  readonly record: ApiKeyRecord;
}

/** The key that a rotation has made, with the key that it replaces. */
export interface RotatedKey extends CreatedKey {
  /** The replaced key, with the end that it has now; null if it was revoked. */
  readonly replaced: ApiKeyRecord | null;
}

/** Creates and rotates the API keys of guilds, beside finding, listing and revoking them. Every method can throw StoreUnavailableError. */
export class ApiKeyIssuer extends StoredApiKeys {
  constructor(
    store: ClientStore,
    /** Milliseconds since the epoch. */
    private readonly now: () => number,
  ) {
    super(store);
  }

  /**
   * Creates a key of a guild, in four round trips. The guild's list gets the key before the record is stored, so that every key that works is listed.
   * @param lifetimeMs milliseconds until the key expires, or null for never.
   * @param origins web origins that the key is limited to, as {@link parseOrigins} returns them; an empty list = no limit.
   * @param cap requests an hour that the key allows, as {@link parseCap} returns them, or null for no cap.
   * @param replaced id of the key that the new key replaces. The guild must still list it.
   * @throws RefusedError when the guild has {@link MAX_KEYS} keys that have not expired, or no key `replaced`.
   * @throws InvalidInputError for a name or origins above their bounds ({@link oversizedKeyFields}); nothing is stored then.
   */
  async create(
    guildId: string,
    name: string,
    lifetimeMs: number | null,
    origins: readonly string[] = [],
    cap: number | null = null,
    replaced?: string,
  ): Promise<CreatedKey> {
    const { client, redisKeys } = this.store;
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
    const oversized = oversizedKeyFields(toFields(record));
    if (oversized.length > 0)
      throw new InvalidInputError(`These fields of an API key are too long: ${oversized.join(', ')}`);
    const sha = hashKey(key);
    if (!(await this.enlist(guildId, record.id, sha, replaced))) {
      await this.removeExpired(guildId, replaced);
      if (!(await this.enlist(guildId, record.id, sha, replaced)))
        throw new RefusedError('keys_full', { guild: guildId, most: MAX_KEYS });
    }
    try {
      if (!(await this.storeListed(guildId, record.id, sha, Object.entries(toFields(record)).flat())))
        throw new RefusedError('key_revoked', { guild: guildId });
    } catch (error) {
      // Nothing of the key may stay: a record without an entry would work unseen, and an entry alone would take the place of another key.
      await client.del(redisKeys.apiKey(sha)).catch(() => {});
      await client.hdel(redisKeys.guild(guildId).apiKeys, record.id).catch(() => {});
      throw error;
    }
    return { key, record };
  }

  /** Lists a key. One round trip. @returns false when the guild has too many. @throws RefusedError */
  private async enlist(guildId: string, id: string, sha: string, replaced: string | undefined): Promise<boolean> {
    const { client, redisKeys } = this.store;
    const { apiKeys } = redisKeys.guild(guildId);
    // These commands run together, so that concurrent calls list as many keys as there is room for.
    const change = client
      .multi()
      .hset(apiKeys, id, sha)
      .hlen(apiKeys)
      .hexists(apiKeys, replaced ?? id);
    const [, count, isThere] = await transact(change);
    if (isThere === 1 && Number(count) <= MAX_KEYS) return true;
    await client.hdel(apiKeys, id);
    if (isThere === 0) throw new RefusedError('key_unknown', { guild: guildId, key: replaced ?? id });
    return false;
  }

  /** Revokes the expired keys of a guild, but no key that is being made. @param kept id of a key that stays, because its successor is being made. */
  private async removeExpired(guildId: string, kept: string | undefined): Promise<void> {
    for (const record of await this.list(guildId)) {
      if (record.id === kept || !isExpired(record, this.now())) continue;
      await this.revoke(guildId, record.id).catch(unlessRevoked);
    }
  }

  /**
   * Creates a key that replaces an old key. The old key works for `overlapMs` more milliseconds, or until its own earlier expiry; with 0 it is
   * revoked.
   * @throws RefusedError when the guild does not have the old key, and when another call rotates the old key or has rotated it a moment ago.
   * @throws InvalidInputError when the record of the old key is above a bound.
   */
  rotate(guildId: string, keyId: string, overlapMs: number): Promise<RotatedKey> {
    // Two calls at once would make two keys, and the later call would decide when the old key ends.
    const rotate = () => this.replace(guildId, keyId, overlapMs);
    return withRotationLock(this.store, guildId, keyId, rotate);
  }

  private async replace(guildId: string, keyId: string, overlapMs: number): Promise<RotatedKey> {
    const sha = await this.shaOf(guildId, keyId);
    const old = await this.find(sha);
    if (!old) throw new RefusedError('key_unfinished', { guild: guildId, key: keyId });
    if (old.isOversized) throw new InvalidInputError(`Key ${keyId} is refused, ${OVERSIZED}`);
    const created = await this.create(guildId, old.name, old.lifetimeMs, old.origins, old.cap, keyId);
    const replaced = await this.endAfter(old, sha, overlapMs).catch(async (error: unknown) => {
      // Nobody sees the new key then.
      await this.revoke(guildId, created.record.id).catch(() => {});
      throw error;
    });
    // The old key has ended, or will. So the new key is shown even if Redis does not take this message, because identities are cached for seconds only.
    await publishInvalidation(this.store, guildId).catch(() => {});
    return { ...created, replaced };
  }

  /**
   * Lets a key end after a time, unless it ends earlier anyway; with 0, revokes it. Publishes nothing.
   * @param sha SHA-256 of the key, in hex.
   * @returns the record that the key has from now on; null if the key is revoked.
   */
  private async endAfter(record: ApiKeyRecord, sha: string, overlapMs: number): Promise<ApiKeyRecord | null> {
    if (overlapMs === 0) {
      await this.remove(record.guildId, { [record.id]: sha });
      return null;
    }
    const end = new Date(this.now() + overlapMs).toISOString();
    const expiresAt = record.expiresAt === null || record.expiresAt > end ? end : record.expiresAt;
    const { client, redisKeys } = this.store;
    const apiKey = redisKeys.apiKey(sha);
    if (expiresAt !== record.expiresAt) await client.hset(apiKey, 'expires_at', expiresAt);
    if ((await client.hexists(apiKey, 'id')) === 1) return { ...record, expiresAt };
    // The key was revoked meanwhile, so nothing of it may stay.
    await client.del(apiKey);
    return null;
  }
}

/** Ignores that somebody else revoked a key before. */
function unlessRevoked(error: unknown): void {
  if (!(error instanceof RefusedError && error.code === 'key_unknown')) throw error;
}
