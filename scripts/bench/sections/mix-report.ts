import { CONTENDERS, type ContenderName } from '../contenders.ts';
import { figure, percent, tableLines, times } from '../table.ts';
import type { Series } from './mix-rounds.ts';
import { countFailures, mixGoals, type Summary, summarise } from './mix-summary.ts';
import type { SectionOptions, SectionResult } from './section.ts';
import { wrkLines } from './wrk-report.ts';

interface Facts extends Pick<SectionOptions, 'seconds' | 'rounds'> {
  /** Folder of the earlier build, if there is one. */
  readonly before: string | undefined;
  readonly guilds: number;
  /** Number of XP writes confirmed during the run. */
  readonly writes: number;
}

/** Above this part of a core, other processes change the numbers more than the contenders differ. */
const OTHERS_TOLERATED = 0.05;
/** A hypervisor takes many milliseconds at a time: above this part of a core, a p99 is not the server's own. */
const STOLEN_TOLERATED = 0.01;

/** Returns the report of the mix: the table, the ratios of the first contender to all others, and the goals. */
export function mixResult(series: readonly Series[], facts: Facts): SectionResult {
  const summaries = series.map(summarise);
  return {
    data: { ...facts, contenders: summaries, rounds: series },
    lines: [
      `medians of ${facts.rounds} interleaved rounds of ${facts.seconds} s over ${facts.guilds} guilds`,
      ...tableLines(
        ['', 'requests/s', 'p50 ms', 'p99 ms', 'CPU µs/request', 'server core', 'load core', 'failed'],
        summaries.map(peakRow),
      ),
      '',
      ...ratioLines(summaries, series, facts),
      '',
      ...wrkLines(series),
      '',
      ...disturbanceLines(summaries),
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
    goals: mixGoals(summaries),
  };
}

function peakRow(summary: Summary): string[] {
  const failed = countFailures(summary.failures);
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

function ratioLines(summaries: readonly Summary[], series: readonly Series[], { before }: Facts): string[] {
  const [service, ...others] = summaries as [Summary, ...Summary[]];
  const label = (name: ContenderName) => (name === 'before' && before ? `the build in ${before}` : CONTENDERS[name]);
  const rows = others.map((other) => [
    label(other.name),
    times(service.requestsPerSecond, other.requestsPerSecond),
    times(other.cpuUs, service.cpuUs),
  ]);
  const head = `${service.name} in relation to each (by CPU: its CPU time a request divided by that of ${service.name})`;
  return [head, ...tableLines(['', 'by requests/s', 'by CPU'], rows), ...roundLines(series)];
}

/** Returns the ratios to the earlier build round by round, which show how far the median can be trusted. */
function roundLines([service, ...others]: readonly Series[]): string[] {
  const before = others.find(({ name }) => name === 'before');
  if (!service || !before) return [];
  const ratios = service.peak.map((sample, round) =>
    times(before.peak[round]?.cpuUs.server ?? NaN, sample.cpuUs.server),
  );
  return [`in relation to the earlier build, by CPU, round by round: ${ratios.join(', ')}`];
}

function disturbanceLines(summaries: readonly Summary[]): string[] {
  const most = (value: (summary: Summary) => number) => Math.max(...summaries.map(value));
  const others = most((summary) => summary.others);
  const stolen = most((summary) => summary.stolen);
  const lines: string[] = [];
  if (others > OTHERS_TOLERATED) {
    lines.push(`other processes used up to ${percent(others)} of a core: repeat this on a quiet machine`, '');
  }
  if (stolen > STOLEN_TOLERATED) {
    lines.push(`the hypervisor took up to ${percent(stolen)} of a core: do not use a p99 of this run`, '');
  }
  return lines;
}
