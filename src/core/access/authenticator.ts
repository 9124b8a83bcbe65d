import { LRUCache } from 'lru-cache';
import type { ClientStore } from '../store/store.ts';
import type { TimeLimit } from '../store/timeouts.ts';
import { BOUNDS } from '../text-bounds.ts';
import { type ApiKeyRecord, expiryOf, isCap, isExpired } from './api-key-record.ts';
import { hashKey, isWellFormedKey } from './key-format.ts';
import type { StoredApiKeys } from './stored-api-keys.ts';

/** The guild that a valid key belongs to, and its rights. */
export interface Identity {
  readonly guildId: string;
  /** Name of the guild's plan, as configured. */
  readonly plan: string;
  readonly keyId: string;
  /** Web origins whose pages may use the key; an empty list = all origins. */
  readonly origins: readonly string[];
  /** Requests that the key allows in a quota window; null = as many as its guild has left. */
  readonly cap: number | null;
}

interface CachedIdentity {
  /** Not spread into this object: V8 gives each spread copy a shape of its own (docs/adr/0011). */
  readonly identity: Identity;
  /** Milliseconds on the monotonic clock at which the time to live of the entry is over. */
  readonly goodUntil: number;
  /** Milliseconds on the monotonic clock from which a request refreshes the entry in the background. */
  readonly refreshFrom: number;
  /** Milliseconds since the epoch at which the key itself expires; infinity for never. */
  readonly expiresAt: number;
}

/** The longest that a key or plan is cached; an announced change takes effect at once. */
const CACHE_TTL_MS = 5000;
/** A key in use is refreshed after this time, so that no request of a busy guild waits for it. */
const REFRESH_AFTER_MS = 3500;
/** Keys cached together, as after a start, are refreshed spread over this time. */
const REFRESH_JITTER_MS = 1000;
/** Keys that are due within this time are refreshed together, because each reply of Redis wakes the process (docs/adr/0011). */
const REFRESH_TOGETHER_MS = 100;
/** At least this many keys are remembered as once valid. Only valid keys enter, so that made-up keys push no valid key out. */
const SEEN_KEYS = 50_000;
/** Bytes of the texts of one cached identity, on average: a key without origins has about 100, and a key with the most origins has 2,200. */
const IDENTITY_BYTES = 512;
/** The cache has room for the longest identities of this many keys, however few it keeps. */
const LEAST_KEYS = 16;
/** Bytes of a key and its guild, at most. */
const SEEN_BYTES = 128;
/** Characters of the name of a plan. */
const MAX_PLAN_LENGTH = BOUNDS.plan.bytes;
const DEFAULT_PLAN = 'free';

/** Authenticates API keys. Caches identities for 5 s at most; requests that wait for the same key share one look-up. */
export class Authenticator {
  private readonly cache: LRUCache<string, CachedIdentity>;
  /**
   * Keys that were valid at a look-up, with their guilds. They authenticate nothing. No key is taken out, because a Redis that has lost its
   * data may get it back.
   */
  private readonly seen: LRUCache<string, string>;
  private readonly pending = new Map<string, Promise<Identity | null>>();
  /** Keys to refresh. */
  private due = new Set<string>();
  /** Milliseconds on the monotonic clock from which a request refreshes them all. */
  private refreshDueAt = Number.POSITIVE_INFINITY;
  /** Raised with every invalidation: a look-up that began before it must not be cached after it. */
  private epoch = 0;
  private readonly lookUps = { found: 0, unknown: 0, failed: 0 };

  constructor(
    private readonly apiKeys: StoredApiKeys,
    private readonly store: ClientStore,
    /** Milliseconds since the epoch, for the expiry of keys. */
    private readonly wallClock: () => number,
    /** Milliseconds on a clock that never goes back, for the time to live of the cache. */
    private readonly now: () => number,
    /** Limits the time of a look-up as a whole. */
    private readonly limit: TimeLimit,
    /** Identities in the cache, 1 or more. Their texts have 512 bytes for each of them together. */
    maxKeys: number,
  ) {
    this.cache = new LRUCache({
      max: maxKeys,
      maxSize: Math.max(maxKeys, LEAST_KEYS) * IDENTITY_BYTES,
      sizeCalculation: ({ identity }, key) => bytesOf(key, identity),
    });
    const seenKeys = Math.max(maxKeys, SEEN_KEYS);
    this.seen = new LRUCache({
      max: seenKeys,
      maxSize: seenKeys * SEEN_BYTES,
      sizeCalculation: (guildId, key) => key.length + guildId.length,
    });
  }

  /** Returns the cached identity of a key; undefined = {@link authenticate} must look it up. No I/O. */
  getCached(key: string): Identity | undefined {
    const cached = this.cache.get(key);
    if (!cached) return undefined;
    const now = this.now();
    if (now >= cached.goodUntil || this.wallClock() >= cached.expiresAt) return undefined;
    if (now >= cached.refreshFrom && !this.pending.has(key)) this.addDue(key, now);
    if (now >= this.refreshDueAt) this.refreshDue();
    return cached.identity;
  }

