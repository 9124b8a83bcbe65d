import type { Services } from '../../src/cli/services.ts';
import type { XpRecord } from '../../src/leaderboard/writer.ts';
import type { LoadedGuild } from './mix.ts';
import { guildSizes, seededRandom, zipfSampler } from './zipf.ts';

/** Members sent to Redis in one call, and calls on their way at once. */
const BATCH = 500;
const IN_FLIGHT = 4;

/** Ids as long as a chat platform's: 18 digits. */
export function guildIdOf(index: number): string {
  return `7${String(index).padStart(17, '0')}`;
}

export function userIdOf(index: number): string {
  return `1${String((index * 7919) % 1e15).padStart(15, '0')}42`;
}

/** Sizes of the guilds, most visited first: a thousand with a million members, or a tenth of both. */
export function sizesFor(small: boolean): number[] {
  return small ? guildSizes(100, 10, 10_000, 100_000) : guildSizes(1000, 10, 100_000, 1_000_000);
}

/** The record of one synthetic member: what a bot stores that has a daily claim. Level is left to be computed. */
export function recordOf(index: number, random: () => number): XpRecord & { readonly set: number } {
  return {
    userId: userIdOf(index),
    set: Math.floor(random() ** 3 * 1_000_000),
    profile: {
      username: `member_${index.toString(36)}`,
      dailyStreak: Math.floor(random() * 60),
      lastDailyClaim: new Date(1_767_225_600_000 + Math.floor(random() * 2_592_000) * 1000),
    },
  };
}

/**
 * Stores a guild with its members, its plan and one key.
 * @returns the guild, once Redis has confirmed all of it.
 */
export async function seedGuild(store: Services, index: number, members: number): Promise<LoadedGuild> {
  const id = guildIdOf(index);
  await seedMembers(store, id, members, index + 1);
  await store.client.hset(store.redisKeys.guild(id).config, { plan: 'pro', xp_curve: 'standard' });
  const { key } = await store.apiKeys.create(id, 'bench', null);
  return { id, key, members };
}

/** The same member as a bot without daily claims stores it. */
export function bareRecordOf(index: number, random: () => number): XpRecord {
  const { userId, set, profile } = recordOf(index, random);
  return { userId, set, profile: { username: profile?.username ?? null } };
}

/** Stores members of one guild through the writer, a few calls on their way at a time. */
export async function seedMembers(
  store: Services,
  guildId: string,
  members: number,
  seed: number,
  make: (index: number, random: () => number) => XpRecord = recordOf,
): Promise<void> {
  const random = seededRandom(seed);
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < members) {
      const end = Math.min(next + BATCH, members);
      const records: XpRecord[] = [];
      for (; next < end; next++) records.push(make(next, random));
      await store.writer.recordMany(guildId, records);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
}

/** XP writes at a steady rate over Zipf-chosen guilds, until it is stopped. */
export interface Writes {
  stop(): Promise<void>;
  /** Writes that Redis has confirmed so far. */
  readonly confirmed: () => number;
}

const TICK_MS = 10;

export function startWrites(store: Services, guilds: readonly LoadedGuild[], perSecond: number): Writes {
  const random = seededRandom(4711);
  const guildIndex = zipfSampler(guilds.length, random);
  const startedAt = performance.now();
  let sent = 0;
  let confirmed = 0;
  let failure: Error | undefined;
  const timer = setInterval(() => {
    for (const due = ((performance.now() - startedAt) / 1000) * perSecond; sent < due; sent++) {
      const guild = guilds[guildIndex()] as LoadedGuild;
      const record: XpRecord = { userId: userIdOf(Math.floor(random() * guild.members)), add: 15 };
      store.writer.record(guild.id, record).then(
        () => confirmed++,
        (error: Error) => {
          failure = error;
        },
      );
    }
  }, TICK_MS);
  return {
    confirmed: () => confirmed,
    stop: async () => {
      clearInterval(timer);
      // A PING comes back after every write sent before it.
      await store.client.ping();
      if (failure) throw failure;
    },
  };
}
