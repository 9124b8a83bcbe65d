import { describe, expect, it } from 'vitest';
import { RecordRefusedError } from '../../../src/errors.ts';
import { CURVE_TABLE } from '../../../src/leaderboard/curves.ts';
import {
  LeaderboardWriter,
  type ProfileChange,
  REPLACE_START,
  type XpRecord,
} from '../../../src/leaderboard/writer.ts';
import { RedisKeys } from '../../../src/redis/redis-keys.ts';
import { scripted } from '../../support/scripted.ts';

const GUILD = ['gr:{g}:xp', 'gr:{g}:stats', 'gr:{g}:config', 'gr:{g}:member:', CURVE_TABLE];

function setup(...replies: Parameters<typeof scripted>) {
  const { scripts, sent } = scripted(...replies);
  return { writer: new LeaderboardWriter(scripts, new RedisKeys('gr')), sent };
}

describe('LeaderboardWriter', () => {
  it('sends records with the given profile fields, and decodes the reply', async () => {
    const { writer, sent } = setup(['OK', '9', 2, '9007199254740991', 4]);
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
    expect(result).toEqual({ revision: '9', created: 2, xp: 9007199254740991, level: 4 });
    const b = ['username', 'B', 'level', '4', 'daily_streak', '0', 'last_daily_claim', '2026-01-15T08:00:00.000Z'];
    const c = ['username', '', 'level', '', 'daily_streak', '', 'last_daily_claim', ''];
    const d = ['last_daily_claim', '1970-01-01T00:00:00.000Z'];
    expect(sent).toEqual([
      [
        'record',
        ...GUILD,
        ...['set', 'a', '5', 0],
        ...['add', 'b', '-3', 4, ...b],
        ...['set', 'c', '0', 4, ...c],
        ...['add', 'd', '0', 1, ...d],
      ],
    ]);
  });

  it('stages records under keys of their own, with the curve of the guild', async () => {
    const { writer, sent } = setup(['OK', '9', 1, '5', 0]);
    await writer.stage('g', [{ userId: 'a', set: 5 }]);
    const staging = ['gr:{g}:next:xp', 'gr:{g}:next:stats', 'gr:{g}:config', 'gr:{g}:next:member:', CURVE_TABLE];
    expect(sent).toEqual([['record', ...staging, 'set', 'a', '5', 0]]);
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
    expect(sent).toEqual([['remove', ...GUILD, 'a', 'b', 'c']]);
  });

  it('continues a replacement where the last step ended, and adds up the removed members', async () => {
    const { writer, sent } = setup([10, 0, 0, 0], [10, 5, 3, 1]);
    const half = await writer.replaceStep('g', REPLACE_START, 10);
    expect(half).toEqual({ moved: 10, swept: 0, removed: 0, done: false });
    expect(await writer.replaceStep('g', { ...half, removed: 4 }, 20)).toEqual({
      moved: 10,
      swept: 5,
      removed: 7,
      done: true,
    });
    const keys = [
      ...['gr:{g}:xp', 'gr:{g}:stats', 'gr:{g}:config', 'gr:{g}:next:xp'],
      ...['gr:{g}:member:', 'gr:{g}:next:member:', CURVE_TABLE],
    ];
    expect(sent).toEqual([
      ['replace', ...keys, 0, 0, 10],
      ['replace', ...keys, 10, 0, 20],
    ]);
  });

  it('reports a refused step of a replacement', async () => {
    const { writer } = setup(['REFUSED', 0, 'total']);
    await expect(writer.replaceStep('g', REPLACE_START, 10)).rejects.toMatchObject({ index: 0, reason: 'total' });
  });
});
