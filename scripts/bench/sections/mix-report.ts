import { CONTENDERS, type ContenderName } from '../contenders.ts';
import type { Sample } from '../measure.ts';
import { atLeast, atMost, figure, type Goal, median, tableLines, times } from '../table.ts';
import type { SectionOptions, SectionResult } from './section.ts';

/** What one contender did: its samples round by round. */
export interface Series {
  readonly name: ContenderName;
  readonly peak: readonly Sample[];
  /** The fixed rate of the second stretch, in requests a second. */
  readonly rate: number;
  readonly atRate: readonly Sample[];
}

interface Facts extends Pick<SectionOptions, 'seconds' | 'rounds'> {
  readonly guilds: number;
  /** XP writes confirmed during the run. */
  readonly writes: number;
}

/** One contender, medians over the rounds. */
interface Summary {
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
  /** Part of a core that other processes took on the cores in use. */
  readonly others: number;
  /** Part of a core that a hypervisor kept from the cores in use. */
  readonly stolen: number;
  readonly failures: Readonly<Record<string, number>>;
}

/** From here on the numbers say more about the other processes than about the contenders. */
const OTHERS_TOLERATED = 0.05;

/** A hypervisor takes its share in pieces of many milliseconds: from here on a p99 is its, not a server's. */
const STOLEN_TOLERATED = 0.01;

/** The table of the mix, the ratios of the service to everything else, and the goals they are measured by. */
export function mixResult(series: readonly Series[], facts: Facts): SectionResult {
  const summaries = series.map(summarise);
  const [service] = summaries as [Summary, ...Summary[]];
  return {
    data: { ...facts, contenders: summaries, rounds: series },
    lines: [
      `medians of ${facts.rounds} interleaved rounds of ${facts.seconds} s over ${facts.guilds} guilds`,
      ...tableLines(
        ['', 'requests/s', 'p50 ms', 'p99 ms', 'CPU µs/request', 'server core', 'load core', 'failed'],
        summaries.map(peakRow),
      ),
      '',
      `${service.name} in relation to each (by CPU: what each spends on a request over what ${service.name} spends)`,
      ...tableLines(
        ['', 'by requests/s', 'by CPU'],
        summaries
          .slice(1)
          .map((other) => [
            CONTENDERS[other.name],
            times(service.requestsPerSecond, other.requestsPerSecond),
            times(other.cpuUs, service.cpuUs),
          ]),
      ),
      '',
      ...disturbance(summaries),
      'at 70 % of its own peak, requests at a fixed rate',
      ...tableLines(
        ['', 'requests/s', 'p50 ms', 'p99 ms', 'p99 / p50', 'in a typical 0.1 s'],
        summaries.map(({ name, at70 }) => [
          name,
          figure(at70.rate),
          figure(at70.p50Ms),
          figure(at70.p99Ms),
          times(at70.p99Ms, at70.p50Ms),
          times(at70.typicalSpread, 1),
        ]),
      ),
    ],
    goals: goalsOf(summaries),
  };
}

function summarise({ name, peak, rate, atRate }: Series): Summary {
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

function disturbance(summaries: readonly Summary[]): string[] {
  const most = (value: (summary: Summary) => number) => Math.max(...summaries.map(value));
  const others = most((summary) => summary.others);
  const stolen = most((summary) => summary.stolen);
  return [
    ...(others > OTHERS_TOLERATED
      ? [`other processes took up to ${percent(others)} of a core meanwhile: repeat this on a quiet machine`, '']
      : []),
    ...(stolen > STOLEN_TOLERATED
      ? [
          `the hypervisor kept up to ${percent(stolen)} of a core from this machine meanwhile: read no p99 from this run`,
          '',
        ]
      : []),
  ];
}

function peakRow(summary: Summary): string[] {
  const failed = count(summary.failures);
  return [
    summary.name,
    figure(summary.requestsPerSecond),
    figure(summary.p50Ms),
    figure(summary.p99Ms),
    figure(summary.cpuUs),
    percent(summary.serverBusy),
    percent(summary.loadBusy),
    failed === 0 ? '0' : `${failed} (${Object.keys(summary.failures).join(', ')})`,
  ];
}

function goalsOf(summaries: readonly Summary[]): Goal[] {
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
      summaries.reduce((sum, { failures }) => sum + count(failures), 0),
      0,
    ),
  ].filter(({ measured }) => !Number.isNaN(measured));
}

function addUp(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const failures of all) for (const [why, count] of Object.entries(failures)) sums[why] = (sums[why] ?? 0) + count;
  return sums;
}

function count(failures: Readonly<Record<string, number>>): number {
  return Object.values(failures).reduce((a, b) => a + b, 0);
}

function percent(part: number): string {
  return Number.isFinite(part) ? `${Math.round(part * 100)} %` : '-';
}
