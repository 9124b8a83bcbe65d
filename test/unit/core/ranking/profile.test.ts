import { describe, expect, it } from 'vitest';
import { claimTime, explicitLevel, isWellFormed, splitProfile } from '../../../../src/core/ranking/profile.ts';

const NONE = { level: '-', streak: '0', claim: '-', username: '' };

describe('a stored profile', () => {
  it.each<[string | null, object]>([
    ['7 3 1764547200000+60 Ann Lee', { level: '7', streak: '3', claim: '1764547200000+60', username: 'Ann Lee' }],
    ['- 0 -', NONE],
    ['- 0 - ', NONE],
    ['- 0 -  two  words ', { ...NONE, username: ' two  words ' }],
    ['12 x y', { level: '12', streak: 'x', claim: 'y', username: '' }],
    ['x 12 y', { level: 'x', streak: '12', claim: 'y', username: '' }],
    ['x many 5 Cy', { level: 'x', streak: 'many', claim: '5', username: 'Cy' }],
    ['x many -5-60 Cy', { level: 'x', streak: 'many', claim: '-5-60', username: 'Cy' }],
    ['- x y z', { level: '-', streak: 'x', claim: 'y', username: 'z' }],
  ])('the stored profile %j has its parts', (text, parts) => {
    expect(splitProfile(text)).toEqual(parts);
  });

  it.each([null, '', 'Ann', '7', '7 3', 'Ann Lee of Berlin', 'x7 y8 z9', '7x 3x 5x'])(
    'the stored profile %j says nothing',
    (text) => {
      expect(splitProfile(text)).toEqual(NONE);
    },
  );

  it.each(['- 0 -', '7 3 1764547200000', '7 3 -5', '- 12 1764547200000+60 Ann', '- 0 -  \n', `${'9'.repeat(16)} 0 -`])(
    'the stored profile %j has the form that the scripts write',
    (text) => expect(isWellFormed(text)).toBe(true),
  );

  it.each([
    '',
    '-',
    '- 0',
    '- - -',
    '-1 0 -',
    'x- 0 -',
    '- 0 - ',
    '- 0 x',
    '- 0 5+',
    '- 0 5+12345',
    `${'9'.repeat(17)} 0 -`,
  ])('the stored profile %j does not have the form that the scripts write', (text) =>
    expect(isWellFormed(text)).toBe(false),
  );

  it.each([
    ['0', 0],
    ['17', 17],
    ['9'.repeat(30), Number.MAX_SAFE_INTEGER],
    ['-', undefined],
    ['', undefined],
    ['1.5', undefined],
    ['x7', undefined],
  ])('the stored level %j is %j', (text, level) => {
    expect(explicitLevel(text)).toBe(level);
  });

  it.each([
    ['1764547200000', '2025-12-01T00:00:00.000Z'],
    ['1764547200000+60', '2025-12-01T00:00:00.000Z'],
    ['1764547200000-', '2025-12-01T00:00:00.000Z'],
    ['-1', '1969-12-31T23:59:59.999Z'],
    ['-', null],
    ['x5', null],
    ['5x', null],
    ['8640000000000001', null],
  ])('the stored claim %j was at %j', (text, time) => {
    expect(claimTime(text)).toBe(time);
  });
});
