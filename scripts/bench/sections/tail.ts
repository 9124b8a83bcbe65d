import { captureReply } from '../answers.ts';
import { type ContenderName, startContender } from '../contenders.ts';
import { besideWrites, prepareMix } from '../data.ts';
import { measure, type Sample } from '../measure.ts';
import { nginxModules } from '../nginx.ts';
import { atMost, figure, logProgress, median, percent, type SectionResult, tableLines } from '../report.ts';
import { CONNECTIONS, type MixedRequest, ROUND_OFFSET, requestBytes } from '../requests.ts';
import { type BenchOptions, type Testbed, withTestbed } from '../testbed.ts';

const WARM_UP_S = 3;
/** Rates as parts of a contender's own peak. */
const LOADS = [0.3, 0.5, 0.7];

/** Samples of a contender at one part of its peak, round by round. */
interface TailSeries {
  readonly name: ContenderName;
  readonly load: number;
  readonly samples: readonly Sample[];
}

/** Measures the latency of the mix at steady rates, on contenders in turn, with XP writes beside it. */
export function runTail(options: BenchOptions): Promise<SectionResult> {
  return withTestbed(options, async (testbed) => {
    const { guilds, requests } = await prepareMix(testbed);
    const bytes = requests.map(requestBytes);
    const names: ContenderName[] = ['guildrank', 'node:http', ...(nginxModules() ? ['nginx' as const] : [])];
    const reply = await replyOf(testbed, requests[0] as MixedRequest);
    const series = names.flatMap((name) => LOADS.map((load) => ({ name, load, samples: [] as Sample[] })));
    await besideWrites(testbed.store, guilds, async () => {
      for (let round = 1; round <= options.rounds; round++) {
        for (const name of round % 2 === 1 ? names : names.toReversed()) {
          logProgress(`tail: round ${round} of ${options.rounds}: ${name}`);
          const contender = await startContender(testbed, name, reply);
          const plan = { requests: bytes, from: round * ROUND_OFFSET, connections: CONNECTIONS };
          const times = { settleSeconds: WARM_UP_S, seconds: options.seconds };
          try {
            const { requestsPerSecond: peak } = await measure(testbed, contender, { ...plan, ...times });
            for (const { load, samples } of series.filter((each) => each.name === name)) {
              const rate = load * peak;
              samples.push(await measure(testbed, contender, { ...plan, ...times, settleSeconds: 1, rate }));
            }
          } finally {
            await contender.stop();
          }
        }
      }
    });
    return tailResult(series);
  });
}

/** Captures an answer of the service, which bare node:http repeats. */
async function replyOf(testbed: Testbed, request: MixedRequest) {
  const service = await startContender(testbed, 'guildrank');
  try {
    return await captureReply(service, request);
  } finally {
    await service.stop();
  }
}

/** Returns the table, and the goal beside nginx if it took part. */
function tailResult(series: readonly TailSeries[]): SectionResult {
  const rows = series.map(({ name, load, samples }) => {
    const of = (value: (sample: Sample) => number) => median(samples.map(value));
    return {
      name,
      load,
      requestsPerSecond: of((sample) => sample.requestsPerSecond),
      p50Ms: of((sample) => sample.p50Ms),
      p99Ms: of((sample) => sample.p99Ms),
      p999Ms: of((sample) => sample.p999Ms),
    };
  });
  const p99Of = (name: ContenderName) => rows.find((row) => row.name === name && row.load === 0.7)?.p99Ms;
  const service = p99Of('guildrank') ?? Number.NaN;
  const nginx = p99Of('nginx');
  return {
    data: { rows, series },
    lines: tableLines(
      ['', 'of its peak', 'requests/s', 'p50 ms', 'p99 ms', 'p99.9 ms'],
      rows.map(({ name, load, requestsPerSecond, p50Ms, p99Ms, p999Ms }) => {
        return [name, percent(load), figure(requestsPerSecond), figure(p50Ms), figure(p99Ms), figure(p999Ms)];
      }),
    ),
    goals: nginx === undefined ? [] : [atMost('p99 at 70 % in relation to nginx', service / nginx, 1)],
  };
}
