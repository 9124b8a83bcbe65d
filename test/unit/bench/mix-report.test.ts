import { describe, expect, it } from 'vitest';
import type { ContenderName } from '../../../scripts/bench/contenders.ts';
import type { Sample } from '../../../scripts/bench/measure.ts';
import { mixResult } from '../../../scripts/bench/sections/mix-report.ts';
import type { Series } from '../../../scripts/bench/sections/mix-rounds.ts';

const facts = { seconds: 2, rounds: 2, guilds: 10, writes: 100, before: '/builds/earlier' };

function sample(requestsPerSecond: number, cpuUs: number, failures: Sample['failures'] = {}): Sample {
  return {
    requestsPerSecond,
    p50Ms: 1,
    p99Ms: 2,
    typicalSpread: 2,
    cpuUs: { server: cpuUs, redis: 10, load: 10 },
    busy: { server: 0.9, redisAndLoad: 0.5, others: 0, stolen: 0 },
    answered: 1000,
    failures,
  };
}

function seriesOf(name: ContenderName, peak: readonly Sample[], byWrk: readonly number[] = []): Series {
  const samples = byWrk.map((requestsPerSecond) => ({ requestsPerSecond, p50Ms: 1, p99Ms: 2, cpuUs: 20, failed: 0 }));
  return { name, peak, byWrk: samples, afterWrk: byWrk.length > 0 ? peak : [], rate: 70, atRate: [sample(70, 20)] };
}

function linesOf(...series: Series[]): string {
  return mixResult(series, facts).lines.join('\n');
}

describe('mixResult', () => {
  const service = seriesOf('guildrank', [sample(100, 20), sample(110, 22)]);

  it('shows the ratios to an earlier build by requests and by CPU, and those by CPU of each round', () => {
    const lines = linesOf(service, seriesOf('before', [sample(105, 18), sample(105, 24)]));
    expect(lines).toMatch(/the build in \/builds\/earlier +1\.00x +1\.00x/);
    expect(lines).toContain('in relation to the earlier build, by CPU, round by round: 0.90x, 1.09x');
  });

  it('lists failures by status and judges them as a goal', () => {
    const failing = seriesOf('guildrank', [sample(100, 20, { 503: 2 }), sample(100, 20, { 503: 1 })]);
    expect(linesOf(failing)).toContain('3 (503)');
    expect(mixResult([failing], facts).goals).toContainEqual({ aim: 'failed requests <= 0', measured: 3, met: false });
  });

  it.each([
    [[108, 119], '1.08x', 'yes'],
    [[112, 124], '1.12x', 'no'],
    [[89, 98], '0.89x', 'no'],
  ])('says if wrk agrees within 10 %%: %j', (byWrk, ratio, agrees) => {
    const lines = linesOf(seriesOf('guildrank', service.peak, byWrk));
    expect(lines).toMatch(new RegExp(`^guildrank .* ${ratio} .* ${agrees}$`, 'm'));
  });

  it('says in one line that wrk measured nothing', () => {
    expect(linesOf(service)).toContain('not compared with wrk');
  });
});
