import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { findOnPath } from '../../dev/embedded-redis.ts';
import { fillMembers, guildIdOf, recordOf } from '../data.ts';
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

/**
 * Measures members a second of the writes of an import alone, of the command `seed` from its start to its end, and of `redis-cli --pipe`, which
 * stores keys of equal content without counters.
 */
export async function runSeed(options: BenchOptions): Promise<SectionResult> {
  const cli = findOnPath(['redis-cli', 'valkey-cli']);
  if (!cli) throw new Error('The seed section needs redis-cli or valkey-cli on PATH: install one');
  const members = options.small ? MEMBERS / 10 : MEMBERS;
  const folder = makeFolder();
  const file = join(folder, 'members.resp');
  const csv = join(folder, 'members.csv');
  logProgress('seed: writing the files for redis-cli and for the command');
  await pipeline(Readable.from(textOf(members, rawCommands)), createWriteStream(file));
  await pipeline(Readable.from(textOf(members, csvLine)), createWriteStream(csv));
  const runs = { writes: [] as Run[], command: [] as Run[], raw: [] as Run[] };
  for (let round = 1; round <= options.rounds; round++) {
    logProgress(`seed: round ${round} of ${options.rounds}`);
    runs.raw.push(await timed(options, members, (testbed) => pipe(cli, file, testbed)));
    runs.writes.push(await timed(options, members, ({ store }) => fillMembers(store, GUILD, members, SEED)));
    runs.command.push(await timed(options, members, (testbed) => runCommand(csv, testbed)));
  }
  return seedResult(members, runs);
}

/** Times an import into a fresh Redis. @throws if not all members are there afterwards. */
function timed(options: BenchOptions, members: number, importInto: (testbed: Testbed) => Promise<void>): Promise<Run> {
  return withTestbed(options, async (testbed) => {
    const { redis, store } = testbed;
    const pid = redis.process.pid as number;
    // Redis has the most work here, so it has the server core to itself.
    moveToCore(options.cores?.server, pid);
    const cpuBefore = cpuSeconds(pid);
    const startedAt = performance.now();
    await importInto(testbed);
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

/** Imports the CSV file with the built command. @throws if the command does not import every row. */
async function runCommand(csv: string, { redis }: Testbed): Promise<void> {
  const child = spawn(process.execPath, ['dist/guildrank.cjs', 'seed', '--guild', GUILD, '--file', csv, '--json'], {
    env: { ...process.env, REDIS_URL: redis.url },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`guildrank seed ended with ${code}`);
}

type Member = ReturnType<typeof recordOf>;

/** Returns the text of each member. */
function* textOf(members: number, text: (member: Member, index: number) => string): Generator<string> {
  const random = seededRandom(SEED);
  for (let index = 0; index < members; index++) yield text(recordOf(index, random), index);
}

/** Returns ZADD and HSET of one member in Redis's protocol: the same content as an import writes, without counters and revision. */
function rawCommands({ userId, set, username, dailyStreak, lastDailyClaim }: Member): string {
  const command = (...args: readonly string[]) =>
    `*${args.length}\r\n${args.map((arg) => `$${Buffer.byteLength(arg)}\r\n${arg}\r\n`).join('')}`;
  return (
    command('ZADD', `gr:{${GUILD}}:xp`, String(set), userId) +
    command('HSET', `gr:{${GUILD}}:members`, userId, `- ${dailyStreak} ${lastDailyClaim.getTime()} ${username}`)
  );
}

/** Returns the line of one member in a CSV file; before the first member, also the line with the names of the columns. */
function csvLine({ userId, set, username, dailyStreak, lastDailyClaim }: Member, index: number): string {
  const names = index === 0 ? 'user_id,xp,username,daily_streak,last_daily_claim\n' : '';
  return `${names}${userId},${set},${username},${dailyStreak},${lastDailyClaim.toISOString()}\n`;
}

function seedResult(
  members: number,
  runs: Readonly<Record<'writes' | 'command' | 'raw', readonly Run[]>>,
): SectionResult {
  const rate = (of: readonly Run[]) => median(of.map(({ membersPerSecond }) => membersPerSecond));
  const cpu = (of: readonly Run[]) => figure(median(of.map(({ redisCpuUs }) => redisCpuUs)));
  const writes = rate(runs.writes);
  const command = rate(runs.command);
  const raw = rate(runs.raw);
  return {
    data: { members, writes, command, raw, runs },
    lines: tableLines(
      ['import', 'members/s', 'against raw', 'CPU µs of Redis a member'],
      [
        ['the writes alone, with counters and revision', figure(writes), times(writes, raw), cpu(runs.writes)],
        [
          'the command seed with a CSV file, its start included',
          figure(command),
          times(command, raw),
          cpu(runs.command),
        ],
        ['redis-cli --pipe, ZADD and HSET alone', figure(raw), times(raw, raw), cpu(runs.raw)],
      ],
    ),
    goals: [
      atLeast('members imported a second, against redis-cli --pipe', writes / raw, RAW_RATIO_GOAL),
      atLeast('members imported a second', writes, RATE_GOAL),
    ],
  };
}
