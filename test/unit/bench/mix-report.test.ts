import { expect, it } from 'vitest';
import type { ContenderName } from '../../../scripts/bench/contenders.ts';
import type { Sample } from '../../../scripts/bench/measure.ts';
import { mixResult, type Series } from '../../../scripts/bench/sections/mix-report.ts';

function seriesOf(
  name: ContenderName,
  ...peaks: [requestsPerSecond: number, cpuUs: number, others?: number][]
): Series {
  const samples = peaks.map(
    ([requestsPerSecond, server, others = 0]): Sample => ({
      requestsPerSecond,
      p50Ms: 1,
      p99Ms: 2,
      p999Ms: 3,
      cpuUs: { server, redis: 10 },
      busy: { server: 0.9, load: 0.5, others },
    }),
  );
  return { name, samples };
}

const service = seriesOf('guildrank', [100, 20], [110, 22]);

it('shows the ratios of the medians by requests and by CPU', () => {
  const { lines } = mixResult([service, seriesOf('before', [105, 18], [105, 24])]);
  expect(lines.join('\n')).toMatch(/the earlier build +1\.00x +1\.00x/);
});

it('judges the contenders that took part', () => {
  const { goals } = mixResult([service, seriesOf('nginx', [106, 20])]);
  expect(goals).toEqual([{ aim: 'the mix against nginx with Lua (e) >= 1', measured: 105 / 106, met: false }]);
});

it('asks for a repetition when other processes used the cores', () => {
  expect(mixResult([service]).lines.join('\n')).not.toContain('other processes');
  expect(mixResult([seriesOf('guildrank', [100, 20, 0.3])]).lines.join('\n')).toContain('up to 30 % of a core');
});
