import { CONTENDERS, type ContenderName } from '../contenders.ts';
import type { Sample } from '../measure.ts';
import { atLeast, figure, median, percent, type SectionResult, tableLines, times } from '../report.ts';

/** Samples of one contender, round by round. */
interface Series {
  readonly name: ContenderName;
  readonly samples: Sample[];
}

/** Above this part of a core, other processes change the numbers more than the contenders differ. */
const OTHERS_TOLERATED = 0.05;

/** Returns the report of the mix: the table, the ratios of the service, which comes first, to all other contenders, and the goals. */
export function mixResult(series: readonly Series[]): SectionResult {
  const summaries = series.map(summarise);
  const [service, ...others] = summaries as [Summary, ...Summary[]];
  const ratioTo = (other: Summary) => service.requestsPerSecond / other.requestsPerSecond;
  const against = (name: ContenderName, aim: string, bound: number) =>
    others.filter((other) => other.name === name).map((other) => atLeast(aim, ratioTo(other), bound));
  const disturbed = Math.max(...summaries.map((summary) => summary.others));
  const warning = `other processes used up to ${percent(disturbed)} of a core: repeat this on a quiet machine`;
  return {
    data: { contenders: summaries, series },
    lines: [
      ...tableLines(
        ['', 'requests/s', 'p50 ms', 'p99 ms', 'CPU µs/request', 'server core', 'load core'],
        summaries.map(({ name, requestsPerSecond, p50Ms, p99Ms, cpuUs, serverBusy, loadBusy }) => {
          const figures = [requestsPerSecond, p50Ms, p99Ms, cpuUs].map(figure);
          return [name, ...figures, percent(serverBusy), percent(loadBusy)];
        }),
      ),
      '',
      'guildrank in relation to each (by CPU: its CPU time a request divided by the CPU time of guildrank)',
      ...tableLines(
        ['', 'by requests/s', 'by CPU'],
        others.map((other) => [CONTENDERS[other.name], times(ratioTo(other), 1), times(other.cpuUs, service.cpuUs)]),
      ),
      ...(disturbed > OTHERS_TOLERATED ? [warning] : []),
    ],
    goals: [
      ...against('node:http', 'the mix against a constant from node:http (a)', 0.45),
      ...against('nginx', 'the mix against nginx with Lua (e)', 1),
    ],
  };
}

type Summary = ReturnType<typeof summarise>;

/** Returns the medians of a contender's rounds. */
function summarise({ name, samples }: Series) {
  const of = (value: (sample: Sample) => number) => median(samples.map(value));
  return {
    name,
    requestsPerSecond: of((sample) => sample.requestsPerSecond),
    p50Ms: of((sample) => sample.p50Ms),
    p99Ms: of((sample) => sample.p99Ms),
    cpuUs: of((sample) => sample.cpuUs.server),
    serverBusy: of((sample) => sample.busy.server),
    loadBusy: of((sample) => sample.busy.load),
    others: of((sample) => sample.busy.others),
  };
}
