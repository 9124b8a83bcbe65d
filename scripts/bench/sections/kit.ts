import { readFileSync } from 'node:fs';
import { BotWriter } from '../../../src/bot/bot-writer.ts';
import { GuildReader } from '../../../src/bot/guild-reader.ts';
import type { Services } from '../../../src/cli/services.ts';
import { StoredMembers } from '../../../src/leaderboard/stored-members.ts';
import { Scripts } from '../../../src/redis/scripts.ts';
import { bareRecordOf, seedMembers, userIdOf } from '../data.ts';
import { moveToCore } from '../pinning.ts';
import { atLeast, atMost, figure, median, tableLines, times } from '../table.ts';
import { logProgress } from '../terminal.ts';
import { openTestbed, type Testbed } from '../testbed.ts';
import { BARE_GUILD, CALLS_IN_FLIGHT, compareAward, GUILD, type Round } from './kit-award.ts';
import type { SectionOptions, SectionResult } from './section.ts';

const MEMBERS = 1_000_000;
const MIN_RATIO = 0.8;
const MAX_BLOCK_MS = 20;
/** Calls of one kind, for the longest of them. */
const CALLS = 300;
/** Members of one call that takes many. */
const MANY = 250;
/** Commands that take less are not listed by SLOWLOG. */
const SLOW_US = 50;

/** Measures the calls of the bot kit: award beside bare commands, and how long each call keeps Redis from serving others. */
export async function runKit(options: SectionOptions): Promise<SectionResult> {
  const members = options.small ? MEMBERS / 10 : MEMBERS;
  const testbed = await openTestbed(options);
  try {
    logProgress(`kit: seeding ${figure(members)} members`);
    for (const guild of [GUILD, BARE_GUILD]) await seedMembers(testbed.store, guild, members, 1, bareRecordOf);
    // Otherwise Redis waits for the core of its client.
    moveToCore(options.pinning.serverCore, testbed.redis.process.pid as number);
    const { bare, award } = await compareAward(testbed, members, options);
    const blocks = await longestBlocks(testbed, members);
    return report(members, bare, award, blocks);
  } finally {
    await testbed.close();
  }
}

interface Block {
  readonly name: string;
  /** CPU time of Redis for the longest command. */
  readonly cpuMs: number;
  /** The same by SLOWLOG, which includes the time in which other programs kept Redis from running. */
  readonly slowlogMs: number;
}

