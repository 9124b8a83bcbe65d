import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Allowance, type Call, findFault } from './history.ts';

const add = (start: number, end: number, xp: number): Call => ({ kind: 'add', start, end, xp });
/** An addition that nobody acknowledged. */
const unknown = (start: number): Call => ({ kind: 'add', start });
const read = (start: number, end: number, xp: number): Call => ({ kind: 'read', start, end, xp });

const RIGHT: [string, Call[], Allowance?][] = [
  ['no call', []],
  ['reads around an addition', [read(0, 1, 0), add(2, 4, 1), read(5, 6, 1)]],
  ['reads during an addition, in either order of their ends', [add(0, 9, 1), read(1, 8, 1), read(2, 3, 0)]],
  ['an addition without a reply that happens late', [unknown(0), read(1, 2, 0), add(3, 4, 1), read(5, 6, 2)]],
  ['an addition without a reply that never happens', [unknown(0), read(1, 2, 0), read(3, 4, 0)]],
  [
    'an addition without a reply that is lost after it was seen',
    [unknown(0), read(1, 2, 1), read(3, 4, 0)],
    { mayLose: true },
  ],
  ['a read of a moment ago', [add(0, 1, 1), add(2, 3, 2), read(5, 6, 1)], { staleMs: 3 }],
];

const WRONG: [string, Call[], Allowance?][] = [
  ['an acknowledged addition that is not read', [add(0, 1, 1), read(2, 3, 0)]],
  ['an acknowledged addition that is lost', [add(0, 1, 1), read(2, 3, 1), read(4, 5, 0)], { mayLose: true }],
  ['an acknowledged addition that a later addition does not count', [add(0, 1, 1), add(2, 3, 1)], { mayLose: true }],
  ['an addition that happens twice', [add(0, 1, 1), read(2, 3, 2)], { mayLose: true }],
  ['an addition that its own reply counts twice', [add(0, 1, 2)]],
  ['an addition without a reply that happens twice', [unknown(0), read(1, 2, 2)], { mayLose: true }],
  ['an addition that is read before it begins', [read(0, 1, 1), add(2, 3, 1)]],
  ['reads that go back', [add(0, 9, 1), read(1, 2, 1), read(3, 4, 0)]],
  ['reads that go back, where nothing may be lost', [unknown(0), read(1, 2, 1), read(3, 4, 0)]],
  [
    'an addition without a reply that was seen, and that the next addition does not count',
    [unknown(0), read(1, 2, 1), add(3, 4, 1)],
  ],
  [
    'an addition that was seen, and that is missing after the next addition',
    [unknown(0), read(1, 2, 1), add(3, 4, 2), read(5, 6, 1)],
  ],
  [
    'a loss of an acknowledged addition after an addition without a reply',
    [unknown(0), add(1, 2, 1), read(3, 4, 0)],
    { mayLose: true },
  ],
  ['a read that is older than allowed', [add(0, 1, 1), add(2, 3, 2), read(7, 8, 1)], { staleMs: 3 }],
  ['a read of a count that never was', [add(0, 1, 1), read(2, 3, 7)], { staleMs: 9, mayLose: true }],
];

describe('the checker of histories', () => {
  it.each(RIGHT)('the checker accepts %s', (_name, calls, allowance) => {
    expect(findFault(calls, 0, allowance)).toBeUndefined();
  });

  it.each(WRONG)('the checker refuses %s', (_name, calls, allowance) => {
    expect(findFault(calls, 0, allowance)).toBeDefined();
  });

  /** Calls by steps of a counter: each happens at a time of its own, within an interval around it. */
  const steps = fc.array(
    fc.record({ kind: fc.constantFrom('add', 'read', 'unknown'), before: fc.nat(30), after: fc.nat(30) }),
    { minLength: 1, maxLength: 30 },
  );
  const historyOf = (drawn: { kind: string; before: number; after: number }[]): Call[] => {
    let xp = 0;
    return drawn.map(({ kind, before, after }, n): Call => {
      const at = n * 10;
      if (kind !== 'read') xp++;
      if (kind === 'unknown') return unknown(at - before);
      // Additions of one bot do not overlap.
      return kind === 'add' ? add(at - (before % 5), at + (after % 5), xp) : read(at - before, at + after, xp);
    });
  };

  it('the checker accepts every history of a counter', () => {
    fc.assert(
      fc.property(steps, (drawn) => {
        expect(findFault(historyOf(drawn), 0)).toBeUndefined();
        expect(findFault(historyOf(drawn), 0, { mayLose: true, staleMs: 5 })).toBeUndefined();
      }),
    );
  });

  it('the checker refuses every history of a counter with a later read that misses an acknowledged addition', () => {
    fc.assert(
      fc.property(steps, (drawn) => {
        const calls = historyOf(drawn);
        const acknowledged = calls.filter(({ kind, end }) => kind === 'add' && end !== undefined).length;
        const end = 10 * drawn.length + 100;
        fc.pre(acknowledged > 0);
        const late = read(end, end + 1, acknowledged - 1);
        expect(findFault([...calls, late], 0, { mayLose: true, staleMs: 50 })).toBe(late);
      }),
    );
  });
});
