import { expect, it } from 'vitest';
import { runMix } from '../../scripts/bench/sections/mix.ts';
import { runVisitors } from '../../scripts/bench/sections/visitors.ts';
import { needs } from '../support/needs.ts';

it('the benchmark measures the service beside bare node:http', needs('redis-server'), async () => {
  const failures = {};
  const options = { seconds: 2, rounds: 1, small: true, before: undefined, cores: undefined, failures };
  const { data, lines } = await runMix(options);
  // A busy machine can keep Redis from answering in time.
  expect(Object.keys(failures).filter((failure) => !failure.endsWith(': 503'))).toEqual([]);
  const { contenders } = data as { contenders: { name: string; requestsPerSecond: number }[] };
  expect(contenders.map(({ name }) => name)).toEqual(expect.arrayContaining(['guildrank', 'node:http']));
  for (const { name, requestsPerSecond } of contenders) {
    expect(requestsPerSecond, name).toBeGreaterThan(0);
    expect(lines.join('\n')).toContain(`\n${name} `);
  }
});

it(
  'the benchmark measures the service with and without the cache of nginx',
  needs('redis-server', 'nginx'),
  async () => {
    const failures = {};
    const options = { seconds: 2, rounds: 1, small: true, before: undefined, cores: undefined, failures };
    const { data, lines } = await runVisitors(options);
    // A busy machine also sends requests late and together, more than an address may.
    expect(Object.keys(failures).filter((failure) => !/: (503|429)$/.test(failure))).toEqual([]);
    const { direct, cached } = data as Record<'direct' | 'cached', number[]>;
    expect([direct.length, cached.length]).toEqual([1, 1]);
    expect(direct[0]).toBeGreaterThan(0);
    expect(lines.join('\n')).toContain('behind the cache of nginx');
  },
);
