import { captureReply, compareAnswers } from '../answers.ts';
import { type ContenderName, type RunningContender, startContender } from '../contenders.ts';
import { besideWrites, prepareMix } from '../data.ts';
import { measure, type Sample } from '../measure.ts';
import { nginxModules } from '../nginx.ts';
import { logProgress, type SectionResult } from '../report.ts';
import { CONNECTIONS, type MixedRequest, ROUND_OFFSET, requestBytes } from '../requests.ts';
import { type BenchOptions, type Testbed, withTestbed } from '../testbed.ts';
import { mixResult } from './mix-report.ts';

/** A new process compiles its hot functions and has empty caches. */
const WARM_UP_S = 3;
const COMPARED_ANSWERS = 300;

/** Measures the mix of requests on all contenders in turn, round after round, with XP writes beside it. */
export function runMix(options: BenchOptions): Promise<SectionResult> {
  return withTestbed(options, async (testbed) => {
    const { guilds, requests } = await prepareMix(testbed);
    const bytes = requests.map(requestBytes);
    const { seconds, before } = options;
    // These do the same work. The answers of node:http are captured from the first.
    const working: ContenderName[] = ['guildrank'];
    if (before !== undefined) working.push('before');
    if (nginxModules()) working.push('nginx');
    const reply = await agreedReply(testbed, working, requests);
    const series = [...working, 'node:http' as const].map((name) => ({ name, samples: [] as Sample[] }));
    await besideWrites(testbed.store, guilds, async () => {
      for (let round = 1; round <= options.rounds; round++) {
        // Every second round is in reverse order, so that no contender always follows the same contender.
        for (const { name, samples } of round % 2 === 1 ? series : series.toReversed()) {
          logProgress(`mix: round ${round} of ${options.rounds}: ${name}`);
          // One start of a process can be a sixth faster than the next, so the median is over the starts too.
          const contender = await startContender(testbed, name, reply);
          const load = { requests: bytes, from: round * ROUND_OFFSET, connections: CONNECTIONS };
          const sample = measure(testbed, contender, { ...load, settleSeconds: WARM_UP_S, seconds });
          samples.push(await sample.finally(contender.stop));
        }
      }
    });
    return mixResult(series);
  });
}

/** Captures an answer of the service. @throws if contenders that do the same work answer a request differently. */
async function agreedReply(testbed: Testbed, names: readonly ContenderName[], requests: readonly MixedRequest[]) {
  const running: RunningContender[] = [];
  try {
    for (const name of names) running.push(await startContender(testbed, name));
    await compareAnswers(running, requests.slice(0, COMPARED_ANSWERS));
    const page = requests.find(({ kind }) => kind === 'page') as MixedRequest;
    return await captureReply(running[0] as RunningContender, page);
  } finally {
    await Promise.all(running.map((contender) => contender.stop()));
  }
}
