import { RefusedError } from '../errors.ts';
import { type ClientStore, publishInvalidation, transact } from '../store/store.ts';
import { type ApiKeyRecord, fromFields, type ListedKey } from './api-key-record.ts';

/** Seconds that a new record lasts until its key is found in the list. */
const UNLISTED_TTL_S = 60;

/** Finds, lists and revokes the API keys of guilds. Every method can throw StoreUnavailableError. */
export class StoredApiKeys {
  constructor(protected readonly store: ClientStore) {}

  /** Returns the record of the key with this SHA-256 (hex), or null. One round trip. */
  async find(sha: string): Promise<ApiKeyRecord | null> {
    const fields = await this.store.client.hgetall(this.store.redisKeys.apiKey(sha));
    return fields.id && fields.guild_id ? fromFields(fields) : null;
  }

  /**
   * Returns all keys of a guild, expired keys included: first the keys without a record, then the keys with a record, oldest first. Takes a round
   * trip for the list, and then a round trip for each key.
   */
  async list(guildId: string): Promise<ListedKey[]> {
    const { client, redisKeys } = this.store;
    const listed = Object.entries(await client.hgetall(redisKeys.guild(guildId).apiKeys));
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
   * @throws RefusedError when the guild does not have the key.
   */
  async revoke(guildId: string, keyId: string): Promise<void> {
    await this.remove(guildId, { [keyId]: await this.shaOf(guildId, keyId) });
    await publishInvalidation(this.store, guildId);
  }

  /**
   * Stores the record of a key that is listed. Three round trips.
   * @param fields of the record: field, value, ...
   * @returns whether the key is still listed; otherwise nothing of it stays.
   */
  async storeListed(guildId: string, id: string, sha: string, fields: readonly (string | Buffer)[]): Promise<boolean> {
    const { client, redisKeys } = this.store;
    const apiKey = redisKeys.apiKey(sha);
    // Until the key is found in the list, its record has an end, so that a kill leaves no key that works unseen.
    await transact(
      client
        .multi()
        .hset(apiKey, ...fields)
        .expire(apiKey, UNLISTED_TTL_S),
    );
    if ((await client.hexists(redisKeys.guild(guildId).apiKeys, id)) === 1) {
      const [, isThere] = await transact(client.multi().persist(apiKey).exists(apiKey));
      return isThere === 1;
    }
    await client.del(apiKey);
    return false;
  }

  /**
   * Revokes every key of a guild, and deletes their usage.
   * @param hold rejects if the caller has lost its lock. The keys can belong to another caller then, so they stay.
   * @returns their number.
   */
  async revokeAll(guildId: string, hold?: () => Promise<unknown>): Promise<number> {
    const { client, redisKeys } = this.store;
    const { apiKeys, apiKeysUsed, usage } = redisKeys.guild(guildId);
    let revoked = 0;
    for (;;) {
      const listed = await client.hgetall(apiKeys);
      // This comes after reading the list, so that the list contains no key of a caller who took the lock meanwhile.
      await hold?.();
      const count = Object.keys(listed).length;
      if (count === 0) break;
      // Only the keys of the list are deleted: a key that is made meanwhile stays listed until its record is deleted too.
      await this.remove(guildId, listed);
      revoked += count;
    }
    await client.del(apiKeysUsed, usage);
    await publishInvalidation(this.store, guildId);
    return revoked;
  }

  /** Deletes keys with all that is stored of them. Three round trips. @param listed their ids with their SHA-256. */
  protected async remove(guildId: string, listed: Readonly<Record<string, string>>): Promise<void> {
    const { client, redisKeys } = this.store;
    const ids = Object.keys(listed);
    const { apiKeys, apiKeysUsed } = redisKeys.guild(guildId);
    const deleteRecords = () => Promise.all(Object.values(listed).map((sha) => client.del(redisKeys.apiKey(sha))));
    // The records go before the list: if the next step fails, the keys do not work but are still listed, and the call can run again.
    await Promise.all([deleteRecords(), client.del(...ids.map((id) => redisKeys.keyQuota(guildId, id)))]);
    // The order matters, because the service stores the use of listed keys only.
    await Promise.all([client.hdel(apiKeys, ...ids), client.hdel(apiKeysUsed, ...ids)]);
    // The records are deleted once more, because a key that was being made can have stored its record and found itself listed in between.
    await deleteRecords();
  }

  protected async shaOf(guildId: string, keyId: string): Promise<string> {
    const sha = await this.store.client.hget(this.store.redisKeys.guild(guildId).apiKeys, keyId);
    if (sha === null) throw new RefusedError('key_unknown', { guild: guildId, key: keyId });
    return sha;
  }
}
