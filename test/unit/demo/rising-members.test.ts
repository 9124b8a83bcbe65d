import { expect, it } from 'vitest';
import { inventMembers } from '../../../scripts/demo/guilds.ts';
import { climberAt, STEP_XP } from '../../../scripts/demo/rising-members.ts';

it('the order of the first ten members of the demonstration changes at least every 15 seconds, for two hours', () => {
  const xp = inventMembers(10, 0).map(({ set }) => Number(set));
  const order = () => [...xp.keys()].sort((a, b) => (xp[b] ?? 0) - (xp[a] ?? 0)).join();
  let last = order();
  let unchanged = 0;
  let longest = 0;
  const climbed = new Set<number>();
  for (let step = 0; step < (2 * 3600) / 0.3; step++) {
    const climber = 9 - climberAt(step, 10);
    climbed.add(climber);
    xp[climber] = (xp[climber] ?? 0) + STEP_XP;
    unchanged = order() === last ? unchanged + 1 : 0;
    last = order();
    longest = Math.max(longest, unchanged);
  }
  expect(longest * 0.3).toBeLessThan(15);
  expect(climbed.size).toBe(10);
});
