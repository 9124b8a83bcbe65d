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
import { rawCommands } from '../raw-commands.ts';
import { makeScratch } from '../scratch.ts';
import { atLeast, figure, median, tableLines, times } from '../table.ts';
import { logProgress } from '../terminal.ts';
import { openTestbed, type Testbed, type TestbedOptions } from '../testbed.ts';
import { seededRandom } from '../zipf.ts';
import type { SectionOptions, SectionResult } from './section.ts';

const MEMBERS = 300_000;
const GUILD = guildIdOf(0);
const SEED = 1;
const RAW_RATIO_GOAL = 0.5;
const RATE_GOAL = 60_000;

/** Measures members a second through the writer and through `redis-cli --pipe`, which loads keys of equal content without counters. */
export async function runSeed(options: SectionOptions): Promise<SectionResult> {
  const cli = findOnPath(['redis-cli', 'valkey-cli']);
  if (!cli) throw new Error('The seed section needs redis-cli or valkey-cli on PATH: install one');
  const members = options.small ? MEMBERS / 10 : MEMBERS;
  const scratch = makeScratch();
  try {
    const file = join(scratch.folder, 'members.resp');
    logProgress('seed: writing the file for redis-cli');
    await pipeline(Readable.from(rawMembers(members)), createWriteStream(file));
    const runs = { writer: [] as Run[], raw: [] as Run[] };
    for (let round = 1; round <= options.rounds; round++) {
      logProgress(`seed: round ${round} of ${options.rounds}`);
      runs.raw.push(await timed(options, members, (testbed) => pipe(cli, file, testbed)));
      runs.writer.push(await timed(options, members, ({ store }) => seedMembers(store, GUILD, members, SEED)));
    }
    return seedResult(members, runs);
  } finally {
    scratch.remove();
  }
}

interface Run {
  readonly membersPerSecond: number;
  /** CPU time of Redis a member, in microseconds. */
  readonly redisCpuUs: number;
}

/** Times a load into a fresh Redis. @throws if not all members are there afterwards. */
async function timed(
  options: TestbedOptions,
  members: number,
  load: (testbed: Testbed) => Promise<void>,
): Promise<Run> {
  const testbed = await openTestbed(options);
  // Redis has the most work here, so it has the server core to itself.
  moveToCore(options.pinning.serverCore, testbed.redis.process.pid as number);
  try {
    const cpuBefore = cpuSeconds(testbed.redis.process.pid as number);
    const startedAt = performance.now();
    await load(testbed);
    const seconds = (performance.now() - startedAt) / 1000;
    const ranked = await testbed.store.client.zcard(testbed.store.redisKeys.guild(GUILD).xp);
    if (ranked !== members) throw new Error(`${ranked} members arrived instead of ${members}`);
    const redisCpuUs = ((cpuSeconds(testbed.redis.process.pid as number) - cpuBefore) * 1e6) / members;
    return { membersPerSecond: members / seconds, redisCpuUs };
  } finally {
    await testbed.close();
  }
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

function seedResult(
  members: number,
  runs: { readonly writer: readonly Run[]; readonly raw: readonly Run[] },
): SectionResult {
  const rate = (of: readonly Run[]) => median(of.map(({ membersPerSecond }) => membersPerSecond));
  const cpu = (of: readonly Run[]) => figure(median(of.map(({ redisCpuUs }) => redisCpuUs)));
  const [writer, raw] = [rate(runs.writer), rate(runs.raw)];
  return {
    data: { members, writer, raw, runs },
    lines: tableLines(
      ['loading', 'members/s', 'against raw', 'CPU µs of Redis a member'],
      [
        ['recordMany, with counters and revision', figure(writer), times(writer, raw), cpu(runs.writer)],
        ['redis-cli --pipe, ZADD and HSET alone', figure(raw), times(raw, raw), cpu(runs.raw)],
      ],
    ),
    goals: [
      atLeast('seeding against redis-cli --pipe', writer / raw, RAW_RATIO_GOAL),
      atLeast('members seeded a second', writer, RATE_GOAL),
    ],
  };
}
