import { expect, it } from 'vitest';
import { scaleResult } from '../../../scripts/bench/sections/scale.ts';

const memory = [
  { members: 1000, bytesPerMember: 340 },
  { members: 10_000, bytesPerMember: 320 },
];
const cells = ['guildrank', 'cache off'].flatMap((service) =>
  memory.flatMap(({ members }) =>
    (['first', 'last'] as const).map((page) => {
      const last = page === 'last' && members === 10_000;
      return { service, members, page, p50Ms: last ? 1.5 : 1, p99Ms: 2, cpuUs: members / 1000, redisCpuUs: 9 };
    }),
  ),
);

it('judges the last page and the cost of the largest guild, and its memory', () => {
  const { goals } = scaleResult(cells, memory);
  expect(goals.map(({ measured, met }) => [measured, met])).toEqual([
    [1.5, false],
    [1.9, false],
    [1.5, false],
    [1.9, false],
    [320, true],
  ]);
});
