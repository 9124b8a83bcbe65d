import { BoundedMap } from '../bounded-map.ts';
import { type RedisClient, stored } from '../redis/commands.ts';
import type { KeyNames } from '../redis/keys.ts';
import type { ApiKeyStore } from './api-keys.ts';
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
  /** Milliseconds since the epoch; Infinity for a key that does not expire. */
  readonly expiresAt: number;
  /** Until when this may be believed without asking Redis. */
  readonly freshUntil: number;
}

/** The longest a key or plan is believed without asking Redis; a change that is announced takes effect at once. */
const MEMORY_MS = 5000;
/** Keys first seen together, as after a start, are asked for anew at different times within this part of it: all at once delays requests. */
const SPREAD = 0.2;
const MEMORY_ENTRIES = 10_000;
const DEFAULT_PLAN = 'free';

/** Tells whose key a request carries. Remembers the answer for 5 s; requests that wait for the same key ask once. */
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

  /** What is remembered of the key; undefined means ask with {@link identify}. No I/O. */
  recall(key: string): Identity | undefined {
    const remembered = this.known.get(key);
    if (!remembered) return undefined;
    const now = this.now();
    return now < remembered.freshUntil && now < remembered.expiresAt ? remembered.identity : undefined;
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

  private async lookUp(key: string): Promise<Identity | null> {
    const { changes } = this;
    const askedAt = this.now();
    const hash = hashKey(key);
    const record = await this.apiKeys.find(hash);
    if (!record) return null;
    const expiresAt = record.expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(record.expiresAt);
    // "not below" instead of "at or past": a date that cannot be read counts as past.
    if (!(this.now() < expiresAt)) return null;
    const plan = await stored(this.client.hget(this.keys.guild(record.guildId).config, 'plan'));
    const identity = { guildId: record.guildId, plan: plan || DEFAULT_PLAN, keyId: record.id, origins: record.origins };
    if (changes === this.changes) {
      this.known.set(key, { identity, expiresAt, freshUntil: askedAt + memoryMs(hash) });
    }
    return identity;
  }
}

/** How long what is known of a key is believed: for each key another time. */
function memoryMs(hash: string): number {
  return MEMORY_MS * (1 - (SPREAD * Number.parseInt(hash.slice(0, 4), 16)) / 0x10000);
}
