import { InvalidInputError } from '../../../src/errors.ts';
import { USAGE_PERIOD_MS } from '../../../src/write-usage.ts';
import { seedGuilds, sizesFor, startWrites, userIdOf, XP_WRITES_PER_S } from '../data.ts';
import { measure } from '../measure.ts';
import { DISTINCT_REQUESTS, mixOf, requestBytes } from '../mix.ts';
import { type RunningContender, startContender } from '../start-contender.ts';
import { figure, median, tableLines } from '../table.ts';
import { logProgress } from '../terminal.ts';
import { openTestbed, type Testbed } from '../testbed.ts';
import { CONNECTIONS, ROUND_OFFSET } from './mix-rounds.ts';
import type { SectionOptions, SectionResult } from './section.ts';

/** CPU time a request of both builds in one round, in microseconds. */
export interface PairRound {
  readonly guildrank: number;
  readonly before: number;
}

type Build = keyof PairRound;

/** Seconds of load before the measurement: the first write of the usage is over, which runs code that is not compiled yet. */
const WARM_UP_S = USAGE_PERIOD_MS / 1000 + 1.5;

/**
 * Compares the service with an earlier build under the mix. Both run at once on one core, so that both see the same machine; each round
 * starts new processes, and the one that is started and loaded first changes.
 */
export async function runPair(options: SectionOptions): Promise<SectionResult> {
  if (options.runtime.before === undefined) {
    throw new InvalidInputError('The section pair compares two builds: name a built checkout with --before DIR');
  }
  const testbed = await openTestbed(options);
  try {
    const guilds = await seedGuilds(testbed.store, sizesFor(options.small));
    const requests = mixOf(guilds, userIdOf, DISTINCT_REQUESTS, 1).map(requestBytes);
    const writes = startWrites(testbed.store, guilds, XP_WRITES_PER_S);
    const rounds: PairRound[] = [];
    while (rounds.length < options.rounds) {
      logProgress(`round ${rounds.length + 1} of ${options.rounds}`);
      const order: readonly Build[] = rounds.length % 2 === 0 ? ['guildrank', 'before'] : ['before', 'guildrank'];
      const from = rounds.length * ROUND_OFFSET;
      rounds.push(await measureRound(testbed, order, { requests, from, seconds: options.seconds }));
    }
    await writes.stop();
    return pairResult(rounds);
  } finally {
    await testbed.close();
  }
}

async function measureRound(
  testbed: Testbed,
  order: readonly Build[],
  plan: { readonly requests: readonly Buffer[]; readonly from: number; readonly seconds: number },
): Promise<PairRound> {
  const running: RunningContender[] = [];
  try {
    for (const name of order) running.push(await startContender(testbed, name));
    const load = { ...plan, connections: CONNECTIONS, settleSeconds: WARM_UP_S };
    const samples = await Promise.all(running.map((contender) => measure(testbed, contender, load)));
    const cpuOf = (name: Build): number => {
      const { answered, cpuUs, failures } = samples[order.indexOf(name)] as (typeof samples)[number];
      if (answered === 0) throw new Error(`The build ${name} answers nothing: ${JSON.stringify(failures)}`);
      return cpuUs.server;
    };
    return { guildrank: cpuOf('guildrank'), before: cpuOf('before') };
  } finally {
    await Promise.all(running.map((contender) => contender.stop()));
  }
}

/** Returns the report: both medians, and the ratios of the rounds. */
export function pairResult(rounds: readonly PairRound[]): SectionResult {
  const ratios = rounds.map(({ guildrank, before }) => guildrank / before);
  const { mean, error } = geometricMean(ratios);
  const data = { rounds, medianRatio: median(ratios), meanRatio: mean, standardError: error };
  const row = (name: Build) => [name, figure(median(rounds.map((round) => round[name])))];
  const lines = [
    `medians of ${rounds.length} rounds, both builds at once on one core`,
    ...tableLines(['', 'CPU µs/request'], [row('guildrank'), row('before')]),
    '',
    `guildrank in relation to before, by CPU: ${data.medianRatio.toFixed(3)} (median), ${mean.toFixed(3)} ± ${error.toFixed(3)} (mean)`,
    `round by round: ${ratios.map((ratio) => ratio.toFixed(2)).join(', ')}`,
  ];
  return { data, lines, goals: [] };
}

/** Returns the geometric mean and its standard error as a part of 1; the error is NaN for a single value. */
function geometricMean(ratios: readonly number[]): { readonly mean: number; readonly error: number } {
  const logs = ratios.map(Math.log);
  const mean = logs.reduce((a, b) => a + b, 0) / logs.length;
  const squares = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0);
  return { mean: Math.exp(mean), error: Math.sqrt(squares / (logs.length - 1) / logs.length) };
}
