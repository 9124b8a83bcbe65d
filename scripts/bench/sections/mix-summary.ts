import type { ContenderName } from '../contenders.ts';
import type { Sample } from '../measure.ts';
import { atLeast, atMost, type Goal, median } from '../table.ts';
import type { Series } from './mix-rounds.ts';

/** Medians over the rounds of one contender. */
export interface Summary {
  readonly name: ContenderName;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuUs: number;
  readonly redisCpuUs: number;
  readonly loadCpuUs: number;
  readonly serverBusy: number;
  readonly loadBusy: number;
  readonly at70: {
    readonly rate: number;
    readonly p50Ms: number;
    readonly p99Ms: number;
    readonly typicalSpread: number;
  };
  /** Part of a core that other processes used, of the cores in use. */
  readonly others: number;
  /** Part of a core that a hypervisor took, of the cores in use. */
  readonly stolen: number;
  readonly failures: Readonly<Record<string, number>>;
}

/** Returns the medians of a contender's rounds. */
export function summarise({ name, peak, rate, atRate }: Series): Summary {
  const of = (samples: readonly Sample[], value: (sample: Sample) => number) => median(samples.map(value));
  return {
    name,
    requestsPerSecond: of(peak, (sample) => sample.requestsPerSecond),
    p50Ms: of(peak, (sample) => sample.p50Ms),
    p99Ms: of(peak, (sample) => sample.p99Ms),
    cpuUs: of(peak, (sample) => sample.cpuUs.server),
    redisCpuUs: of(peak, (sample) => sample.cpuUs.redis),
    loadCpuUs: of(peak, (sample) => sample.cpuUs.load),
    serverBusy: of(peak, (sample) => sample.busy.server),
    loadBusy: of(peak, (sample) => sample.busy.redisAndLoad),
    others: of([...peak, ...atRate], (sample) => sample.busy.others),
    stolen: of([...peak, ...atRate], (sample) => sample.busy.stolen),
    at70: {
      rate,
      p50Ms: of(atRate, (sample) => sample.p50Ms),
      p99Ms: of(atRate, (sample) => sample.p99Ms),
      typicalSpread: of(atRate, (sample) => sample.typicalSpread),
    },
    failures: addUp([...peak, ...atRate].map((sample) => sample.failures)),
  };
}

/** Returns the number of failures of all kinds. */
export function countFailures(failures: Readonly<Record<string, number>>): number {
  return Object.values(failures).reduce((a, b) => a + b, 0);
}

/** Returns the goals of the mix that were measured in this run. */
export function mixGoals(summaries: readonly Summary[]): Goal[] {
  const by = new Map(summaries.map((summary) => [summary.name, summary]));
  const throughput = (over: ContenderName, under: ContenderName) =>
    (by.get(over)?.requestsPerSecond ?? Number.NaN) / (by.get(under)?.requestsPerSecond ?? Number.NaN);
  const latency = by.get('guildrank')?.at70;
  return [
    atLeast('the mix against the plain way (c)', throughput('guildrank', 'plain'), 4),
    atLeast('the mix against a constant from stock Express (b)', throughput('guildrank', 'Express'), 2),
    atLeast('the mix against a constant from node:http (a)', throughput('guildrank', 'node:http'), 0.45),
    atLeast('the mix against nginx with Lua (e)', throughput('guildrank', 'nginx'), 1),
    atLeast('with the cache off against the plain way (c)', throughput('cache off', 'plain'), 2),
    atLeast('with every request logged against errors only', throughput('logs on', 'guildrank'), 0.85),
    atMost('p99 over p50 at 70 % of peak', latency ? latency.p99Ms / latency.p50Ms : Number.NaN, 3),
    atMost(
      'failed requests',
      summaries.reduce((sum, { failures }) => sum + countFailures(failures), 0),
      0,
    ),
  ].filter(({ measured }) => !Number.isNaN(measured));
}

function addUp(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const failures of all) {
    for (const [reason, count] of Object.entries(failures)) sums[reason] = (sums[reason] ?? 0) + count;
  }
  return sums;
}
