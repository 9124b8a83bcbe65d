import type { Core } from '../../src/core/core.ts';
import { importRecords } from '../../src/core/members/record-members.ts';
import type { XpRecord } from '../../src/core/members/xp-record.ts';
import { logProgress } from './report.ts';
import { type FilledGuild, mixOf, userIdOf } from './requests.ts';
import type { Testbed } from './testbed.ts';
import { guildSizes, seededRandom, zipfSampler } from './zipf.ts';

/** XP writes beside the mix. */
const WRITES_PER_S = 500;
const TICK_MS = 10;
/** Requests that a run of the mix draws; it begins again after the last. */
const DISTINCT_REQUESTS = 200_000;
/** Members in one call, and calls in flight. */
const MEMBERS_PER_CALL = 500;
const CALLS_IN_FLIGHT = 4;

/** Returns a guild id as long as the ids of a chat platform: 18 digits. */
export function guildIdOf(index: number): string {
  return `7${String(index).padStart(17, '0')}`;
}

/** Returns the record of a member as a bot with daily claims stores it. The level is left to be computed. */
export function recordOf(index: number, random: () => number) {
  return {
    userId: userIdOf(index),
    set: Math.floor(random() ** 3 * 1_000_000),
    username: `member_${index.toString(36)}`,
    dailyStreak: Math.floor(random() * 60),
    lastDailyClaim: new Date(1_767_225_600_000 + Math.floor(random() * 2_592_000) * 1000),
  } satisfies XpRecord;
}

/** Imports members of one guild, with a few calls in flight. */
export async function fillMembers(store: Core, guildId: string, members: number, seed: number): Promise<void> {
  const random = seededRandom(seed);
  let next = 0;
  const sendCalls = async (): Promise<void> => {
    while (next < members) {
      const end = Math.min(next + MEMBERS_PER_CALL, members);
      const records: XpRecord[] = [];
      for (; next < end; next++) records.push(recordOf(next, random));
      await importRecords(store, guildId, records, Date.now());
    }
  };
  await Promise.all(Array.from({ length: CALLS_IN_FLIGHT }, sendCalls));
}

/** Stores a guild with its members, its plan and one key, and returns it when Redis has confirmed all writes. */
export async function fillBenchGuild(store: Core, index: number, members: number): Promise<FilledGuild> {
  const id = guildIdOf(index);
  await fillMembers(store, id, members, index + 1);
  await store.client.hset(store.redisKeys.guild(id).config, { plan: 'pro', xp_curve: 'standard' });
  const { key } = await store.apiKeys.create(id, 'bench', null);
  return { id, key, members };
}

/** Stores the guilds of the mix, and draws its requests, which are the same in each run. */
export async function prepareMix({ store, options }: Testbed) {
  const sizes = guildSizes(options.small);
  logProgress(`filling ${sizes.length} guilds`);
  const guilds: FilledGuild[] = [];
  for (const [index, members] of sizes.entries()) guilds.push(await fillBenchGuild(store, index, members));
  return { guilds, requests: mixOf(guilds, DISTINCT_REQUESTS, 1) };
}

/** Runs work beside XP writes at a steady rate to guilds chosen by Zipf's law. @throws if one of the writes failed. */
export async function besideWrites<T>(store: Core, guilds: readonly FilledGuild[], work: () => Promise<T>) {
  const random = seededRandom(4711);
  const guildIndex = zipfSampler(guilds.length, random);
  const startedAt = performance.now();
  let sent = 0;
  let failure: Error | undefined;
  const timer = setInterval(() => {
    for (const due = ((performance.now() - startedAt) / 1000) * WRITES_PER_S; sent < due; sent++) {
      const guild = guilds[guildIndex()] as FilledGuild;
      const record: XpRecord = { userId: userIdOf(Math.floor(random() * guild.members)), add: 15 };
      store.writer.record(guild.id, record).catch((error: Error) => {
        failure = error;
      });
    }
  }, TICK_MS);
  const result: T = await work().finally(() => clearInterval(timer));
  // Redis answers in order, so the PING is answered after each write.
  await store.client.ping();
  if (failure) throw failure;
  return result;
}
