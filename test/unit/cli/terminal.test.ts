import { expect, it } from 'vitest';
import { formatDuration, parseDuration } from '../../../src/cli/duration.ts';
import { textTable } from '../../../src/cli/table.ts';
import { testContext } from '../../support/command.ts';

const ROWS = [
  ['1', 'ada', '9,000'],
  ['10', 'bob\x1b[2J', '8'],
];

const PIPE = testContext();
const onTerminal = (env = {}) => testContext({ env, isTTY: true });

it('a pipe gets tab-separated values, without control characters', () => {
  expect(textTable(PIPE, ['N', 'NAME', 'XP'], ROWS)).toEqual(['N\tNAME\tXP', '1\tada\t9,000', '10\tbob?[2J\t8']);
});

it('a terminal gets columns under a bold heading, which is plain with NO_COLOR', () => {
  const rows = ['1   ada      9,000', '10  bob?[2J  8'];
  expect(textTable(onTerminal(), ['N', 'NAME', 'XP'], ROWS)).toEqual(['\x1b[1mN   NAME     XP\x1b[22m', ...rows]);
  expect(textTable(onTerminal({ NO_COLOR: '1' }), ['N', 'NAME', 'XP'], ROWS)).toEqual(['N   NAME     XP', ...rows]);
});

it('a plain table is aligned in a pipe too, with numbers to the right', () => {
  expect(textTable(PIPE, ['n', 'name', 'xp'], ROWS, { plain: true, alignRight: [0, 2] })).toEqual([
    ' n  name        xp',
    ' 1  ada      9,000',
    '10  bob?[2J      8',
  ]);
});

it.each([
  ['0m', 0],
  ['30m', 1_800_000],
  ['24h', 86_400_000],
  ['90d', 7_776_000_000],
  ['2w', 1_209_600_000],
  ['36500d', 3_153_600_000_000],
])('the duration %s is parsed', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

it.each(['', '5', '1.5h', '-1d', '1y', '36501d'])('the duration %j is refused', (text) => {
  expect(() => parseDuration(text)).toThrow('It must be a whole number with a unit, such as 30m, 24h, 90d or 2w.');
});

it('durations are printed in seconds, and from a minute on in minutes and seconds', () => {
  expect([0.2, 59, 60, 125.4].map(formatDuration)).toEqual(['1 s', '59 s', '1 min 0 s', '2 min 6 s']);
});
