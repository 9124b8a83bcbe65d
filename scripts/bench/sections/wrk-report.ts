import { figure, median, percent, tableLines, times } from '../table.ts';
import type { Series } from './mix-rounds.ts';

/** Largest difference between the two load generators that counts as agreement. */
const AGREEMENT = 0.1;

/** Compares the load generator with wrk: one row for each contender that both measured. */
export function wrkLines(series: readonly Series[]): string[] {
  const measured = series.filter(({ byWrk }) => byWrk.length > 0);
  if (measured.length === 0)
    return ['not compared with wrk: it is not on PATH, or guildrank and node:http do not take part'];
  return [
    'the same load by wrk, from the same core, between two measurements by the own generator',
    ...tableLines(
      ['', 'requests/s', 'by wrk', 'ratio', 'CPU µs/request', 'by wrk', 'failed', `within ${percent(AGREEMENT)}`],
      measured.map(rowOf),
    ),
  ];
}

function rowOf({ name, peak, byWrk, afterWrk }: Series): string[] {
  const rounds = byWrk.map((wrk, round) => {
    const [before, after] = [peak[round], afterWrk[round]];
    return {
      wrk,
      requestsPerSecond: mean(before?.requestsPerSecond, after?.requestsPerSecond),
      cpuUs: mean(before?.cpuUs.server, after?.cpuUs.server),
    };
  });
  const ratio = median(rounds.map(({ wrk, requestsPerSecond }) => wrk.requestsPerSecond / requestsPerSecond));
  return [
    name,
    figure(median(rounds.map(({ requestsPerSecond }) => requestsPerSecond))),
    figure(median(byWrk.map(({ requestsPerSecond }) => requestsPerSecond))),
    times(ratio, 1),
    figure(median(rounds.map(({ cpuUs }) => cpuUs))),
    figure(median(byWrk.map(({ cpuUs }) => cpuUs))),
    figure(byWrk.reduce((sum, { failed }) => sum + failed, 0)),
    Math.abs(ratio - 1) <= AGREEMENT ? 'yes' : 'no',
  ];
}

function mean(a = Number.NaN, b = Number.NaN): number {
  return (a + b) / 2;
}
