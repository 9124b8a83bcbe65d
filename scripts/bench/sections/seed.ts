import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { findOnPath } from '../../dev/embedded-redis.ts';
import { guildIdOf, recordOf, seedMembers } from '../data.ts';
import { moveToCore, type Pinning } from '../pinning.ts';
import { cpuSeconds } from '../processes.ts';
import { rawCommands } from '../raw-commands.ts';
import { makeScratch } from '../scratch.ts';
import { openStage, type Stage } from '../stage.ts';
import { atLeast, figure, median, tableLines, times } from '../table.ts';
import { logProgress } from '../terminal.ts';
import { seededRandom } from '../zipf.ts';
import type { SectionOptions, SectionResult } from './section.ts';

const MEMBERS = 300_000;
const GUILD = guildIdOf(0);
const SEED = 1;
const OF_RAW_GOAL = 0.5;
const RATE_GOAL = 60_000;

/** Members a second through the writer, against `redis-cli --pipe` loading keys of equal content without any counters. */
export async function runSeed(options: SectionOptions): Promise<SectionResult> {
  const cli = findOnPath(['redis-cli', 'valkey-cli']);
  if (!cli) throw new Error('The seed section needs redis-cli or valkey-cli on PATH: install one');
  const members = options.small ? MEMBERS / 10 : MEMBERS;
  const scratch = makeScratch();
  try {
    const file = join(scratch.folder, 'members.resp');
    logProgress('seed: writing the file for redis-cli');
    await pipeline(Readable.from(rawOf(members)), createWriteStream(file));
    const runs = { writer: [] as Run[], raw: [] as Run[] };
    for (let round = 1; round <= options.rounds; round++) {
      logProgress(`seed: round ${round} of ${options.rounds}`);
      runs.raw.push(await timed(options.pinning, members, (stage) => pipe(cli, file, stage)));
      runs.writer.push(await timed(options.pinning, members, ({ store }) => seedMembers(store, GUILD, members, SEED)));
    }
    return seedResult(members, runs);
  } finally {
    scratch.remove();
  }
}

interface Run {
  readonly membersPerSecond: number;
  /** Processor time of Redis a member, in microseconds. */
  readonly redisCpuUs: number;
}

/** One way on a fresh Redis. @throws when the members are not there afterwards. */
async function timed(pinning: Pinning, members: number, load: (stage: Stage) => Promise<void>): Promise<Run> {
  const stage = await openStage(pinning);
  // Here Redis is what works hardest: it gets the other core to itself, whoever feeds it.
  moveToCore(pinning.serverCore, stage.redis.process.pid as number);
  try {
    const cpuBefore = cpuSeconds(stage.redis.process.pid as number);
    const startedAt = performance.now();
    await load(stage);
    const seconds = (performance.now() - startedAt) / 1000;
    const ranked = await stage.store.client.zcard(stage.store.redisKeys.guild(GUILD).xp);
    if (ranked !== members) throw new Error(`${ranked} members arrived instead of ${members}`);
    const redisCpuUs = ((cpuSeconds(stage.redis.process.pid as number) - cpuBefore) * 1e6) / members;
    return { membersPerSecond: members / seconds, redisCpuUs };
  } finally {
    await stage.close();
  }
}

async function pipe(cli: string, file: string, { redis }: Stage): Promise<void> {
  const child = spawn(cli, ['-p', String(redis.port), '--pipe'], { stdio: ['pipe', 'ignore', 'inherit'] });
  const ended = once(child, 'exit');
  await pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), child.stdin);
  const [code] = await ended;
  if (code !== 0) throw new Error(`redis-cli --pipe ended with ${code}`);
}

function* rawOf(members: number): Generator<string> {
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
      atLeast('seeding against redis-cli --pipe', writer / raw, OF_RAW_GOAL),
      atLeast('members seeded a second', writer, RATE_GOAL),
    ],
  };
}
