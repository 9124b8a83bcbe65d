import { describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../../../src/core/errors.ts';
import { CommandBatcher } from '../../../../src/core/reads/command-batcher.ts';
import { curveOf, MemberCommand, PageCommand, StatsCommand } from '../../../../src/core/reads/read-commands.ts';
import { RedisKeys } from '../../../../src/core/store/redis-keys.ts';
import type { Scripts } from '../../../../src/core/store/scripts.ts';

const MAX = 9007199254740991;

/** Reads on a Redis that replies to each command with these values, or with this text. */
function readerOf(...reply: unknown[]) {
  const sent: string[] = [];
  const run = async (_name: string, _keys: string[], commands: string) => {
    sent.push(commands);
    return [reply.length === 1 ? reply[0] : reply];
  };
  const commands = new CommandBatcher({ run } as unknown as Scripts, new RedisKeys('gr'));
  const reader = {
    page: (page: number, limit: number) => commands.read(new PageCommand('g', page, limit)),
    member: () => commands.read(new MemberCommand('g', 'a')),
    stats: () => commands.read(new StatsCommand('g')),
  };
  return { reader, commands, sent };
}

describe('a page', () => {
  it('a page asks for its ranks and decodes its rows', async () => {
    const { reader, sent } = readerOf('7', 9, 'lurkr', ['a', '255', 'b', '150'], ['3 0 - Ann', null]);
    expect(await reader.page(3, 2)).toEqual({
      revision: '7',
      period: null,
      value: {
        data: [
          { rank: 5, user_id: 'a', username: 'Ann', level: 3, xp: 255 },
          { rank: 6, user_id: 'b', username: 'b', level: 2, xp: 150 },
        ],
        total: 9,
        page: 3,
      },
    });
    expect(sent).toEqual(['page 4 5 \n']);
    expect(new PageCommand('g', 3, 2)).toMatchObject({ guildId: 'g', weight: 2 });
  });

  it('a page of a board has the time that the board counts, the XP of the board, and the level of all XP', async () => {
    const { reader } = readerOf('7', 1, 'lurkr', ['a', '5'], [null], ['255'], ['1767571200', '1768176000']);
    expect(await reader.page(1, 1)).toMatchObject({
      value: { data: [{ rank: 1, user_id: 'a', level: 2, xp: 5 }] },
      period: { from: '2026-01-05T00:00:00.000Z', to: '2026-01-12T00:00:00.000Z' },
    });
  });

  it.each([[[]], [['1767571200']]])('a page with the times %j has no period', async (times) => {
    const { reader } = readerOf('7', 1, 'lurkr', ['a', '5'], [null], ['255'], times);
    expect(await reader.page(1, 1)).toHaveProperty('period', null);
  });

  it('a page never asks for a rank that Number writes with an exponent', async () => {
    const { reader, sent } = readerOf('', 0, '', [], []);
    await reader.page(MAX, 100);
    expect(sent[0]).toMatch(/^page \d{16} \d{16} \n$/);
  });

  it.each([
    ['', 0],
    ['-5', 0],
    ['0', 0],
    ['12.7', 12],
    ['1e300', MAX],
    ['nan', 0],
    ['inf', MAX],
    ['-inf', 0],
  ])('a page shows a score of "%s" as %d XP', async (score, xp) => {
    const { reader } = readerOf('', 1, '', ['a', score], [null]);
    expect((await reader.page(1, 10)).value.data[0]?.xp).toBe(xp);
  });

  it.each([
    ['40', 40],
    ['0', 0],
    ['99999999999999999999', MAX],
    ['x4', 2],
    ['4x', 2],
    ['-4', 2],
    ['', 2],
  ])('a page takes a stored level of "%s" for %d at 255 XP', async (stored, level) => {
    const { reader } = readerOf('', 1, '', ['a', '255'], [`${stored} 0 - Ann`]);
    expect((await reader.page(1, 10)).value.data[0]).toMatchObject({ level, username: 'Ann' });
  });

  it.each([
    ['- 0 - Quiet Raven', 'Quiet Raven'],
    ['- 0 -  two  words ', ' two  words '],
    ['- 0 - 12 3 - 7', '12 3 - 7'],
    ['- 0 - a\nb\\n', 'a\nb\\n'],
    ['- 0 - - 0 -', '- 0 -'],
    ['- many yesterday Ann', 'Ann'],
    ['- 0 -', 'a'],
    ['- 0 - ', 'a'],
    ['', 'a'],
    ['Ann', 'a'],
    ['Ann Lee', 'a'],
    ['Ann Lee of Berlin', 'a'],
    ['  ', 'a'],
    ['   ', 'a'],
  ])('a page shows the name in the profile %j as %j', async (profile, username) => {
    const { reader } = readerOf('', 1, '', ['a', '255'], [profile]);
    expect((await reader.page(1, 10)).value.data[0]).toMatchObject({ level: 2, username });
  });
});

describe("a guild's own curve", () => {
  it("a guild's own curve gives the levels of a page and of a member", async () => {
    const page = readerOf('', 1, 'custom=0,0,50,0,1,1', ['a', '149'], [null]);
    expect((await page.reader.page(1, 10)).value.data[0]?.level).toBe(2);
    const member = readerOf('7', 0, '150', 'custom=0,0,50,0,1,1', '');
    expect((await member.reader.member()).value?.level).toBe(3);
  });

  it("a guild's own curve with unfit coefficients fails the read, because another curve would show wrong levels", () => {
    const read = () => curveOf('custom=0,0,0,0,1,1');
    expect(read).toThrow(StoreUnavailableError);
    expect(read).toThrow('the guild has the curve custom=0,0,0,0,1,1, with unfit coefficients: set a known curve');
  });
});

describe('a member', () => {
  it('a member is asked for by one command and decoded', async () => {
    const { reader, sent } = readerOf('7', 0, '255', 'lurkr', `- 12 ${Date.UTC(2026, 0, 15, 8)}+120 Ann`);
    expect(await reader.member()).toEqual({
      revision: '7',
      value: {
        user_id: 'a',
        username: 'Ann',
        level: 2,
        xp: 255,
        rank: 1,
        daily_streak: 12,
        last_daily_claim: '2026-01-15T08:00:00.000Z',
      },
    });
    expect(sent).toEqual(['member a \n']);
  });

  it('a member without a profile shows its user id, 0 and null', async () => {
    const { reader } = readerOf('7', 3, '0', '', '');
    expect((await reader.member()).value).toMatchObject({
      username: 'a',
      level: 0,
      daily_streak: 0,
      last_daily_claim: null,
    });
  });

  it.each([
    ['0', '1970-01-01T00:00:00.000Z'],
    ['-62135596800000', '0001-01-01T00:00:00.000Z'],
    ['1768464000000-300', '2026-01-15T08:00:00.000Z'],
    ['1768464000000+', '2026-01-15T08:00:00.000Z'],
    ['8640000000000001', null],
    ['1768464000000x', null],
    ['1.5', null],
    ['-', null],
    ['yesterday', null],
  ])('a member shows the last claim "%s" as %s', async (claim, time) => {
    const { reader } = readerOf('7', 3, '0', '', `9 0 ${claim} Ann`);
    expect((await reader.member()).value).toMatchObject({ level: 9, last_daily_claim: time, username: 'Ann' });
  });

  it.each([
    ['12', 12],
    ['2.7', 2],
    ['-3', 0],
    ['many', 0],
    ['-', 0],
  ])('a member shows the streak "%s" as %d', async (streak, days) => {
    const { reader } = readerOf('7', 3, '0', '', `9 ${streak} - Ann`);
    expect((await reader.member()).value).toMatchObject({ level: 9, daily_streak: days, username: 'Ann' });
  });

  it('a user who is not ranked is null, with the revision', async () => {
    const { reader } = readerOf('7', -1);
    expect(await reader.member()).toEqual({ revision: '7', value: null });
  });
});

describe('statistics', () => {
  const stats = async (...reply: string[]) => {
    const { reader, sent } = readerOf(...reply);
    const { value } = await reader.stats();
    expect(sent).toEqual(['stats \n']);
    return value;
  };

  it.each([
    ['5', '2', 3],
    ['4', '3', 1],
    ['9223372036854775807', '1024', 9007199254740992],
    ['-4', '3', 0],
    ['many', '3', 0],
    ['x9223372036854775807', '3', 0],
    ['9223372036854775807x', '3', 0],
  ])('statistics round the mean of the sum of levels %s over %s members to %s', async (levelSum, members, mean) => {
    expect((await stats('7', members, '1', levelSum, '', '')).average_level).toBe(mean);
  });

  it('statistics decode the counters, the total to its last digit, and round the average', async () => {
    expect(await stats('7', '2', '18014398509481985', '5', 'arcane', '1.5')).toEqual({
      total_members: 2,
      total_xp: 18014398509481985n,
      average_level: 3,
      xp_curve: 'arcane',
      xp_multiplier: 1.5,
    });
  });

  it('statistics take a counter that is missing or no number for 0', async () => {
    for (const total of ['', 'x5', '5x', '-5']) {
      expect(await stats('', '', total, '7', '', '')).toMatchObject({
        total_members: 0,
        total_xp: 0n,
        average_level: 0,
      });
    }
  });

  it.each([
    ['', 1],
    ['x', 1],
    ['-1', 1],
    ['Infinity', 1],
    ['0', 0],
    ['0.25', 0.25],
  ])('statistics take a stored multiplier of "%s" for %d', async (stored, multiplier) => {
    expect((await stats('', '', '', '', '', stored)).xp_multiplier).toBe(multiplier);
  });
});

describe('what a caller holds', () => {
  it('the cached revision is named in the command, and an empty reply says that it is still current', async () => {
    const { commands, sent } = readerOf('');
    for (const command of [new PageCommand('g', 1, 10), new MemberCommand('g', 'a'), new StatsCommand('g')]) {
      expect(await commands.read<unknown>(command, '7')).toBeUndefined();
    }
    expect(sent).toEqual(['page 0 9 7\n', 'member a 7\n', 'stats 7\n']);
  });

  it('the cached revision is the revision of the reply, to its last digit', async () => {
    const { reader } = readerOf('1768478400000001', '0', '', [], []);
    expect((await reader.page(1, 10)).revision).toBe('1768478400000001');
  });

  it.each(['0', '9007199254740991'])('the revision %s is returned as it is', async (revision) => {
    const { reader } = readerOf(revision, '0', '', [], []);
    expect((await reader.page(1, 10)).revision).toBe(revision);
  });

  it.each(['', '7.0', '7.5', ' 7', '7e2', '0x7', '9007199254740993'])(
    'the revision "%s" is returned as no revision',
    async (revision) => {
      const { reader } = readerOf(revision, '0', '', [], []);
      expect((await reader.page(1, 10)).revision).toBe('');
    },
  );

  it('a revision that is no number is returned as no revision', async () => {
    const { reader } = readerOf('7 x', '0', '', [], []);
    expect((await reader.page(1, 10)).revision).toBe('');
    const none = readerOf('x7', '-1');
    expect((await none.reader.member()).revision).toBe('');
    const some = readerOf('7x', '0', '1', '', '');
    expect((await some.reader.member()).revision).toBe('');
    expect((await readerOf('-7', '', '', '', '', '').reader.stats()).revision).toBe('');
  });
});
