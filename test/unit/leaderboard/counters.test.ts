import { describe, expect, it } from 'vitest';
import { CounterAudit } from '../../../src/leaderboard/counters.ts';
import { CURVE_TABLE } from '../../../src/leaderboard/curves.ts';
import { RedisKeys } from '../../../src/redis/redis-keys.ts';
import { scripted } from '../../support/scripted.ts';

const RECOUNT = ['recount', 'gr:{g}:xp', 'gr:{g}:stats', 'gr:{g}:config', 'gr:{g}:member:', CURVE_TABLE];
const CONFIGURE = ['configure', 'gr:{g}:stats', 'gr:{g}:config'];

function setup(...replies: Parameters<typeof scripted>) {
  const { scripts, sent } = scripted(...replies);
  return { audit: new CounterAudit(scripts, new RedisKeys('gr')), sent };
}

/** Returns the reply of `recount` for a slice with these sums, in a guild of `ranked` members with these counters. */
const slice = (
  revision: string,
  sums: [members: number, hi: number, lo: number, levels: number],
  ranked: number,
  stored: [members: string, xp: string, levels: string] = ['3', '300000600', '9'],
) => [revision, ...sums.map(String), ranked, ...stored];

const THREE: Parameters<typeof slice>[1] = [3, 3, 600, 9];
const three = { members: 3n, totalXp: 300_000_600n, levelSum: 9n };

describe('CounterAudit.check', () => {
  it('reads a small guild in one step', async () => {
    const { audit, sent } = setup(slice('r1', THREE, 4));
    expect(await audit.check('g')).toMatchObject({ stored: three, actual: three, exact: true });
    expect(sent).toEqual([[...RECOUNT, '', 0, 1999, '']]);
  });

  it('adds up the slices of a large guild', async () => {
    const { audit, sent } = setup(
      slice('r1', [2000, 1, 100, 5], 4001, ['4001', '300000600', '9']),
      slice('r1', [2000, 2, 200, 3], 4001, ['4001', '300000600', '9']),
      slice('r1', [1, 0, 300, 1], 4001, ['4001', '300000600', '9']),
    );
    expect(await audit.check('g')).toMatchObject({
      actual: { members: 4001n, totalXp: 300_000_600n, levelSum: 9n },
      exact: true,
    });
    expect(sent.map((command) => command.slice(7))).toEqual([
      [0, 1999, ''],
      [2000, 3999, ''],
      [4000, 5999, ''],
    ]);
  });

  it('reads no slice beyond the last member', async () => {
    const { audit, sent } = setup(slice('r1', THREE, 2000));
    await audit.check('g');
    expect(sent).toHaveLength(1);
  });

  it('starts again when the guild changed between two slices', async () => {
    const { audit, sent } = setup(
      slice('r1', [2000, 9, 9, 9], 2001),
      slice('r2', [1, 9, 9, 9], 2001),
      slice('r2', [2000, 1, 500, 5], 2001),
      slice('r2', [1, 2, 100, 4], 2001),
    );
    expect((await audit.check('g')).actual).toEqual({ members: 2001n, totalXp: 300_000_600n, levelSum: 9n });
    expect(sent).toHaveLength(4);
  });

  it('reads a guild that changes all the time in one step after three attempts', async () => {
    const changing = [1, 2, 3].flatMap((n) => [
      slice(`r${2 * n}`, [2000, 0, 0, 0], 2001),
      slice(`r${2 * n + 1}`, [1, 0, 0, 0], 2001),
    ]);
    const { audit, sent } = setup(...changing, slice('r9', THREE, 2001));
    expect(await audit.check('g')).toMatchObject({ actual: three, exact: true });
    expect(sent).toHaveLength(7);
    expect(sent[6]).toEqual([...RECOUNT, '', 0, -1, '']);
  });

  it.each([
    ['members', ['2', '300000600', '9']],
    ['total_xp', ['3', '300000601', '9']],
    ['level_sum', ['3', '300000600', '8']],
    ['missing counters', ['', '', '']],
  ] as const)('finds drift in %s', async (_name, stored) => {
    const { audit } = setup(slice('r1', THREE, 3, [...stored]));
    expect((await audit.check('g')).exact).toBe(false);
  });

  it('reads a counter that is not an integer as 0, and a negative one as it is', async () => {
    const { audit } = setup(slice('r1', THREE, 3, ['x3', '3x', '-9']));
    expect((await audit.check('g')).stored).toEqual({ members: 0n, totalXp: 0n, levelSum: -9n });
  });
});

describe('CounterAudit.rebuild', () => {
  it('stores the counters if the guild is still at the revision of the count', async () => {
    const { audit, sent } = setup(slice('r1', THREE, 3, ['1', '2', '3']), 'r2');
    expect(await audit.rebuild('g')).toMatchObject({
      stored: { members: 1n, totalXp: 2n, levelSum: 3n },
      actual: three,
      exact: false,
    });
    expect(sent[1]).toEqual([...CONFIGURE, 'r1', 3, 'members', '3', 'total_xp', '300000600', 'level_sum', '9']);
  });

  it('counts and stores in one step when the guild has changed since the count', async () => {
    const { audit, sent } = setup(slice('r1', [1, 1, 1, 1], 3), '', slice('r2', THREE, 3));
    expect((await audit.rebuild('g')).actual).toEqual(three);
    expect(sent[2]).toEqual([...RECOUNT, '', 0, -1, 'commit']);
  });

  it('counts and stores in one step when the guild changes all the time', async () => {
    const changing = [1, 2, 3].flatMap((n) => [
      slice(`r${2 * n}`, [2000, 0, 0, 0], 2001),
      slice(`r${2 * n + 1}`, [1, 0, 0, 0], 2001),
    ]);
    const { audit, sent } = setup(...changing, slice('r9', THREE, 3));
    await audit.rebuild('g');
    expect(sent.at(-1)).toEqual([...RECOUNT, '', 0, -1, 'commit']);
  });
});
