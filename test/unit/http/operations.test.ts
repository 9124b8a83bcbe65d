import type { Request } from 'express';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Identity } from '../../../src/access/authenticator.ts';
import { operations } from '../../../src/http/operations.ts';
import type { LeaderboardReader } from '../../../src/leaderboard/reader.ts';

const reader = { page: vi.fn(), member: vi.fn(), stats: vi.fn() };
let served: ReturnType<typeof operations>;
beforeEach(() => {
  served = operations(reader as unknown as LeaderboardReader);
  for (const read of Object.values(reader)) read.mockReset();
});

const of = (guildId: string): Identity => ({ guildId, plan: 'free', keyId: 'k', origins: [] });

function ask(path: string, params: Record<string, string>, query: Record<string, string> = {}, identity = of('g')) {
  const url = `${path}?${new URLSearchParams({ ...params, ...query })}`;
  return served[path]?.({ url, params, query } as unknown as Request, identity);
}

const LEADERBOARD = '/servers/:guild_id/leaderboard';
const MEMBER = '/servers/:guild_id/members/:user_id';
const STATS = '/servers/:guild_id/stats';

it('are the three of the contract', () => {
  expect(Object.keys(served)).toEqual([LEADERBOARD, MEMBER, STATS]);
});

describe('what they want', () => {
  it('is a page, named by guild, page and limit', () => {
    const want = ask(LEADERBOARD, { guild_id: 'g' }, { limit: '5', page: '3' });
    expect(want?.key).toBe('g page 3 5');
    want?.source.read();
    expect(reader.page.mock.calls).toEqual([['g', 3, 5]]);
    expect(want?.source.render({ data: [], total: 0, page: 3 } as never)?.body).toBe('{"data":[],"total":0,"page":3}');
    expect(ask(LEADERBOARD, { guild_id: 'g' })?.key).toBe('g page 1 10');
  });

  it('is a member, or nothing where there is none', () => {
    const want = ask(MEMBER, { guild_id: 'g', user_id: 'u' });
    expect(want?.key).toBe('g member u');
    want?.source.read();
    expect(reader.member.mock.calls).toEqual([['g', 'u']]);
    expect(want?.source.render({ rank: 1 } as never)?.body).toBe('{"rank":1}');
    expect(want?.source.render(null as never)).toBeNull();
  });

  it('is the statistics', () => {
    const want = ask(STATS, { guild_id: 'g' });
    expect(want?.key).toBe('g stats');
    want?.source.read();
    expect(reader.stats.mock.calls).toEqual([['g']]);
    const stats = { total_members: 1, total_xp: 2n ** 60n, average_level: 2, xp_curve: 'arcane', xp_multiplier: 1 };
    expect(want?.source.render(stats as never)?.body).toBe(
      '{"total_members":1,"total_xp":1152921504606846976,"average_level":2,"xp_curve":"arcane","xp_multiplier":1}',
    );
  });
});

describe('whom they serve', () => {
  it('is the guild of the key alone, whatever else is wrong with the request', () => {
    for (const query of [{}, { limit: '0' }]) {
      expect(() => ask(LEADERBOARD, { guild_id: 'h' }, query as Record<string, string>)).toThrow(
        expect.objectContaining({ code: 'wrong_guild', detail: 'This API key belongs to another server.' }),
      );
    }
  });

  it('is nobody who names no guild at all', () => {
    expect(() => ask(STATS, { guild_id: 'a b' })).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        extra: { errors: [expect.objectContaining({ parameter: 'guild_id' })] },
      }),
    );
  });

  it('is not another guild either once an address is remembered', () => {
    ask(STATS, { guild_id: 'g' });
    expect(() => ask(STATS, { guild_id: 'g' }, {}, of('h'))).toThrow(expect.objectContaining({ code: 'wrong_guild' }));
  });
});

describe('an address', () => {
  it('is worked out once and remembered', () => {
    expect(ask(STATS, { guild_id: 'g' })).toBe(ask(STATS, { guild_id: 'g' }));
  });

  it('is remembered up to 200 characters', () => {
    const padded = (length: number) => {
      const url = `/x?${'y'.repeat(length - 3)}`;
      const wants = [1, 2].map(() => served[STATS]?.({ url, params: { guild_id: 'g' }, query: {} } as never, of('g')));
      return wants[0] === wants[1];
    };
    expect(padded(200)).toBe(true);
    expect(padded(201)).toBe(false);
  });

  it('that is wrong is refused every time', () => {
    for (let i = 0; i < 2; i++) {
      expect(() => ask(LEADERBOARD, { guild_id: 'g' }, { limit: '0' })).toThrow(
        expect.objectContaining({ code: 'invalid_request' }),
      );
    }
  });
});