/** Returns the store on a connection that measures the CPU time of Redis for each script. Scripts must run one by one. */
function measured({ client, redisKeys }: Services, redisPid: number) {
  const longest = { ns: 0 };
  const cpuNs = () => Number(readFileSync(`/proc/${redisPid}/task/${redisPid}/schedstat`, 'utf8').split(' ')[0]);
  const evalsha = async (...args: Parameters<typeof client.evalsha>) => {
    const before = cpuNs();
    const reply = await client.evalsha(...args);
    longest.ns = Math.max(longest.ns, cpuNs() - before);
    return reply;
  };
  const gauged = new Proxy(client, {
    get: (target, name) => {
      const value = name === 'evalsha' ? evalsha : Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const scripts = new Scripts(gauged);
  return {
    longest,
    writer: new BotWriter(scripts, redisKeys),
    reader: new GuildReader(gauged, scripts, redisKeys),
    members: new StoredMembers(gauged, scripts, redisKeys),
  };
}

/** Runs every call in a large guild, and measures the longest command of each. */
async function longestBlocks({ store, redis }: Testbed, members: number): Promise<Block[]> {
  const { client } = store;
  const { longest, writer, reader, members: stored } = measured(store, redis.process.pid as number);
  const one = (n: number) => userIdOf((n * 104_729) % members);
  const many = (n: number) => Array.from({ length: MANY }, (_, i) => one(n * MANY + i));
  const repeat = async (call: (n: number) => Promise<unknown>, count = CALLS) => {
    for (let n = 0; n < count; n++) await call(n);
  };
  const calls: [name: string, run: () => Promise<unknown>][] = [
    ['award', () => repeat((n) => writer.award(GUILD, { userId: one(n), amount: 15, cooldownMs: 9, rank: true }))],
    ['claimDaily', () => repeat((n) => writer.claimDaily(GUILD, { userId: one(n), reward: 50 }))],
    [
      `recordMany, ${MANY}`,
      () =>
        repeat(
          (n) =>
            writer.recordMany(
              GUILD,
              many(n).map((userId) => ({ userId, add: 1 })),
            ),
          40,
        ),
    ],
    [
      `setProfiles, ${MANY}`,
      () =>
        repeat(
          (n) =>
            writer.setProfiles(
              GUILD,
              many(n).map((userId) => ({ userId, profile: { level: 5 } })),
            ),
          40,
        ),
    ],
    [`hide, ${MANY}`, () => repeat((n) => writer.hide(GUILD, many(n)), 40)],
    [`unhide, ${MANY}`, () => repeat((n) => writer.unhide(GUILD, many(n)), 40)],
    [`remove, ${MANY}`, () => repeat((n) => writer.remove(GUILD, many(n)), 40)],
    ['reader.page, 100 rows', () => repeat((n) => reader.page(GUILD, 1 + n * 30, 100))],
    ['reader.around, 50', () => repeat((n) => reader.around(GUILD, one(n + 20_000), 50))],
    ['guildrank export', () => drain(stored.readAll(GUILD))],
    ['resetSeason', () => writer.resetSeason(GUILD, { archiveAs: `${GUILD}.s1` })],
    [
      'resetSeason, keepMembers: false',
      () => writer.resetSeason(GUILD, { archiveAs: `${GUILD}.s2`, keepMembers: false }),
    ],
  ];
  const blocks: Block[] = [];
  await client.config('SET', 'slowlog-log-slower-than', SLOW_US);
  await client.config('SET', 'slowlog-max-len', 100_000);
  for (const [name, run] of calls) {
    logProgress(`kit: ${name}`);
    await client.slowlog('RESET');
    longest.ns = 0;
    await run();
    const slow = (await client.slowlog('GET', -1)) as [id: number, time: number, us: number, words: string[]][];
    // The reset of a long SLOWLOG is itself slow.
    const own = slow.filter(([, , , [command = '']]) => !/slowlog/i.test(command));
    const slowlogMs = Math.max(SLOW_US, ...own.map(([, , us]) => us)) / 1000;
    blocks.push({ name, cpuMs: longest.ns / 1e6, slowlogMs });
  }
  return blocks;
}

async function drain(steps: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of steps);
}

function report(members: number, bare: Round[], award: Round[], blocks: readonly Block[]): SectionResult {
  const rate = (rounds: Round[]) => median(rounds.map(({ callsPerS }) => callsPerS));
  const redisUs = (rounds: Round[]) => median(rounds.map((round) => round.redisUs));
  const ratio = median(award.map(({ callsPerS }, n) => callsPerS / (bare[n]?.callsPerS ?? Number.NaN)));
  const rows = [
    ['ZINCRBY + HSET', figure(rate(bare)), figure(redisUs(bare)), times(1, 1)],
    ['award', figure(rate(award)), figure(redisUs(award)), times(ratio, 1)],
  ];
  return {
    data: { members, bare, award, ratio, blocks },
    lines: [
      `guilds of ${figure(members)} members, ${CALLS_IN_FLIGHT} calls in flight on one connection`,
      ...tableLines(['call', 'calls/s', 'µs of Redis', 'against bare'], rows),
      '',
      ...tableLines(
        ['call', 'longest command, ms of CPU', 'by SLOWLOG'],
        blocks.map(({ name, cpuMs, slowlogMs }) => [name, figure(cpuMs), figure(slowlogMs)]),
      ),
    ],
    goals: [
      atLeast('awards for each bare write', ratio, MIN_RATIO),
      atMost(
        'the longest command of a call, in ms of CPU',
        Math.max(...blocks.map(({ cpuMs }) => cpuMs)),
        MAX_BLOCK_MS,
      ),
    ],
  };
}
