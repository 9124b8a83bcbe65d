import { isDeepStrictEqual } from 'node:util';
import {
  type Answer,
  type ContenderName,
  captureReply,
  fetchOnce,
  type RunningContender,
  startContender,
} from '../contenders.ts';
import { seedGuild, sizesFor, startWrites, userIdOf } from '../data.ts';
import { measure, type Sample } from '../measure.ts';
import { type LoadedGuild, type MixedRequest, mixOf, requestBytes } from '../mix.ts';
import { openStage, type Stage } from '../stage.ts';
import { median } from '../table.ts';
import { logProgress } from '../terminal.ts';
import { mixResult, type Series } from './mix-report.ts';
import type { SectionOptions, SectionResult } from './section.ts';

const CONNECTIONS = 64;
const XP_WRITES_PER_S = 500;
/** Part of its own peak at which a contender's latency is taken. */
const LOAD_FACTOR = 0.7;
/** At a fixed rate a connection must be free whenever a request falls due. */
const OPEN_LOOP_CONNECTIONS = 256;
const DISTINCT_REQUESTS = 200_000;
/** A process that has just started compiles what it runs most, and has nothing in its caches. */
const WARM_UP_S = 3;
/**
 * While the others had their turn, everything that a contender remembers for some seconds has gone out of date; and the kernel
 * acknowledges each packet of a young connection by itself, which doubles a request's way through it.
 */
const SETTLE_S = 1;
const COMPARED_ANSWERS = 300;

/** The mix of requests on all contenders in turn, round after round, with XP writes beside it. */
export async function runMix(names: readonly ContenderName[], options: SectionOptions): Promise<SectionResult> {
  const stage = await openStage(options.pinning);
  const running: RunningContender[] = [];
  try {
    const guilds = await seedAll(stage, sizesFor(options.small));
    const requests = mixOf(guilds, userIdOf, DISTINCT_REQUESTS, 1);
    const restart = await startAll(stage, names, guilds, running);
    await compareAnswers(running, requests);
    const writes = startWrites(stage.store, guilds, XP_WRITES_PER_S);
    const series = await runRounds(stage, running, restart, requests.map(requestBytes), options);
    await writes.stop();
    return mixResult(series, { ...options, guilds: guilds.length, writes: writes.confirmed() });
  } finally {
    await Promise.all(running.map((contender) => contender.stop()));
    await stage.close();
  }
}

async function seedAll(stage: Stage, sizes: readonly number[]): Promise<LoadedGuild[]> {
  logProgress(`seeding ${sizes.length} guilds`);
  const guilds: LoadedGuild[] = [];
  for (const [index, members] of sizes.entries()) guilds.push(await seedGuild(stage.store, index, members));
  return guilds;
}

/** Ends the contender at this place and starts it anew. */
type Restart = (place: number) => Promise<RunningContender>;

/** Adds to `running` as it goes, so that whatever was started can be stopped. */
async function startAll(
  stage: Stage,
  names: readonly ContenderName[],
  [first]: readonly LoadedGuild[],
  running: RunningContender[],
): Promise<Restart> {
  const { id, key } = first as LoadedGuild;
  const service = await startContender(stage, names[0] as ContenderName);
  running.push(service);
  const reply = await captureReply(service.port, `/api/v1/servers/${id}/leaderboard`, key);
  for (const name of names.slice(1)) running.push(await startContender(stage, name, reply));
  return async (place) => {
    const { name, stop } = running[place] as RunningContender;
    await stop();
    const started = await startContender(stage, name, reply);
    running[place] = started;
    return started;
  };
}

/** A contender that answers something else would win or lose for nothing. */
async function compareAnswers(running: readonly RunningContender[], requests: readonly MixedRequest[]): Promise<void> {
  const [service, ...others] = running.filter(({ name }) => name !== 'node:http' && name !== 'Express');
  for (const { path, guild } of requests.slice(0, COMPARED_ANSWERS)) {
    const expected = await ask(service as RunningContender, path, guild.key);
    for (const { name, port } of others) {
      const { status, body } = await ask({ port }, path, guild.key);
      if (status !== expected.status || !isDeepStrictEqual(JSON.parse(body), JSON.parse(expected.body))) {
        throw new Error(`"${name}" and the service answer ${path} differently:\n${body}\n${expected.body}`);
      }
    }
  }
}

/** A 503 says that the machine was busy with something else for a moment: no answer to compare. */
async function ask({ port }: Pick<RunningContender, 'port'>, path: string, key: string): Promise<Answer> {
  for (let left = 10; ; left--) {
    const answer = await fetchOnce(port, path, key);
    if (answer.status !== 503 || left === 0) return answer;
  }
}

async function runRounds(
  stage: Stage,
  running: readonly RunningContender[],
  restart: Restart,
  requests: readonly Buffer[],
  { seconds, rounds }: SectionOptions,
): Promise<Series[]> {
  const plan = { requests, connections: CONNECTIONS, seconds };
  const series = running.map(({ name }, place) => ({
    place,
    name,
    peak: [] as Sample[],
    rate: 0,
    atRate: [] as Sample[],
  }));
  for (let round = 0; round < rounds; round++) {
    for (const { place, name, peak } of inTurn(series, round)) {
      logProgress(`round ${round + 1} of ${rounds}, peak: ${name}`);
      // One start of a process is faster than the next by up to a sixth: the median is over the starts too.
      const contender = round === 0 ? (running[place] as RunningContender) : await restart(place);
      // Each round brings other requests, and the same to every contender.
      const from = (round + 1) * 37_777;
      peak.push(await measure(stage, contender, { ...plan, settleSeconds: WARM_UP_S, from }));
    }
  }
  for (const one of series) one.rate = LOAD_FACTOR * median(one.peak.map((sample) => sample.requestsPerSecond));
  for (let round = 0; round < rounds; round++) {
    for (const { place, name, rate, atRate } of inTurn(series, round)) {
      logProgress(`round ${round + 1} of ${rounds}, at ${LOAD_FACTOR * 100} % of peak: ${name}`);
      const load = { ...plan, settleSeconds: SETTLE_S, connections: OPEN_LOOP_CONNECTIONS, rate };
      const from = (rounds + round + 1) * 37_777;
      atRate.push(await measure(stage, running[place] as RunningContender, { ...load, from }));
    }
  }
  return series;
}

/** There and back: what one leaves behind, such as a log that is still being written to the disk, meets another the next time. */
function inTurn<T>(all: readonly T[], round: number): readonly T[] {
  return round % 2 === 0 ? all : [...all].reverse();
}
