import { describe, expect, it } from 'vitest';
import { generateMembers } from '../../../src/imports/generate.ts';

describe('generated members', () => {
  const members = [...generateMembers(20_000, '1')];

  it('generated members depend on the seed alone, and a longer list begins with the shorter one', () => {
    expect([...generateMembers(20_000, '1')]).toEqual(members);
    expect([...generateMembers(100, '1')]).toEqual(members.slice(0, 100));
    expect([...generateMembers(100, '2')]).not.toEqual(members.slice(0, 100));
    // A fixed value, so that the test fails when another version or machine generates other members.
    expect(members[0]).toEqual(FIRST_MEMBER);
  });

  it('generated members have distinct ids of 17 to 19 digits', () => {
    expect(new Set(members.map(({ userId }) => userId)).size).toBe(members.length);
    expect(new Set(members.map(({ userId }) => userId.length))).toEqual(new Set([17, 18, 19]));
    expect(members.every(({ userId }) => /^[1-9]\d+$/.test(userId))).toBe(true);
  });

  it('the XP of generated members is skewed, with ties and with members without XP', () => {
    const sorted = members.map(({ xp }) => xp).sort((a, b) => b - a);
    const sum = (from: number, to: number) => sorted.slice(from, to).reduce((total, xp) => total + xp, 0);
    expect(sum(0, 200)).toBeGreaterThan(sum(10_000, 20_000) * 5);
    expect(new Set(sorted).size).toBeLessThan(members.length / 4);
    expect(sorted.filter((xp) => xp === 0).length).toBeGreaterThan(200);
  });
});

const FIRST_MEMBER = {
  userId: '40000000009874568',
  username: 'brisk_kraken80',
  xp: 92,
  dailyStreak: 0,
  lastDailyClaim: null,
};
