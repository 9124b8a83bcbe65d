import { InvalidInputError } from '../../../src/core/errors.ts';
import { USAGE_PERIOD_MS } from '../../../src/service/usage-writer.ts';
import { type RunningContender, startContender } from '../contenders.ts';
import { besideWrites, prepareMix } from '../data.ts';
import { measure } from '../measure.ts';
import { figure, logProgress, median, type SectionResult, tableLines } from '../report.ts';
import { CONNECTIONS, ROUND_OFFSET, requestBytes } from '../requests.ts';
import { type BenchOptions, type Testbed, withTestbed } from '../testbed.ts';

type Build = 'guildrank' | 'before';

/** CPU time a request of the two builds in one round, in microseconds. */
type PairRound = Readonly<Record<Build, number>>;

/** Seconds of load before the measurement: the first write of the usage is over, which runs code that is not compiled yet. */
const WARM_UP_S = USAGE_PERIOD_MS / 1000 + 1.5;

/**
 * Compares the service with an earlier build under the mix. The two builds run at once on one core, so that they see the same machine. Each round
 * starts new processes, and the rounds take turns in which build they start and load first.
 */
export async function runPair(options: BenchOptions): Promise<SectionResult> {
  if (options.before === undefined) {
    throw new InvalidInputError('The section pair compares two builds: name a built checkout with --before DIR');
  }
  return withTestbed(options, async (testbed) => {
    const { guilds, requests } = await prepareMix(testbed);
    const bytes = requests.map(requestBytes);
    const rounds: PairRound[] = [];
    await besideWrites(testbed.store, guilds, async () => {
      while (rounds.length < options.rounds) {
        logProgress(`pair: round ${rounds.length + 1} of ${options.rounds}`);
        const order: readonly Build[] = rounds.length % 2 === 0 ? ['guildrank', 'before'] : ['before', 'guildrank'];
        rounds.push(await measureRound(testbed, order, bytes, rounds.length * ROUND_OFFSET));
      }
    });
    return pairResult(rounds);
  });
}

async function measureRound(
  testbed: Testbed,
  order: readonly Build[],
  requests: readonly Buffer[],
  from: number,
): Promise<PairRound> {
  const running: RunningContender[] = [];
  try {
    for (const name of order) running.push(await startContender(testbed, name));
    const { seconds } = testbed.options;
    const load = { requests, from, connections: CONNECTIONS, settleSeconds: WARM_UP_S, seconds };
    const samples = await Promise.all(running.map((contender) => measure(testbed, contender, load)));
    const cpuOf = (name: Build) => samples[order.indexOf(name)]?.cpuUs.server ?? Number.NaN;
    return { guildrank: cpuOf('guildrank'), before: cpuOf('before') };
  } finally {
    await Promise.all(running.map((contender) => contender.stop()));
  }
}

/** Returns the report: the medians of the two builds, and the ratios of the rounds. */
function pairResult(rounds: readonly PairRound[]): SectionResult {
  const ratios = rounds.map(({ guildrank, before }) => guildrank / before);
  const medianRatio = median(ratios);
  // The mean is geometric. Its error is NaN for a single round.
  const logs = ratios.map(Math.log);
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const squares = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0);
  const meanRatio = Math.exp(mean);
  const error = Math.sqrt(squares / (logs.length - 1) / logs.length);
  const row = (name: Build) => [name, figure(median(rounds.map((round) => round[name])))];
  return {
    data: { rounds, medianRatio, meanRatio, standardError: error },
    lines: [
      ...tableLines(['', 'CPU µs/request'], [row('guildrank'), row('before')]),
      '',
      `guildrank in relation to before, by CPU: ${medianRatio.toFixed(3)} (median), ${meanRatio.toFixed(3)} ± ${error.toFixed(3)} (mean)`,
      `round by round: ${ratios.map((ratio) => ratio.toFixed(2)).join(', ')}`,
    ],
    goals: [],
  };
}
