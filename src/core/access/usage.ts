import { setImmediate as nextTurn } from 'node:timers/promises';
import { StoreUnavailableError } from '../errors.ts';
import { defineScript } from '../store/script.ts';
import type { ScriptStore } from '../store/scripts.ts';
import type { Identity } from './authenticator.ts';
import { generateKeyId } from './key-format.ts';

export const HOUR_MS = 3_600_000;
/** Hours of usage that Redis keeps: eight days, so that the last seven are always whole. */
const KEPT_HOURS = 8 * 24;
/** Guilds whose replies are awaited together. */
const GUILDS_PER_STEP = 100;
/** Guilds whose counts are sent together. Between two groups of guilds, this process and Redis serve requests. */
const GUILDS_AT_ONCE = 10;
/** Most counts that wait for Redis; further counts are dropped. This is reached while Redis refuses them, or with more API keys in ten seconds. */
const MAX_WAITING = 50_000;
/** Identities that are counted before they are added up. */
const MAX_COUNTED = 10_000;

/** The uses of requests without an API key: the public page, or its data. A use takes the place of a key id, which has ten characters. */
export const PUBLIC_USES = ['page', 'data'] as const;
/** A use of the public page. */
export type PublicUse = (typeof PUBLIC_USES)[number];

/** Numbers of requests of one identity, by the decision of the quota. */
interface CountedRequests {
  allowed: number;
  refused: number;
  /** Milliseconds since the epoch. */
  lastUsedAt: number;
}

/** The requests of a guild that a process has counted, as one call writes them. */
interface CountedUsage {
  readonly processId: string;
  /** A number greater than in all earlier calls of this process. Redis does the call of a number once. */
  readonly call: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Requests by the field of `gr:{G}:usage`. */
  readonly counts: ReadonlyMap<string, number>;
  /** Milliseconds since the epoch of the last request, by key id. */
  readonly used: ReadonlyMap<string, number>;
}

/** Adds up the requests of a guild's API keys. */
export const usageScript = defineScript({
  name: 'usage',
  keys: ['usage', 'apiKeysUsed', 'apiKeys', 'stats', 'config'],
  args({ processId, call, now, counts, used }: CountedUsage) {
    const latest = new Date(now + 24 * HOUR_MS).toISOString();
    const times = [...used].map(([keyId, time]) => [keyId, new Date(time).toISOString()]);
    const head = [processId, call, Math.floor(now / HOUR_MS), KEPT_HOURS, latest, counts.size];
    return [...head, ...[...counts].flat(), ...times.flat()];
  },
  decode: () => undefined,
});

/** The usage of a guild that waits for Redis. */
class WaitingUsage {
  /** Requests by the field of `gr:{G}:usage`. */
  counts = new Map<string, number>();
  /** Milliseconds since the epoch of the last request, by key id. */
  used = new Map<string, number>();
  /** A call that Redis may have done: it was sent, and has no reply. */
  unconfirmed: CountedUsage | undefined;
  /** Calls since the last reply. */
  unanswered = 0;
}

/**
 * Counts the requests of each API key, and the requests without a key, by the hour in memory, and adds the counts to `gr:{G}:usage` with
 * {@link write}. If the process is killed, the counts that are not written yet are lost. No request is written twice: a call without a reply is
 * repeated unchanged, and Redis does the call once.
 */
