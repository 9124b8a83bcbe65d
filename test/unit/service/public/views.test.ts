import { describe, expect, it } from 'vitest';
import { type Curve, MAX_XP, parseCurve, xpForLevel } from '../../../../src/core/ranking/curves.ts';
import type { LeaderboardEntry } from '../../../../src/core/ranking/model.ts';
import { pageWordsOf } from '../../../../src/service/public/page-words.ts';
import { type RowSettings, rowOf, wayOf } from '../../../../src/service/public/views.ts';
import type { Language } from '../../../../src/widget/translation.ts';

const curveOf = (text: string) => parseCurve(text) as Curve;
/** Level n begins at 100 n XP. */
const even = curveOf('custom=0,0,100,0,1,1');
const words = pageWordsOf('en');
const entry = (change: Partial<LeaderboardEntry> = {}): LeaderboardEntry => ({
  ...{ rank: 7, user_id: 'ann', username: 'Ann', level: 4, xp: 433 },
  ...change,
});

describe('the way to the next level', () => {
  const settings = { curve: even, board: undefined, words };
  const way = (change: Partial<LeaderboardEntry>, more: Partial<typeof settings> = {}) =>
    wayOf({ ...settings, ...more }, entry(change));

  it('the way to the next level is the part of the level that a member has, and the XP that are left', () => {
    expect(way({})).toEqual({ percent: 33, text: '67 XP to level 5' });
    expect(way({ xp: 400 })).toEqual({ percent: 0, text: '100 XP to level 5' });
    expect(way({ level: 0, xp: 99 })).toEqual({ percent: 99, text: '1 XP to level 1' });
  });

  it('the way to the next level is rounded down to a tenth of a percent, so that no bar is full before the level', () => {
    const curve = curveOf('custom=0,0,10000,0,1,1');
    expect(way({ level: 1, xp: 19_999 }, { curve })).toEqual({ percent: 99.9, text: '1 XP to level 2' });
    expect(way({ level: 1, xp: 11_234 }, { curve })?.percent).toBe(12.3);
  });

  it('a board shows no way to the next level, because its XP are not those of the level', () => {
    expect(wayOf({ ...settings, board: 'week' }, entry())).toBeUndefined();
  });

  it('an explicit level above or below that of the curve has no way to the next level', () => {
    for (const level of [0, 3, 5]) expect(way({ level })).toBeUndefined();
  });

  it('the last level of a curve has no way to a next level', () => {
    const curve = curveOf('custom=0,0,100,0,1,1,4');
    expect(way({ level: 3, xp: 399 }, { curve })).toEqual({ percent: 99, text: '1 XP to level 4' });
    for (const xp of [400, 433, 1000]) expect(way({ xp }, { curve })).toBeUndefined();
  });

  it('a level has no way to a next level that needs more XP than a member can have', () => {
    // A divisor of the most XP, so that one of its levels begins there.
    const step = 69_431;
    const curve = curveOf(`custom=0,0,${step},0,1,1`);
    const last = MAX_XP / step;
    expect(xpForLevel(curve, last)).toBe(MAX_XP);
    expect(way({ level: last - 1, xp: MAX_XP - 1 }, { curve })).toMatchObject({ percent: 99.9 });
    expect(way({ level: last, xp: MAX_XP }, { curve })).toBeUndefined();
  });
});

describe('a row', () => {
  const settings: RowSettings = { words, curve: even, board: undefined, href: (id) => `m/${id}` };
  const row = (change: Partial<LeaderboardEntry> = {}, more: Partial<RowSettings> = {}) =>
    rowOf(entry(change), { ...settings, ...more });

  it('a row has the texts and numbers of a member', () => {
    expect(row({ rank: 1234, level: 1000, xp: 100_033 })).toMatchObject({
      ...{ rank: '1,234', rankText: 'Rank 1,234', name: 'Ann', initial: 'A', href: 'm/ann' },
      ...{ level: 'Level 1,000', levelShort: 'Lv 1,000', xp: '100,033' },
      way: { percent: 33, text: '67 XP to level 1,001' },
    });
    expect(row({}, { words: pageWordsOf('ja') })).toMatchObject({ rankText: '7位', level: 'レベル4' });
  });

  it('a row has a place on the podium for the ranks 1 to 3, where there is a podium', () => {
    const places = (hasPodium?: boolean) =>
      [1, 2, 3, 4].map((rank) => row({ rank }, hasPodium === undefined ? {} : { hasPodium }).place);
    expect(places(true)).toEqual([1, 2, 3, undefined]);
    for (const none of [false, undefined]) expect(places(none)).toEqual(Array(4).fill(undefined));
  });

  it('a row has one of the 24 colours of avatars, always the same for a member', () => {
    const hues = Array.from({ length: 500 }, (_, at) => row({ user_id: `member${at}` }).hue);
    expect([...new Set(hues)].sort((a, b) => a - b)).toEqual(Array.from({ length: 24 }, (_, at) => at));
    expect(row({ username: 'Anna', rank: 1, xp: 5 }).hue).toBe(row().hue);
  });

  it('a row has a short number of XP for a phone from a million on, which can break before its unit', () => {
    const short = (xp: number, lang: Language = 'en') => row({ xp }, { words: pageWordsOf(lang) }).xpShort;
    expect([short(999_999), short(1_000_000), short(1_540_000)]).toEqual([undefined, '1M', '1.5M']);
    expect(short(1_540_000, 'de')).toBe('1,5 Mio.');
  });

  it('a row shows all figures of the XP up to a billion, and few figures from there on', () => {
    expect(row({ xp: 999_999_999 }).xp).toBe('999,999,999');
    expect(row({ xp: 1e9 }).xp).toBe('1B');
    expect(row({ xp: MAX_XP }).xp).toBe('9007.2T');
  });

  it('the row of the member who is asked for is marked, and no other row', () => {
    expect([row({}, { marked: 'ann' }), row({}, { marked: 'bob' }), row()].map(({ isMarked }) => isMarked)).toEqual([
      true,
      false,
      false,
    ]);
  });
});
