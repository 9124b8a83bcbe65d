import type { Services } from '../../src/cli/services.ts';
import type { XpRecord } from '../../src/leaderboard/writer.ts';
import type { LoadedGuild } from './mix.ts';
import { logProgress } from './terminal.ts';
import { guildSizes, seededRandom, zipfSampler } from './zipf.ts';

/** Rate of {@link startWrites} beside the mix. */
export const XP_WRITES_PER_S = 500;
/** Members in one call of the writer, and calls in flight. */
const MEMBERS_PER_CALL = 500;
const CALLS_IN_FLIGHT = 4;

/** Returns a guild id as long as those of a chat platform: 18 digits. */
export function guildIdOf(index: number): string {
  return `7${String(index).padStart(17, '0')}`;
}

/** Returns the id of a member by its number from 0. */
export function userIdOf(index: number): string {
  return `1${String((index * 7919) % 1e15).padStart(15, '0')}42`;
}

/** Returns the sizes of the guilds, most visited first: 1,000 guilds with 1,000,000 members, or a tenth of both. */
export function sizesFor(small: boolean): number[] {
  return small ? guildSizes(100, 10, 10_000, 100_000) : guildSizes(1000, 10, 100_000, 1_000_000);
}

/** Returns the record of a member as a bot with daily claims stores it. The level is left to be computed. */
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

/** Stores a guild with its members, its plan and one key, and returns it when Redis has confirmed all writes. */
export async function seedGuild(store: Services, index: number, members: number): Promise<LoadedGuild> {
  const id = guildIdOf(index);
  await seedMembers(store, id, members, index + 1);
  await store.client.hset(store.redisKeys.guild(id).config, { plan: 'pro', xp_curve: 'standard' });
  const { key } = await store.apiKeys.create(id, 'bench', null);
  return { id, key, members };
}

/** Stores guilds with these numbers of members. */
export async function seedGuilds(store: Services, sizes: readonly number[]): Promise<LoadedGuild[]> {
  logProgress(`seeding ${sizes.length} guilds`);
  const guilds: LoadedGuild[] = [];
  for (const [index, members] of sizes.entries()) guilds.push(await seedGuild(store, index, members));
  return guilds;
}

/** Returns the record of the same member as a bot without daily claims stores it. */
export function bareRecordOf(index: number, random: () => number): XpRecord {
  const { userId, set, profile } = recordOf(index, random);
  return { userId, set, profile: { username: profile?.username ?? null } };
}

/** Stores members of one guild through the writer, with a few calls in flight. */
export async function seedMembers(
  store: Services,
  guildId: string,
  members: number,
  seed: number,
  make: (index: number, random: () => number) => XpRecord = recordOf,
): Promise<void> {
  const random = seededRandom(seed);
  let next = 0;
  const sendCalls = async (): Promise<void> => {
    while (next < members) {
      const end = Math.min(next + MEMBERS_PER_CALL, members);
      const records: XpRecord[] = [];
      for (; next < end; next++) records.push(make(next, random));
      await store.writer.recordMany(guildId, records);
    }
  };
  await Promise.all(Array.from({ length: CALLS_IN_FLIGHT }, sendCalls));
}

/** XP writes at a steady rate, until they are stopped. */
export interface Writes {
  /** Stops the writes. @throws if one of them failed. */
  stop(): Promise<void>;
  /** Returns the number of writes that Redis has confirmed. */
  readonly confirmed: () => number;
}

const TICK_MS = 10;

/** Starts XP writes to guilds chosen by Zipf's law. */
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
      // Redis answers in order, so the PING is answered after each write.
      await store.client.ping();
      if (failure) throw failure;
    },
  };
}
