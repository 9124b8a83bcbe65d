import { startContender } from '../contenders.ts';
import { besideWrites, prepareMix } from '../data.ts';
import { measure, type Sample } from '../measure.ts';
import { atMost, figure, logProgress, median, type SectionResult, tableLines } from '../report.ts';
import { CONNECTIONS, type FilledGuild, ROUND_OFFSET, requestBytes } from '../requests.ts';
import { type BenchOptions, withTestbed } from '../testbed.ts';

const WARM_UP_S = 3;
/** Requests of public pages a second. */
const PAGES_PER_S = 1000;
/** Visitors of pages. Each visitor sends at most one request a second, which the limit of an address allows. */
const VISITORS = 20_000;
/** The rate of the API as a part of the peak. API and pages together stay below the load that a service should be planned for. */
const LOAD = 0.3;
const GOAL = 1.2;

/** Samples of the API, round by round. */
interface PagesSamples {
  readonly alone: Sample[];
  readonly beside: Sample[];
}

/** Measures the latency of the API at a steady rate, alone and beside requests of a public page, in turns on one service. */
export function runPages(options: BenchOptions): Promise<SectionResult> {
  return withTestbed(options, async (testbed) => {
    const { guilds, requests } = await prepareMix(testbed);
    const visited = guilds[0] as FilledGuild;
    await testbed.store.client.hset(testbed.store.redisKeys.guild(visited.id).config, 'public_page', 'on');
    const service = await startContender(testbed, 'public pages');
    const api = { requests: requests.map(requestBytes), connections: CONNECTIONS, seconds: options.seconds };
    const pages = { requests: pageRequests(visited.id), from: 0, connections: CONNECTIONS, rate: PAGES_PER_S };
    const samples: PagesSamples = { alone: [], beside: [] };
    try {
      await besideWrites(testbed.store, guilds, async () => {
        const peak = await measure(testbed, service, { ...api, from: 0, settleSeconds: WARM_UP_S });
        const rate = LOAD * peak.requestsPerSecond;
        // The first round warms up and is not counted.
        for (let round = 0; round <= options.rounds; round++) {
          logProgress(`pages: ${round === 0 ? 'warming up' : `round ${round} of ${options.rounds}`}`);
          const plan = { ...api, from: round * ROUND_OFFSET, settleSeconds: 1, rate };
          const alone = await measure(testbed, service, plan);
          const [beside] = await Promise.all([
            measure(testbed, service, plan),
            measure(testbed, service, { ...pages, settleSeconds: 1, seconds: options.seconds }),
          ]);
          if (round === 0) continue;
          samples.alone.push(alone);
          samples.beside.push(beside);
        }
      });
    } finally {
      await service.stop();
    }
    return pagesResult(samples);
  });
}

/** Returns requests of one page by visitors with an address each. */
function pageRequests(guildId: string): Buffer[] {
  return Array.from({ length: VISITORS }, (_, n) =>
    Buffer.from(`GET /g/${guildId} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: 10.0.${n >> 8}.${n & 255}\r\n\r\n`),
  );
}

/** Returns the table of the latencies alone and beside pages, and the goal for their ratio. */
function pagesResult({ alone, beside }: PagesSamples): SectionResult {
  const of = (samples: readonly Sample[], value: (sample: Sample) => number) => median(samples.map(value));
  const row = (name: string, samples: readonly Sample[]) => [
    name,
    figure(of(samples, (sample) => sample.requestsPerSecond)),
    figure(of(samples, (sample) => sample.p50Ms)),
    figure(of(samples, (sample) => sample.p99Ms)),
    figure(of(samples, (sample) => sample.p999Ms)),
  ];
  const p99 = (sample: Sample) => sample.p99Ms;
  return {
    data: { alone, beside },
    lines: tableLines(
      ['', 'requests/s', 'p50 ms', 'p99 ms', 'p99.9 ms'],
      [row('the API alone', alone), row('beside public pages', beside)],
    ),
    goals: [atMost('p99 of the API beside public pages over alone', of(beside, p99) / of(alone, p99), GOAL)],
  };
}
