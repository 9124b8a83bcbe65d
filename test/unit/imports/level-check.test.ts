import { describe, expect, it } from 'vitest';
import { COMMAND_ADVICE } from '../../../src/cli/sentences.ts';
import { type CurveName, levelForXp, xpForLevel } from '../../../src/core/ranking/curves.ts';
import { fileRecordOf, LevelCheck } from '../../../src/imports/level-check.ts';

/** Total XP at which levels 1, 2, 3, ... begin, by each bot's documentation. */
const PUBLISHED: [bot: string, curve: CurveName, thresholds: number[]][] = [
  // The sum of 5k^2 + 50k + 100 over the levels below (github.com/Mee6/Mee6-documentation, levels_xp).
  ['MEE6', 'standard', [100, 255, 475, 770, 1150, 1625, 2205, 2900, 3720, 4675]],
  // 20n^2 - 40n + 55 and 50n^2 - 100n + 150 (lurkr.gg/docs/guides/customize-leveling-speed, presets Amari and Lurkr).
  ['Amari', 'amari', [35, 55, 115, 215, 355, 535, 755, 1015, 1315, 1655]],
  ['Lurkr', 'lurkr', [100, 150, 300, 550, 900, 1350, 1900, 2550, 3300, 4150]],
  // n^3 + 50n^2 + 100n rounded to hundreds, Polaris's default settings.
  ['Polaris', 'polaris', [200, 400, 800, 1300, 1900, 2600, 3500, 4500, 5700, 7000]],
];

describe('levels of imported members', () => {
  it.each(PUBLISHED)(
    'by the thresholds that %s publishes, each level begins exactly at its XP',
    (_bot, curve, thresholds) => {
      for (const [index, xp] of thresholds.entries()) {
        expect(xpForLevel(curve, index + 1)).toBe(xp);
        expect(levelForXp(curve, xp)).toBe(index + 1);
        expect(levelForXp(curve, xp - 1)).toBe(index);
      }
    },
  );

  it('level 100 of MEE6 begins at 1,899,250 XP', () => {
    expect(levelForXp('standard', 1_899_250)).toBe(100);
    expect(levelForXp('standard', 1_899_249)).toBe(99);
  });

  it.each([
    ['curve', null],
    ['file', 12],
  ] as const)('with --levels %s, a level of 12 that differs from the curve is stored as %s', (levels, stored) => {
    const row = { userId: '1', xp: 4675, username: 'a' };
    const recordFor = (level: object) => fileRecordOf({ ...row, ...level }, 'standard', levels);
    const record = { userId: '1', set: 4675, username: 'a' };
    expect(recordFor({ level: 10 })).toEqual({ ...record, level: null });
    expect(recordFor({ level: 12 })).toEqual({ ...record, level: stored });
    expect(recordFor({ level: null })).toEqual({ ...record, level: null });
    expect(recordFor({})).toEqual(record);
  });

  it('levels that differ from the curve are counted, and the message names the curve that gives most of them', () => {
    const check = new LevelCheck('lurkr');
    // Level 10 begins at 4,675 XP by standard, at 4,150 by lurkr.
    for (const xp of [4200, 4674, 30_000, 0]) check.add({ userId: '1', xp, level: levelForXp('standard', xp) });
    expect(check).toMatchObject({ compared: 4, differing: 3 });
    expect(check.refusal(COMMAND_ADVICE)).toBe(
      '3 of 4 levels in the file do not fit the curve lurkr, and 4 fit the curve standard: add --curve standard, or --levels curve to give these members the level of their XP, or --levels file to keep the levels of the file',
    );
    for (let n = 0; n < 5; n++) check.add({ userId: '1', xp: n, level: 70 });
    expect(check.refusal(COMMAND_ADVICE)).toBe(
      '8 of 9 levels in the file do not fit the curve lurkr: add --levels curve to give these members the level of their XP, or --levels file to keep the levels of the file',
    );
  });

  it('levels that are empty, or that a row itself calls explicit or not, are not compared', () => {
    const check = new LevelCheck('standard');
    const row = { userId: '1', xp: 5 };
    for (const level of [{}, { level: null }, { level: 70, explicitLevel: true }, { level: 70, explicitLevel: false }])
      check.add({ ...row, ...level });
    expect(check).toMatchObject({ compared: 0, differing: 0 });
  });

  it('a row that calls its level explicit or not decides whether the level is stored', () => {
    const row = { userId: '1', xp: 4675 };
    expect(fileRecordOf({ ...row, level: 10, explicitLevel: true }, 'standard')).toMatchObject({ level: 10 });
    expect(fileRecordOf({ ...row, level: 12, explicitLevel: false }, 'standard')).toMatchObject({ level: null });
  });
});
