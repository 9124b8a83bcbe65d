import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { findOnPath } from '../../dev/embedded-redis.ts';
import { guildIdOf, recordOf, seedMembers } from '../data.ts';
import { moveToCore } from '../pinning.ts';
import { cpuSeconds } from '../processes.ts';
import { atLeast, figure, logProgress, median, type SectionResult, tableLines, times } from '../report.ts';
import { type BenchOptions, makeFolder, type Testbed, withTestbed } from '../testbed.ts';
import { seededRandom } from '../zipf.ts';

const MEMBERS = 300_000;
const GUILD = guildIdOf(0);
const SEED = 1;
const RAW_RATIO_GOAL = 0.6;
const RATE_GOAL = 60_000;

interface Run {
  readonly membersPerSecond: number;
  /** CPU time of Redis a member, in microseconds. */
  readonly redisCpuUs: number;
}

/** Measures members a second through the writer and through `redis-cli --pipe`, which loads keys of equal content without counters. */
export async function runSeed(options: BenchOptions): Promise<SectionResult> {
  const cli = findOnPath(['redis-cli', 'valkey-cli']);
  if (!cli) throw new Error('The seed section needs redis-cli or valkey-cli on PATH: install one');
  const members = options.small ? MEMBERS / 10 : MEMBERS;
  const file = join(makeFolder(), 'members.resp');
  logProgress('seed: writing the file for redis-cli');
  await pipeline(Readable.from(rawMembers(members)), createWriteStream(file));
  const runs = { writer: [] as Run[], raw: [] as Run[] };
  for (let round = 1; round <= options.rounds; round++) {
    logProgress(`seed: round ${round} of ${options.rounds}`);
    runs.raw.push(await timed(options, members, (testbed) => pipe(cli, file, testbed)));
    runs.writer.push(await timed(options, members, ({ store }) => seedMembers(store, GUILD, members, SEED)));
  }
  return seedResult(members, runs);
}

/** Times a load into a fresh Redis. @throws if not all members are there afterwards. */
function timed(options: BenchOptions, members: number, load: (testbed: Testbed) => Promise<void>): Promise<Run> {
  return withTestbed(options, async (testbed) => {
    const { redis, store } = testbed;
    const pid = redis.process.pid as number;
    // Redis has the most work here, so it has the server core to itself.
    moveToCore(options.cores?.server, pid);
    const cpuBefore = cpuSeconds(pid);
    const startedAt = performance.now();
    await load(testbed);
    const seconds = (performance.now() - startedAt) / 1000;
    const redisCpuUs = ((cpuSeconds(pid) - cpuBefore) * 1e6) / members;
    const ranked = await store.client.zcard(store.redisKeys.guild(GUILD).xp);
    if (ranked !== members) throw new Error(`${ranked} members arrived instead of ${members}`);
    return { membersPerSecond: members / seconds, redisCpuUs };
  });
}

async function pipe(cli: string, file: string, { redis }: Testbed): Promise<void> {
  const child = spawn(cli, ['-p', String(redis.port), '--pipe'], { stdio: ['pipe', 'ignore', 'inherit'] });
  const ended = once(child, 'exit');
  await pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), child.stdin);
  const [code] = await ended;
  if (code !== 0) throw new Error(`redis-cli --pipe ended with ${code}`);
}

function* rawMembers(members: number): Generator<string> {
  const random = seededRandom(SEED);
  for (let index = 0; index < members; index++) yield rawCommands(GUILD, recordOf(index, random));
}

/** Returns ZADD and HSET of one member in Redis's protocol: the same content as from the writer, without counters and revision. */
function rawCommands(
  guildId: string,
  { userId, set, username, dailyStreak, lastDailyClaim }: ReturnType<typeof recordOf>,
): string {
  const command = (...args: readonly string[]) =>
    `*${args.length}\r\n${args.map((arg) => `$${Buffer.byteLength(arg)}\r\n${arg}\r\n`).join('')}`;
  return (
    command('ZADD', `gr:{${guildId}}:xp`, String(set), userId) +
    command('HSET', `gr:{${guildId}}:members`, userId, `- ${dailyStreak} ${lastDailyClaim.getTime()} ${username}`)
  );
}

function seedResult(members: number, runs: Readonly<Record<'writer' | 'raw', readonly Run[]>>): SectionResult {
  const rate = (of: readonly Run[]) => median(of.map(({ membersPerSecond }) => membersPerSecond));
  const cpu = (of: readonly Run[]) => figure(median(of.map(({ redisCpuUs }) => redisCpuUs)));
  const writer = rate(runs.writer);
  const raw = rate(runs.raw);
  return {
    data: { members, writer, raw, runs },
    lines: tableLines(
      ['loading', 'members/s', 'against raw', 'CPU µs of Redis a member'],
      [
        ['load, with counters and revision', figure(writer), times(writer, raw), cpu(runs.writer)],
        ['redis-cli --pipe, ZADD and HSET alone', figure(raw), times(raw, raw), cpu(runs.raw)],
      ],
    ),
    goals: [
      atLeast('seeding against redis-cli --pipe', writer / raw, RAW_RATIO_GOAL),
      atLeast('members seeded a second', writer, RATE_GOAL),
    ],
  };
}
