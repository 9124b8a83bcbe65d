import { BoundedMap } from '../bounded-map.ts';
import { type RedisClient, withStoreErrors } from '../redis/commands.ts';
import type { RedisKeys } from '../redis/redis-keys.ts';
import type { ApiKeyRecord, ApiKeyStore } from './api-keys.ts';
import { hashKey, isWellFormedKey } from './key-format.ts';

/** Whom a valid key speaks for. */
export interface Identity {
  readonly guildId: string;
  /** Name of the guild's plan, as configured. */
  readonly plan: string;
  readonly keyId: string;
  /** Web origins whose pages may use the key; none = it works everywhere. */
  readonly origins: readonly string[];
}

interface CachedIdentity {
  /** Its own object, not spread into this one: V8 gives each copy made by spreading a shape of its own, which every reader pays for. */
  readonly identity: Identity;
  /** Milliseconds since the epoch, from when on nothing of this may be believed: what Redis said is too old, or the key has expired. */
  readonly goodUntil: number;
  /** Milliseconds since the epoch, from when on a request makes it be asked for anew, without waiting for that. */
  readonly renewFrom: number;
}

/** The longest a key or plan is believed without asking Redis; a change that is announced takes effect at once. */
const CACHE_TTL_MS = 5000;
/** A key in use is asked for anew after so long, so that no request of a busy guild waits for that. */
const REFRESH_AFTER_MS = 3500;
/** Keys first seen together, as after a start, are asked for anew spread over so long: all at once would delay requests. */
const REFRESH_JITTER_MS = 1000;
const CACHE_ENTRIES = 10_000;
const DEFAULT_PLAN = 'free';

/** Tells whose key a request carries. Remembers the answer for 5 s at most; requests that wait for the same key ask once. */
export class Authenticator {
  private readonly cache = new BoundedMap<CachedIdentity>(CACHE_ENTRIES);
  private readonly pending = new Map<string, Promise<Identity | null>>();
  /** Raised with every announced change: what was asked before it must not be remembered after it. */
  private epoch = 0;

  constructor(
    private readonly apiKeys: ApiKeyStore,
    private readonly client: RedisClient,
    private readonly redisKeys: RedisKeys,
    /** Milliseconds since the epoch. */
    private readonly now: () => number,
  ) {}

  /** What is remembered of the key; undefined means ask with {@link authenticate}. Waits for nothing. */
  getCached(key: string): Identity | undefined {
    const remembered = this.cache.get(key);
    if (!remembered) return undefined;
    const now = this.now();
    if (now >= remembered.goodUntil) return undefined;
    if (now >= remembered.renewFrom && !this.pending.has(key)) this.renew(key);
    return remembered.identity;
  }

  /** Whether the key was valid not long ago, though it may have to be asked for anew. No I/O. */
  hasCached(key: string): boolean {
    return this.cache.has(key);
  }

  /**
   * Whom the key speaks for; null for a malformed, unknown, expired or revoked one. Two round trips, none for a malformed key.
   * @throws StoreUnavailableError
   */
  authenticate(key: string): Promise<Identity | null> {
    if (!isWellFormedKey(key)) return Promise.resolve(null);
    const waiting = this.pending.get(key);
    if (waiting) return waiting;
    const lookup = this.lookUp(key).finally(() => {
      if (this.pending.get(key) === lookup) this.pending.delete(key);
    });
    this.pending.set(key, lookup);
    return lookup;
  }

  /** Drops what is remembered of a guild, because its keys or its plan changed. */
  invalidate(guildId: string): void {
    this.epoch++;
    this.pending.clear();
    this.cache.forget(({ identity }) => identity.guildId === guildId);
  }

  /** Drops everything: after a spell in which changes could not be heard. */
  invalidateAll(): void {
    this.epoch++;
    this.pending.clear();
    this.cache.forget(() => true);
  }

  /** Should it fail, what is remembered stays good for its time, and whoever comes then hears of it. */
  private renew(key: string): void {
    this.authenticate(key).catch(() => {});
  }

  private async lookUp(key: string): Promise<Identity | null> {
    const { epoch } = this;
    const askedAt = this.now();
    const hash = hashKey(key);
    const record = await this.apiKeys.find(hash);
    const expiresAt = record ? expiryOf(record) : 0;
    // "not below" instead of "at or past": a date that cannot be read counts as past.
    if (!record || !(this.now() < expiresAt)) {
      if (epoch === this.epoch) this.cache.delete(key);
      return null;
    }
    const plan = await withStoreErrors(this.client.hget(this.redisKeys.guild(record.guildId).config, 'plan'));
    const identity = { guildId: record.guildId, plan: plan || DEFAULT_PLAN, keyId: record.id, origins: record.origins };
    if (epoch === this.epoch) {
      const goodUntil = Math.min(askedAt + CACHE_TTL_MS, expiresAt);
      this.cache.set(key, {
        identity,
        goodUntil,
        renewFrom: askedAt + REFRESH_AFTER_MS + REFRESH_JITTER_MS * fraction(hash),
      });
    }
    return identity;
  }
}

/** Milliseconds since the epoch. */
function expiryOf({ expiresAt }: ApiKeyRecord): number {
  return expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt);
}

/** A number from 0 to 1, for each key another. */
function fraction(hash: string): number {
  return Number.parseInt(hash.slice(0, 4), 16) / 0x10000;
}
