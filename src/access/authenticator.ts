import { BoundedMap } from '../bounded-map.ts';
import { type RedisClient, stored } from '../redis/commands.ts';
import type { KeyNames } from '../redis/redis-keys.ts';
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

interface Remembered {
  /** Its own object, not spread into this one: V8 gives each copy made by spreading a shape of its own, which every reader pays for. */
  readonly identity: Identity;
  /** Milliseconds since the epoch, from when on nothing of this may be believed: what Redis said is too old, or the key has expired. */
  readonly goodUntil: number;
  /** Milliseconds since the epoch, from when on a request makes it be asked for anew, without waiting for that. */
  readonly renewFrom: number;
}

/** The longest a key or plan is believed without asking Redis; a change that is announced takes effect at once. */
const MEMORY_MS = 5000;
/** A key in use is asked for anew after so long, so that no request of a busy guild waits for that. */
const RENEWAL_MS = 3500;
/** Keys first seen together, as after a start, are asked for anew spread over so long: all at once would delay requests. */
const SPREAD_MS = 1000;
const MEMORY_ENTRIES = 10_000;
const DEFAULT_PLAN = 'free';

/** Tells whose key a request carries. Remembers the answer for 5 s at most; requests that wait for the same key ask once. */
export class Authenticator {
  private readonly known = new BoundedMap<Remembered>(MEMORY_ENTRIES);
  private readonly pending = new Map<string, Promise<Identity | null>>();
  /** Raised with every announced change: what was asked before it must not be remembered after it. */
  private changes = 0;

  constructor(
    private readonly apiKeys: ApiKeyStore,
    private readonly client: RedisClient,
    private readonly keys: KeyNames,
    /** Milliseconds since the epoch. */
    private readonly now: () => number,
  ) {}

  /** What is remembered of the key; undefined means ask with {@link identify}. Waits for nothing. */
  recall(key: string): Identity | undefined {
    const remembered = this.known.get(key);
    if (!remembered) return undefined;
    const now = this.now();
    if (now >= remembered.goodUntil) return undefined;
    if (now >= remembered.renewFrom && !this.pending.has(key)) this.renew(key);
    return remembered.identity;
  }

  /** Whether the key was valid not long ago, though it may have to be asked for anew. No I/O. */
  hasSeen(key: string): boolean {
    return this.known.has(key);
  }

  /**
   * Whom the key speaks for; null for a malformed, unknown, expired or revoked one. Two round trips, none for a malformed key.
   * @throws StoreUnavailableError
   */
  identify(key: string): Promise<Identity | null> {
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
  forget(guildId: string): void {
    this.changes++;
    this.pending.clear();
    this.known.forget(({ identity }) => identity.guildId === guildId);
  }

  /** Drops everything: after a spell in which changes could not be heard. */
  forgetAll(): void {
    this.changes++;
    this.pending.clear();
    this.known.forget(() => true);
  }

  /** Should it fail, what is remembered stays good for its time, and whoever comes then hears of it. */
  private renew(key: string): void {
    this.identify(key).catch(() => {});
  }

  private async lookUp(key: string): Promise<Identity | null> {
    const { changes } = this;
    const askedAt = this.now();
    const hash = hashKey(key);
    const record = await this.apiKeys.find(hash);
    const expiresAt = record ? expiryOf(record) : 0;
    // "not below" instead of "at or past": a date that cannot be read counts as past.
    if (!record || !(this.now() < expiresAt)) {
      if (changes === this.changes) this.known.delete(key);
      return null;
    }
    const plan = await stored(this.client.hget(this.keys.guild(record.guildId).config, 'plan'));
    const identity = { guildId: record.guildId, plan: plan || DEFAULT_PLAN, keyId: record.id, origins: record.origins };
    if (changes === this.changes) {
      const goodUntil = Math.min(askedAt + MEMORY_MS, expiresAt);
      this.known.set(key, { identity, goodUntil, renewFrom: askedAt + RENEWAL_MS + SPREAD_MS * fraction(hash) });
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
