import { expect, it } from 'vitest';
import type { Sample } from '../../../scripts/bench/measure.ts';
import { pagesResult } from '../../../scripts/bench/sections/pages.ts';
import { type TailSeries, tailResult } from '../../../scripts/bench/sections/tail.ts';

function samplesOf(...p99s: number[]): Sample[] {
  return p99s.map((p99Ms) => ({
    ...{ requestsPerSecond: 100, p50Ms: p99Ms / 2, p99Ms, p999Ms: 2 * p99Ms },
    cpuUs: { server: 20, redis: 10 },
    busy: { server: 0.9, load: 0.5, others: 0 },
  }));
}

it('compares the p99 at 70 % of the peak with that of nginx', () => {
  const series = (name: TailSeries['name'], load: number, ...p99s: number[]) => ({
    name,
    load,
    samples: samplesOf(...p99s),
  });
  const service = [series('guildrank', 0.3, 1), series('guildrank', 0.7, 9, 3, 4)];
  const { lines, goals } = tailResult([...service, series('nginx', 0.7, 5)]);
  expect(lines.join('\n')).toMatch(/guildrank +70 % +100 +2 +4 +8/);
  expect(goals).toEqual([{ aim: 'p99 at 70 % over that of nginx <= 1', measured: 4 / 5, met: true }]);
  expect(tailResult(service).goals).toEqual([]);
});

it('compares the API beside public pages with the API alone', () => {
  const { goals } = pagesResult({ alone: samplesOf(2, 2, 8), beside: samplesOf(3, 3, 1) });
  expect(goals).toEqual([{ aim: 'p99 of the API beside public pages over alone <= 1.2', measured: 1.5, met: false }]);
});