  /** Returns whether {@link authenticate} would start a look-up of a key that no look-up has found valid. No I/O. */
  isUnseen(key: string): boolean {
    return !this.seen.has(key) && !this.pending.has(key) && isWellFormedKey(key);
  }

  /**
   * Returns the identity of a key, or null if it is malformed, unknown, expired or revoked. Takes two round trips, or one for a key that was valid
   * before. A malformed key takes no round trip.
   * @throws StoreUnavailableError
   */
  authenticate(key: string): Promise<Identity | null> {
    if (!isWellFormedKey(key)) return Promise.resolve(null);
    const waiting = this.pending.get(key);
    if (waiting) return waiting;
    const lookup = this.limit(this.lookUp(key)).finally(() => {
      if (this.pending.get(key) === lookup) this.pending.delete(key);
    });
    this.pending.set(key, lookup);
    this.due.delete(key);
    lookup.then(
      (identity) => this.lookUps[identity ? 'found' : 'unknown']++,
      () => this.lookUps.failed++,
    );
    return lookup;
  }

  /** Returns the look-ups in Redis so far, by result. */
  counts(): Readonly<typeof this.lookUps> {
    return this.lookUps;
  }

  /** Drops the cached identities of a guild, because its keys or its plan changed. O(entries). */
  invalidate(guildId: string): void {
    this.startEpoch();
    for (const [key, { identity }] of this.cache.entries()) {
      if (identity.guildId === guildId) this.cache.delete(key);
    }
  }

  /** Drops all cached identities, because invalidations may have been missed. */
  invalidateAll(): void {
    this.startEpoch();
    this.cache.clear();
  }

  private startEpoch(): void {
    this.epoch++;
    this.pending.clear();
  }

  private addDue(key: string, now: number): void {
    if (this.due.size === 0) this.refreshDueAt = now + REFRESH_TOGETHER_MS;
    this.due.add(key);
  }

  private refreshDue(): void {
    const keys = this.due;
    this.due = new Set();
    this.refreshDueAt = Number.POSITIVE_INFINITY;
    // A failure is ignored: the entry stays good for its time, and a later request reports the error.
    for (const key of keys) this.authenticate(key).catch(() => {});
  }

  private async lookUp(key: string): Promise<Identity | null> {
    const { epoch } = this;
    const askedAt = this.now();
    const hash = hashKey(key);
    // A key stays with its guild, so the plan of a guild that is known is read at the same time.
    const seenGuild = this.seen.get(key);
    const [record, seenPlan] = await Promise.all([this.apiKeys.find(hash), seenGuild && this.readPlan(seenGuild)]);
    if (!record || isExpired(record, this.wallClock()) || record.isOversized || !hasUsableCap(record)) {
      if (epoch === this.epoch) this.cache.delete(key);
      return null;
    }
    const { guildId, id: keyId, origins, cap } = record;
    const plan = guildId === seenGuild ? seenPlan : await this.readPlan(guildId);
    const identity = { guildId, plan: planNamed(plan), keyId, origins, cap };
    this.seen.set(key, guildId);
    if (epoch === this.epoch) {
      const goodUntil = askedAt + CACHE_TTL_MS;
      const refreshFrom = askedAt + REFRESH_AFTER_MS + REFRESH_JITTER_MS * fractionOf(hash);
      this.cache.set(key, { identity, goodUntil, refreshFrom, expiresAt: expiryOf(record) });
    }
    return identity;
  }

  private readPlan(guildId: string): Promise<string | null> {
    return this.store.client.hget(this.store.redisKeys.guild(guildId).config, 'plan');
  }
}

/**
 * Returns false for a cap that limits nothing, because another program stored it. The id of a key with a cap must be a word, because it becomes
 * an argument of batch.lua.
 */
function hasUsableCap({ id, cap }: ApiKeyRecord): boolean {
  return cap === null || (isCap(cap) && /^\w+$/.test(id));
}

/** Returns the plan that a stored text names. A text above the bound of a plan's name names no plan. */
function planNamed(text: string | null | undefined): string {
  return text && text.length <= MAX_PLAN_LENGTH ? text : DEFAULT_PLAN;
}

/** Returns the bytes of the texts that a cached identity holds. Ids, plans and origins have one byte a character. */
function bytesOf(key: string, { guildId, plan, keyId, origins }: Identity): number {
  let bytes = key.length + guildId.length + plan.length + keyId.length;
  for (const origin of origins) bytes += origin.length;
  return bytes;
}

/** Returns a number from 0 to 1 that differs from key to key. */
function fractionOf(hash: string): number {
  return Number.parseInt(hash.slice(0, 4), 16) / 0x10000;
}
