import { describe, expect, it } from 'vitest';
import {
  CURVE_NAMES,
  type Curve,
  DEFAULT_CURVE,
  levelForXp,
  MAX_XP,
  parseCurve,
  progress,
  xpForLevel,
} from '../../../../src/core/ranking/curves.ts';
import { exactXpToReach } from '../../../support/random-curve.ts';

const custom = (numbers: string): Curve | undefined => parseCurve(`custom=${numbers}`);

describe('the text of a curve', () => {
  it('the text of a curve is a name of the table, and any other name means standard', () => {
    expect(CURVE_NAMES).toEqual(['standard', 'amari', 'lurkr', 'polaris', 'arcane']);
    expect(DEFAULT_CURVE).toBe('standard');
    expect(parseCurve('standard')).toEqual({ a: 10, b: 135, c: 455, d: 0, q: 6, m: 1 });
    expect(parseCurve('polaris')).toEqual({ a: 1, b: 50, c: 100, d: 0, q: 1, m: 100 });
    for (const text of ['', 'Polaris', 'custom', '0,0,50,0,1,1', ' custom=0,0,50,0,1,1']) {
      expect(parseCurve(text), text).toBe(parseCurve('standard'));
    }
  });

  it.each([
    ['a at its least and greatest', '0,1,0,0,1,1', '1000000,0,0,0,1,1'],
    ['b at its least and greatest', '1,0,0,0,1,1', '0,1000000,0,0,1,1'],
    ['c at its least and greatest', '1000000,0,-1000000,0,1,1', '0,0,1000000,0,1,1'],
    ['d at its least and greatest', '1000000,1000000,1000000,-3000000,1,1', '1,0,0,1000000000,1,1'],
    ['q and m at their greatest', '1,0,0,0,1000,1', '1,0,0,0,1,1000'],
    ['the highest level at its least and greatest', '1,0,0,0,1,1,1', '1,0,0,0,1,1,1000000'],
    ['a curve that just rises', '1,0,-2,1,1,1', '0,1,-1,0,1,1'],
    ['a curve with a c that a or b makes up for', '1000,0,-2500,1500,1,1', '0,1000,-1500,500,1,1'],
    ['a first level at 0 XP', '1,0,0,-1,1,1', '0,5,0,-5,1,1'],
    ['ten digits in each number', '0000000000,0000000001,-0000000001,-0000000000,0000000001,0000000001,0000000009'],
    ['a straight line that is just steep enough', '0,0,4,0,2,1', '0,0,1000000,0,1000,1'],
  ])('the text of a curve may have %s', (_what, ...texts) => {
    for (const text of texts) {
      const [a, b, c, d, q, m, max] = text.split(',').map(Number);
      expect(custom(text), text).toEqual({ a, b, c, d, q, m, ...(max !== undefined && { max }) });
    }
  });

  it.each([
    ['a below or above its bounds', '-1,10,0,0,1,1', '1000001,0,0,0,1,1'],
    ['b below or above its bounds', '10,-1,0,0,1,1', '0,1000001,0,0,1,1'],
    ['c below or above its bounds', '1000000,0,-1000001,1,1,1', '0,0,1000001,0,1,1'],
    ['d above its bound', '1,0,0,1000000001,1,1'],
    ['q outside its bounds', '1,0,0,0,0,1', '1,0,0,0,-1,1', '1,0,0,0,1001,1'],
    ['m outside its bounds', '1,0,0,0,1,0', '1,0,0,0,1,-1', '1,0,0,0,1,1001'],
    ['a highest level outside its bounds', '1,0,0,0,1,1,0', '1,0,0,0,1,1,1000001'],
    ['a curve that does not rise', '1,0,-3,2,1,1', '0,1,-2,1,1,1', '1,1,-6,4,1,1', '0,0,0,5,1,1'],
    ['a first level below 0 XP', '1,0,0,-2,1,1', '0,5,0,-6,1,1', '0,0,5,-6,1,1'],
    ['a straight line that is too flat', '0,0,3,0,2,1', '0,0,999999,0,1000,1'],
    ['too few or too many numbers', '', '1', '1,0,0,0,1', '1,0,0,0,1,1,', '1,0,0,0,1,1,5,5'],
    [
      'a number of more than ten digits',
      `0,0,50,0,1,${'0'.repeat(10)}1`,
      `${'0'.repeat(11)},0,50,0,1,1`,
      `0,0,50,0,1,1,${'0'.repeat(90_000)}9`,
    ],
    ['what is no whole number', '1.5,0,0,0,1,1', '+1,0,0,0,1,1', '1e3,0,0,0,1,1', 'a,0,0,0,1,1', ',0,0,0,1,1'],
    ['anything around its numbers', ' 1,0,0,0,1,1', '1,0,0,0,1,1 ', '1,0,0,0,1,1\n', 'custom=1,0,0,0,1,1'],
  ])('the text of a curve is refused with %s', (_what, ...texts) => {
    for (const text of texts) expect(custom(text), text).toBeUndefined();
  });
});

