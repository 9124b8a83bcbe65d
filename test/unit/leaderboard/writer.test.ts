import { describe, expect, it } from 'vitest';
import { RecordRefusedError } from '../../../src/errors.ts';
import { LeaderboardWriter, type ProfileChange, type XpRecord } from '../../../src/leaderboard/writer.ts';
import { RedisKeys } from '../../../src/redis/redis-keys.ts';
import { scripted } from './scripted.ts';

const GUILD = ['gr:{g}:xp', 'gr:{g}:stats', 'gr:{g}:config', 'gr:{g}:hidden'];
const keysOf = (...userIds: string[]) => [...GUILD, ...userIds.map((userId) => `gr:{g}:member:${userId}`)];

function setup(...replies: Parameters<typeof scripted>) {
  const { scripts, sent } = scripted(...replies);
  return { writer: new LeaderboardWriter(scripts, new RedisKeys('gr')), sent };
}

describe('LeaderboardWriter', () => {
  it('sends records with the given profile fields, and decodes the reply', async () => {
    const { writer, sent } = setup([
      'OK',
      '9',
      2,
      '9007199254740991',
      4,
      '0 0 5 0 new',
      '9 1 6 1 ranked',
      '0 0 0 0 hidden',
      '3 0 9007199254740991 4 new',
    ]);
    const result = await writer.recordMany('g', [
      { userId: 'a', set: 5 },
      {
        userId: 'b',
        add: -3n,
        profile: { username: 'B', level: 4, dailyStreak: 0, lastDailyClaim: '2026-01-15T10:00:00+02:00' },
      },
      { userId: 'c', set: 0, profile: { username: null, level: null, dailyStreak: null, lastDailyClaim: null } },
      { userId: 'd', add: 0, profile: { lastDailyClaim: new Date(0) } },
    ]);
    const before = { xpBefore: 3, levelBefore: 0 };
    const ranked = { created: false, hidden: false };
    expect(result).toEqual({
      ...{ revision: '9', created: 2, xp: 9007199254740991, level: 4, ...before },
      members: [
        { userId: 'a', xpBefore: 0, levelBefore: 0, xp: 5, level: 0, created: true, hidden: false },
        { userId: 'b', xpBefore: 9, levelBefore: 1, xp: 6, level: 1, ...ranked },
        { userId: 'c', xpBefore: 0, levelBefore: 0, xp: 0, level: 0, created: false, hidden: true },
        { userId: 'd', ...before, xp: 9007199254740991, level: 4, created: true, hidden: false },
      ],
    });
    const b = ['username', 'B', 'level', '4', 'daily_streak', '0', 'last_daily_claim', '2026-01-15T08:00:00.000Z'];
    const c = ['username', '', 'level', '', 'daily_streak', '', 'last_daily_claim', ''];
    const d = ['last_daily_claim', '1970-01-01T00:00:00.000Z'];
    expect(sent).toEqual([
      [
        'record',
        keysOf('a', 'b', 'c', 'd'),
        'each',
        ...['set', 'a', '5', 0],
        ...['add', 'b', '-3', 4, ...b],
        ...['set', 'c', '0', 4, ...c],
        ...['add', 'd', '0', 1, ...d],
      ],
    ]);
  });

  it('sends which members become hidden ones', async () => {
    const { writer, sent } = setup(['OK', '9', 0, '5', 0, '0 0 5 0 hidden', '0 0 6 0 new']);
    const result = await writer.recordMany('g', [
      { userId: 'a', set: 5, hidden: true },
      { userId: 'b', set: 6, hidden: false },
    ]);
    expect(result.members.map(({ hidden }) => hidden)).toEqual([true, false]);
    expect(sent[0]?.slice(2)).toEqual(['each', 'hidden', 'a', '5', 0, 'set', 'b', '6', 0]);
  });

  it('gives a change of nothing for no records', async () => {
    const { writer } = setup(['OK', '9', 0, '0', 0]);
    const nothing = { xpBefore: 0, levelBefore: 0, xp: 0, level: 0 };
    expect(await writer.recordMany('g', [])).toEqual({ revision: '9', created: 0, ...nothing, members: [] });
  });

  it.each([1.5, Number.NaN, 2 ** 53, '5', undefined, null])('refuses %j as XP before anything is sent', async (xp) => {
    const { writer, sent } = setup();
    const records = [{ userId: 'a', set: 1 }, { userId: 'b', set: xp } as unknown as XpRecord];
    await expect(writer.recordMany('g', records)).rejects.toMatchObject({ index: 1, reason: 'xp' });
    expect(sent).toEqual([]);
  });

  it.each<[ProfileChange]>([
    [{ level: -1 }],
    [{ level: 1.5 }],
    [{ dailyStreak: -1 }],
    [{ dailyStreak: Number.NaN }],
    [{ lastDailyClaim: 'yesterday' }],
  ])('refuses the profile %j before anything is sent', async (profile) => {
    const { writer, sent } = setup();
    const refusal = writer.record('g', { userId: 'a', set: 1, profile });
    await expect(refusal).rejects.toThrow(RecordRefusedError);
    await expect(refusal).rejects.toMatchObject({ index: 0, reason: 'field' });
    expect(sent).toEqual([]);
  });

  it('reports a refusal of the script with its index', async () => {
    const { writer } = setup(['REFUSED', 3, 'range']);
    await expect(writer.record('g', { userId: 'a', add: 1 })).rejects.toMatchObject({ index: 3, reason: 'range' });
  });

  it('removes members in one command', async () => {
    const { writer, sent } = setup(2);
    expect(await writer.remove('g', ['a', 'b', 'c'])).toBe(2);
    const own = ['a', 'b', 'c'].flatMap((id) => [`gr:{g}:member:${id}`, `gr:{g}:cooldown:${id}`]);
    expect(sent).toEqual([['remove', [...GUILD, 'gr:{g}:season:xp', ...own], 'a', 'b', 'c']]);
  });
});