export class Usage {
  private readonly processId = generateKeyId();
  private calls = 0;
  private hour = 0;
  /** Requests in {@link hour} that are not added up yet. */
  private readonly counted = new Map<Identity, CountedRequests>();
  /** Requests without an API key in {@link hour} that are not added up yet, by guild id and what they are for. */
  private readonly countedPublic = new Map<string, Partial<Record<PublicUse, number>>>();
  /** By guild id. */
  private readonly waiting = new Map<string, WaitingUsage>();
  private waitingCounts = 0;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly store: ScriptStore,
    /** Milliseconds since the epoch. */
    private readonly now: () => number,
  ) {}

  /** Counts a request. @param allowed whether its quota allowed it. */
  count(identity: Identity, allowed: boolean): void {
    const now = this.beginHour();
    let counted = this.counted.get(identity);
    if (!counted) {
      counted = { allowed: 0, refused: 0, lastUsedAt: 0 };
      this.counted.set(identity, counted);
    }
    if (allowed) counted.allowed++;
    else counted.refused++;
    counted.lastUsedAt = now;
  }

  /** Counts a request without an API key, for the public page of a guild or its data. It counts on no quota. */
  countPublic(guildId: string, use: PublicUse): void {
    this.beginHour();
    const counted = this.countedPublic.get(guildId) ?? {};
    counted[use] = (counted[use] ?? 0) + 1;
    this.countedPublic.set(guildId, counted);
  }

  /** Adds up what was counted in an hour that is over, and when too much is counted. @returns milliseconds since the epoch. */
  private beginHour(): number {
    const now = this.now();
    const hour = Math.floor(now / HOUR_MS);
    if (hour !== this.hour || this.counted.size + this.countedPublic.size >= MAX_COUNTED) {
      this.addUp();
      this.hour = hour;
    }
    return now;
  }

  /**
   * Writes all requests that were counted before the call. One command a guild. It ends when all guilds of a step fail.
   * @throws StoreUnavailableError if not all could be written; if there is an outage, the error of the outage. The next call writes the rest.
   */
  write(): Promise<void> {
    const write = () => this.writeAll();
    this.writing = this.writing.then(write, write);
    return this.writing;
  }

  private async writeAll(): Promise<void> {
    this.addUp();
    const failures: unknown[] = [];
    // Guilds on a shard that is down come last, because a step in which all guilds fail ends the write.
    const guilds = [...this.waiting].sort(([, one], [, other]) => one.unanswered - other.unanswered);
    for (let i = 0; i < guilds.length; i += GUILDS_PER_STEP) {
      const step = guilds.slice(i, i + GUILDS_PER_STEP);
      const results = await this.writeStep(step);
      const failed: unknown[] = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason);
      failures.push(...failed);
      if (failed.length === step.length) break;
    }
    if (failures.length === 0) return;
    throw failures.find((error) => error instanceof StoreUnavailableError && error.isOutage) ?? failures[0];
  }

  private async writeStep(step: readonly (readonly [string, WaitingUsage])[]): Promise<PromiseSettledResult<void>[]> {
    const groups: Promise<PromiseSettledResult<void>[]>[] = [];
    for (let i = 0; i < step.length; i += GUILDS_AT_ONCE) {
      if (i > 0) await nextTurn();
      const group = step.slice(i, i + GUILDS_AT_ONCE);
      groups.push(Promise.allSettled(group.map(([guildId, guild]) => this.writeGuild(guildId, guild))));
    }
    return (await Promise.all(groups)).flat();
  }

  private async writeGuild(guildId: string, guild: WaitingUsage): Promise<void> {
    const keys = this.store.redisKeys.guild(guildId);
    while (guild.unconfirmed || guild.counts.size > 0) {
      guild.unconfirmed ??= this.takeCall(guild);
      guild.unanswered++;
      await usageScript.run(this.store.scripts, keys, guild.unconfirmed);
      guild.unconfirmed = undefined;
      guild.unanswered = 0;
    }
    this.waiting.delete(guildId);
  }

  /** Returns a call with all that waits. */
  private takeCall(guild: WaitingUsage): CountedUsage {
    const { counts, used } = guild;
    this.waitingCounts -= counts.size;
    guild.counts = new Map();
    guild.used = new Map();
    return { processId: this.processId, call: ++this.calls, now: this.now(), counts, used };
  }

  /** Adds what was counted to what waits for Redis. */
  private addUp(): void {
    for (const [{ guildId, keyId }, { allowed, refused, lastUsedAt }] of this.counted) {
      const guild = this.waiting.get(guildId) ?? new WaitingUsage();
      const isKept = this.add(guild, `${this.hour}:${keyId}`, allowed);
      const isRefusedKept = this.add(guild, `${this.hour}:${keyId}:refused`, refused);
      if (!isKept && !isRefusedKept) continue;
      guild.used.set(keyId, Math.max(lastUsedAt, guild.used.get(keyId) ?? 0));
      this.waiting.set(guildId, guild);
    }
    this.counted.clear();
    for (const [guildId, counted] of this.countedPublic) {
      const guild = this.waiting.get(guildId) ?? new WaitingUsage();
      for (const use of PUBLIC_USES) {
        if (this.add(guild, `${this.hour}:${use}`, counted[use] ?? 0)) this.waiting.set(guildId, guild);
      }
    }
    this.countedPublic.clear();
  }

  /** Returns whether there was something to add, and room for it. */
  private add({ counts }: WaitingUsage, field: string, requests: number): boolean {
    const before = counts.get(field);
    if (requests === 0 || (before === undefined && this.waitingCounts >= MAX_WAITING)) return false;
    if (before === undefined) this.waitingCounts++;
    counts.set(field, (before ?? 0) + requests);
    return true;
  }
}
