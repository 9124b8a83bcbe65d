import { describe, expect, it } from 'vitest';
import { recordOf } from '../../../src/import/rows.ts';
import { type CurveName, levelForXp, xpForLevel } from '../../../src/leaderboard/curves.ts';

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
  it.each(PUBLISHED)('%s: the level begins exactly at its threshold', (_bot, curve, thresholds) => {
    for (const [index, xp] of thresholds.entries()) {
      expect(xpForLevel(curve, index + 1)).toBe(xp);
      expect(levelForXp(curve, xp)).toBe(index + 1);
      expect(levelForXp(curve, xp - 1)).toBe(index);
    }
  });

  it('MEE6 level 100 begins at 1,899,250', () => {
    expect(levelForXp('standard', 1_899_250)).toBe(100);
    expect(levelForXp('standard', 1_899_249)).toBe(99);
  });

  it('are stored only where they differ from the curve, and removed where they no longer do', () => {
    const row = { userId: '1', xp: 4675, username: 'a' };
    expect(recordOf({ ...row, level: 10 }, 'standard').profile).toEqual({ username: 'a', level: null });
    expect(recordOf({ ...row, level: 12 }, 'standard').profile).toEqual({ username: 'a', level: 12 });
    expect(recordOf({ ...row, level: null }, 'standard').profile).toEqual({ username: 'a', level: null });
    expect(recordOf(row, 'standard').profile).toEqual({ username: 'a' });
  });

  it('are stored, or not, as the file says of each', () => {
    const row = { userId: '1', xp: 4675 };
    expect(recordOf({ ...row, level: 10, explicitLevel: true }, 'standard').profile).toEqual({ level: 10 });
    expect(recordOf({ ...row, level: 12, explicitLevel: false }, 'standard').profile).toEqual({ level: null });
  });
});