describe('the levels of a curve', () => {
  it.each(CURVE_NAMES)(
    'the levels of %s change exactly at their thresholds, and progress counts from there',
    (name) => {
      for (let level = 1; level <= 120; level++) {
        const start = xpForLevel(name, level);
        const needed = xpForLevel(name, level + 1) - start;
        expect([start - 1, start, start + 1].map((xp) => levelForXp(name, xp))).toEqual([level - 1, level, level]);
        expect(progress(name, start)).toEqual({ level, gained: 0, needed });
        expect(progress(name, start + needed - 1)).toEqual({ level, gained: needed - 1, needed });
      }
    },
  );

  it('the levels of a curve count progress from 0 XP below the first level', () => {
    expect(progress('amari', 0)).toEqual({ level: 0, gained: 0, needed: 35 });
    expect(progress('amari', 34)).toEqual({ level: 0, gained: 34, needed: 35 });
    expect(progress('lurkr', 99)).toEqual({ level: 0, gained: 99, needed: 100 });
  });

  it('the levels of a curve follow the numbers of the other bots', () => {
    const first = (name: (typeof CURVE_NAMES)[number]) => [1, 2, 3, 4, 10].map((level) => xpForLevel(name, level));
    expect(first('standard')).toEqual([100, 255, 475, 770, 4675]);
    expect(first('amari')).toEqual([35, 55, 115, 215, 1655]);
    expect(first('lurkr')).toEqual([100, 150, 300, 550, 4150]);
    expect(first('polaris')).toEqual([200, 400, 800, 1300, 7000]);
    expect(first('arcane')).toEqual([75, 250, 525, 900, 5250]);
  });

  it('the levels of a curve end at its highest level', () => {
    const curve = custom('0,0,50,0,1,1,3') as Curve;
    expect([149, 150, 151, 200, MAX_XP].map((xp) => levelForXp(curve, xp))).toEqual([2, 3, 3, 3, 3]);
    expect(progress(curve, 149)).toEqual({ level: 2, gained: 49, needed: 50 });
    expect(progress(curve, 200)).toEqual({ level: 3, gained: 50, needed: 0 });
  });

  // Here doubles cannot hold the products, or the first estimate of a level is one too low or too high.
  it.each([
    ['0,4,930547,-930551,1,100', 47336957],
    ['0,5,938290,-938295,1,5', 42349647],
    ['0,10,446153,-446163,1,1', 29989697],
    ['0,1,615752,-615753,1,1', 94598889],
    ['0,0,723,215,6,1', 74748541532532],
    ['0,38,731,28,7,3', 40733523],
    ['0,0,1047,635,7,1', 60220052320853],
    ['1,88,406,76,1,3', 208032],
    ['2,1,242,44,6,1', 300079],
  ])('the levels of %s are exact close to 2^53 XP', (numbers, level) => {
    const curve = custom(numbers) as Curve;
    const threshold = xpForLevel(curve, level);
    expect(BigInt(threshold)).toBe(exactXpToReach(curve, BigInt(level)));
    expect([threshold - 1, threshold].map((xp) => levelForXp(curve, xp))).toEqual([level - 1, level]);
  });
});
