import { expect, it } from 'vitest';
import { pairResult, runPair } from '../../../scripts/bench/sections/pair.ts';
import type { BenchOptions } from '../../../scripts/bench/testbed.ts';

it('compares two builds round by round, with the error of the mean', () => {
  const { data, lines } = pairResult([
    { guildrank: 22, before: 20 },
    { guildrank: 40, before: 40 },
    { guildrank: 36, before: 30 },
  ]);
  expect(data).toMatchObject({ medianRatio: 1.1 });
  const text = lines.join('\n');
  // The third root of 1.1 * 1 * 1.2, and the deviation of the logarithms over the root of 3.
  expect(text).toContain('1.100 (median), 1.097 ± 0.053 (mean)');
  expect(text).toContain('round by round: 1.10, 1.00, 1.20');
  expect(text).toMatch(/guildrank +36\n/);
});

it('says that it needs another build', async () => {
  await expect(runPair({ before: undefined } as BenchOptions)).rejects.toThrow('--before DIR');
});
