import { captureReply, compareAnswers } from '../answers.ts';
import type { ConstantReply } from '../contenders/constant.ts';
import type { ContenderName } from '../contenders.ts';
import { seedGuilds, sizesFor, startWrites, userIdOf, XP_WRITES_PER_S } from '../data.ts';
import { DISTINCT_REQUESTS, type LoadedGuild, mixOf, requestBytes } from '../mix.ts';
import { type RunningContender, startContender } from '../start-contender.ts';
import { openTestbed, type Testbed } from '../testbed.ts';
import { prepareWrk } from '../wrk.ts';
import { mixResult } from './mix-report.ts';
import { runRounds } from './mix-rounds.ts';
import type { SectionOptions, SectionResult } from './section.ts';

const COMPARED_ANSWERS = 300;

/** Measures the mix of requests on all contenders in turn, round after round, with XP writes beside it. */
export async function runMix(names: readonly ContenderName[], options: SectionOptions): Promise<SectionResult> {
  const testbed = await openTestbed(options);
  const running: RunningContender[] = [];
  try {
    const guilds = await seedGuilds(testbed.store, sizesFor(options.small));
    const requests = mixOf(guilds, userIdOf, DISTINCT_REQUESTS, 1);
    const reply = await startAll(testbed, names, guilds, running);
    await compareAnswers(running, requests.slice(0, COMPARED_ANSWERS));
    const restart = async (place: number): Promise<RunningContender> => {
      const { name, stop } = running[place] as RunningContender;
      await stop();
      const started = await startContender(testbed, name, reply);
      running[place] = started;
      return started;
    };
    const bytes = requests.map(requestBytes);
    const wrk = prepareWrk(bytes);
    const writes = startWrites(testbed.store, guilds, XP_WRITES_PER_S);
    const series = await runRounds({ testbed, running, restart, requests: bytes, wrk }, options);
    await writes.stop();
    wrk?.remove();
    const { seconds, rounds } = options;
    const { before } = testbed.runtime;
    return mixResult(series, { seconds, rounds, before, guilds: guilds.length, writes: writes.confirmed() });
  } finally {
    await Promise.all(running.map((contender) => contender.stop()));
    await testbed.close();
  }
}

/**
 * Starts all contenders and returns the answer that the bare servers repeat. Adds each contender to `running` at once, so that
 * the caller can stop those that run if a later one does not start.
 */
async function startAll(
  testbed: Testbed,
  names: readonly ContenderName[],
  [first]: readonly LoadedGuild[],
  running: RunningContender[],
): Promise<ConstantReply> {
  const { id, key } = first as LoadedGuild;
  const service = await startContender(testbed, names[0] as ContenderName);
  running.push(service);
  const reply = await captureReply(service.port, `/api/v1/servers/${id}/leaderboard`, key);
  for (const name of names.slice(1)) running.push(await startContender(testbed, name, reply));
  return reply;
}
