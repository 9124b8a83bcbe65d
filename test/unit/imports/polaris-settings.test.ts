import { describe, expect, it } from 'vitest';
import { CURVE_NAMES, type Curve, levelForXp, parseCurve } from '../../../src/core/ranking/curves.ts';
import { curveOfSettings, type PolarisSettings, settingsOfCurve } from '../../../src/imports/polaris-settings.ts';
import { readFile } from './read.ts';

const DEFAULT: PolarisSettings = { curve: { 1: 100, 2: 50, 3: 1 }, rounding: 100, maxLevel: 1000 };

/** Returns the level as Polaris counts it: up from 0, no further than its highest level. */
function polarisLevel({ curve, rounding, maxLevel }: PolarisSettings, xp: number): number {
  const reach = (n: number) => rounding * Math.round((curve[1] * n + curve[2] * n ** 2 + curve[3] * n ** 3) / rounding);
  let level = 0;
  while (level < maxLevel && xp >= reach(level + 1)) level++;
  return level;
}

describe('the settings of Polaris exports', () => {
  it.each([
    ['{"settings":{"enabled":true},"users":{}}', 'polaris'],
    ['{"settings":{"curve":{"3":1.0},"maxLevel":1000},"users":{}}', 'polaris'],
    ['{"settings":{"curve":{"3":0,"2":2.5,"1":50},"rounding":1,"maxLevel":60},"users":{}}', 'custom=0,5,100,1,2,1,60'],
    ['{"xp":{"100000000000000001":5}}', undefined],
    ['{"users":{"1":{"xp":5,"settings":{"maxLevel":5}}}}', undefined],
  ])('the settings of the server alone give the curve of an export: %s', async (text, curve) => {
    expect((await readFile(text, { format: 'polaris' })).curve).toBe(curve);
  });

  it('an export gives its curve wherever its settings stand, and however long they are', async () => {
    const settings = { message: 'x'.repeat(200_000), curve: { 1: 0, 2: 2.5, 3: 0 }, rounding: 1, maxLevel: 20 };
    const users = Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`1000000000000${n + 10_000}`, { xp: n }]));
    for (const document of [
      { settings, users },
      { users, settings },
    ]) {
      const { format, curve, rows } = await readFile(JSON.stringify(document));
      expect([format, curve, rows.length]).toEqual(['polaris', 'custom=0,5,0,1,2,1,20', 3000]);
    }
  });

  // The presets of Polaris, and others at its bounds.
  it.each([
    [DEFAULT, 'polaris'],
    [{ curve: { 1: 150, 2: 100, 3: 5 }, rounding: 100, maxLevel: 1000 }, 'custom=5,100,150,0,1,100,1000'],
    [{ curve: { 1: 50, 2: 20, 3: 0.5 }, rounding: 50, maxLevel: 1000 }, 'custom=1,40,100,0,2,50,1000'],
    [{ curve: { 1: 10000, 2: 0, 3: 0 }, rounding: 1, maxLevel: 1000 }, 'custom=0,0,10000,0,1,1,1000'],
    [{ curve: { 1: 25, 2: 50, 3: 0 }, rounding: 5, maxLevel: 1000 }, 'arcane'],
    [{ curve: { 1: 75.8333333333, 2: 22.5, 3: 1.6666666667 }, rounding: 5, maxLevel: 1000 }, 'standard'],
    [{ ...DEFAULT, maxLevel: 100 }, 'custom=1,50,100,0,1,100,100'],
    [{ curve: { 1: 0.5, 2: 12.25, 3: 0 }, rounding: 3, maxLevel: 77 }, 'custom=0,49,2,2,4,3,77'],
    [{ curve: { 1: 100000, 2: 10000, 3: 100 }, rounding: 1000, maxLevel: 1 }, 'custom=100,10000,100000,0,1,1000,1'],
  ] as [PolarisSettings, string][])('the settings %j give the curve %s, with the same levels', (settings, text) => {
    const found = curveOfSettings(settings);
    expect(found).toEqual({ curve: text, wrong: 0 });
    const curve = parseCurve(text) as Curve;
    for (let xp = 0; xp < 3_000_000; xp = Math.ceil(xp * 1.03) + 1) {
      expect([xp, levelForXp(curve, xp)]).toEqual([xp, polarisLevel(settings, xp)]);
    }
    if (text.startsWith('custom=')) expect(levelForXp(curve, 1e12)).toBe(settings.maxLevel);
    expect(settingsOfCurve(curve)).toBeDefined();
  });

  it('settings with many decimals give the nearest curve, and settings of a curve without levels give none', () => {
    const { curve, wrong } = curveOfSettings({ ...DEFAULT, curve: { 1: 0, 2: 0, 3: 1.2345678901 }, rounding: 1 }) ?? {};
    expect(wrong).toBeGreaterThan(0);
    expect(levelForXp(parseCurve(curve as string) as Curve, 1_234_700)).toBe(100);
    expect(curveOfSettings({ ...DEFAULT, curve: { 1: 0, 2: 0, 3: 0 } })).toBeUndefined();
  });

  it('settings of more levels than a Polaris server can have give no curve, and a notice says so', async () => {
    const read = (maxLevel: number) =>
      readFile(JSON.stringify({ settings: { ...DEFAULT, maxLevel }, users: {} }), { name: 'f.json' });
    expect(await read(1000)).toMatchObject({ curve: 'polaris', lines: [] });
    const { curve, lines } = await read(1001);
    expect([curve, lines]).toEqual([
      undefined,
      ['f.json: its settings make no curve: levels will differ from the levels that the bot showed'],
    ]);
  });

  it('the service can make settings for the curves that Polaris can have', () => {
    const made = CURVE_NAMES.filter((name) => settingsOfCurve(parseCurve(name) as Curve) !== undefined);
    expect(made).toEqual(['standard', 'polaris', 'arcane']);
    expect(settingsOfCurve(parseCurve('polaris') as Curve)).toEqual(DEFAULT);
    expect(settingsOfCurve(parseCurve('custom=0,0,50,0,1,1') as Curve), 'levels above 1000').toBeUndefined();
  });
});
