import { createWriteStream } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { startChild } from '../../dev/child-process.ts';
import { BotWrites } from '../bot-writes.ts';
import { bareRecordOf, guildIdOf, seedGuild, seedMembers, userIdOf } from '../data.ts';
import { measure } from '../measure.ts';
import { mixOf, requestBytes } from '../mix.ts';
import { moveToCore } from '../pinning.ts';
import { makeScratch } from '../scratch.ts';
import { startContender } from '../start-contender.ts';
import { atMost, figure, tableLines, times } from '../table.ts';
import { logProgress } from '../terminal.ts';
import { openTestbed, type Testbed } from '../testbed.ts';
import { seededRandom } from '../zipf.ts';
import type { SectionOptions, SectionResult } from './section.ts';

const MEMBERS = 5_000_000;
const WRITES_PER_S = 500;
const BOT_MEMBERS = 1000;
const GUILD = guildIdOf(0);
const MAX_SCRIPT_MS = 20;
const RATES = [1000, 10_000];
const LONGEST_COMMAND_MS = 1_800_000;
/** Scripts that take less are not listed by SLOWLOG. */
const SLOW_US = 1000;

interface CommandRun {
  readonly name: string;
  readonly seconds: number;
  /** Time of the longest script in Redis, in milliseconds. */
  readonly longestMs: number;
  readonly p99Ms: number;
}

/** Measures what a writing bot notices of the commands on its guild, and of the service under load. */
export async function runBot(options: SectionOptions): Promise<SectionResult> {
  const members = options.small ? MEMBERS / 10 : MEMBERS;
  const testbed = await openTestbed(options);
  const scratch = makeScratch();
  try {
    logProgress(`bot: seeding ${figure(members)} members`);
    await seedMembers(testbed.store, GUILD, members, 1, bareRecordOf);
    const file = join(scratch.folder, 'members.ndjson');
    await pipeline(Readable.from(rows(members)), createWriteStream(file));

    const userIds = Array.from({ length: BOT_MEMBERS }, (_, n) => userIdOf(n * Math.floor(members / BOT_MEMBERS)));
    const bot = new BotWrites(testbed.store, GUILD, userIds, WRITES_PER_S);
    // Otherwise the time of a script includes that in which the bot or the command had Redis's core.
    const redisPid = testbed.redis.process.pid as number;
    moveToCore(options.pinning.serverCore, redisPid);
    preferOverOthers(redisPid);
    const idleMs = await bot.p99Over(options.seconds);
    const runs: CommandRun[] = [];
    for (const [name, args] of commandsOn(file)) runs.push(await runCommand(testbed, bot, name, args));
    const { failed } = await bot.stop();
    moveToCore(options.pinning.loadCore, redisPid);
    const served = await underLoad(testbed, options);
    return result(members, idleMs, runs, failed, served);
  } finally {
    scratch.remove();
    await testbed.close();
  }
}

/** Gives a process priority, if this user may, so that other programs of the machine count less in the times of scripts. */
function preferOverOthers(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_HIGHEST);
  } catch {
    logProgress('bot: no right to give Redis priority; times of scripts include those of other programs');
  }
}

function commandsOn(file: string): [name: string, args: readonly string[]][] {
  return [
    ['stats check', ['stats', 'check', GUILD]],
    ['stats rebuild', ['stats', 'rebuild', GUILD]],
    ['guild set --xp-curve lurkr', ['guild', 'set', GUILD, '--xp-curve', 'lurkr']],
    ['seed', ['seed', '--guild', GUILD, '--file', file]],
    ['seed --replace', ['seed', '--guild', GUILD, '--file', file, '--replace']],
    ['guild delete', ['guild', 'delete', GUILD, '--yes']],
  ];
}

async function runCommand(
  { redis, store }: Testbed,
  bot: BotWrites,
  name: string,
  args: readonly string[],
): Promise<CommandRun> {
  logProgress(`bot: ${name}`);
  await store.client.config('SET', 'slowlog-log-slower-than', SLOW_US);
  await store.client.config('SET', 'slowlog-max-len', 100_000);
  await store.client.slowlog('RESET');
  const startedAt = performance.now();
  const p99Ms = await bot.p99During(async () => {
    const child = startChild(process.execPath, ['dist/cli/main.js', ...args], {
      env: { PATH: process.env.PATH, REDIS_URL: redis.url },
    });
    const { code } = await child.waitForEnd(LONGEST_COMMAND_MS);
    if (code !== 0) throw new Error(`${name} ended with ${code}: ${child.output()}`);
  });
  const seconds = (performance.now() - startedAt) / 1000;
  const slow = (await store.client.slowlog('GET', -1)) as [id: number, time: number, us: number, words: string[]][];
  // The reset of a long SLOWLOG is itself slow.
  const own = slow.filter(([, , , [command]]) => command !== 'slowlog');
  const longestMs = Math.max(SLOW_US, ...own.map(([, , us]) => us)) / 1000;
  return { name, seconds, longestMs, p99Ms };
}

interface Served {
  readonly rate: number;
  readonly answered: number;
  readonly p99Ms: number;
}

/** Measures the bot on a guild of its own while the service answers requests for others. */
async function underLoad(testbed: Testbed, { seconds }: SectionOptions): Promise<Served[]> {
  const guild = await seedGuild(testbed.store, 1, 10_000);
  const service = await startContender(testbed, 'guildrank');
  const bot = new BotWrites(testbed.store, guild.id, [userIdOf(1)], WRITES_PER_S);
  try {
    const requests = mixOf([guild], userIdOf, 1000, 2).map(requestBytes);
    const served = [{ rate: 0, answered: 0, p99Ms: await bot.p99Over(seconds) }];
    for (const rate of RATES) {
      let answered = 0;
      const p99Ms = await bot.p99During(async () => {
        ({ answered } = await measure(testbed, service, { requests, from: 0, connections: 64, seconds, rate }));
      });
      served.push({ rate, answered: answered / seconds, p99Ms });
    }
    return served;
  } finally {
    await bot.stop();
    await service.stop();
  }
}

function* rows(members: number): Generator<string> {
  const random = seededRandom(2);
  for (let index = 0; index < members; index++) {
    const { userId, set, profile } = bareRecordOf(index, random);
    yield `${JSON.stringify({ user_id: userId, xp: Number(set), username: profile?.username })}\n`;
  }
}

function result(
  members: number,
  idleMs: number,
  runs: readonly CommandRun[],
  failedWrites: number,
  served: readonly Served[],
): SectionResult {
  const [quiet] = served as [Served];
  return {
    data: { members, idleMs, runs, failedWrites, served },
    lines: [
      `a guild of ${figure(members)} members, a bot with ${WRITES_PER_S} writes a second in it`,
      ...tableLines(
        ['command', 'seconds', 'longest script ms', "bot's p99 ms", 'against idle'],
        [
          ['none', '-', '-', figure(idleMs), times(idleMs, idleMs)],
          ...runs.map((run) => [
            run.name,
            figure(run.seconds),
            figure(run.longestMs),
            figure(run.p99Ms),
            times(run.p99Ms, idleMs),
          ]),
        ],
      ),
      '',
      ...tableLines(
        ['requests/s to the service', 'answered/s', "bot's p99 ms", 'against none'],
        served.map((row) => [figure(row.rate), figure(row.answered), figure(row.p99Ms), times(row.p99Ms, quiet.p99Ms)]),
      ),
    ],
    goals: [
      atMost('the longest script of a command, in ms', Math.max(...runs.map((run) => run.longestMs)), MAX_SCRIPT_MS),
      atMost('writes of the bot that failed', failedWrites, 0),
    ],
  };
}
