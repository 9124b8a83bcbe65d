import type { Request } from 'express';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Identity } from '../../../../src/access/authenticator.ts';
import { type Operation, Operations } from '../../../../src/http/api/operations.ts';
import type { LeaderboardReader } from '../../../../src/leaderboard/reader.ts';

const reader = { page: vi.fn(), member: vi.fn(), stats: vi.fn() };
let operations: Operations;
let served: Record<string, Operation>;
beforeEach(() => {
  operations = new Operations(reader as unknown as LeaderboardReader);
  served = operations.all;
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
    want?.read('7');
    expect(reader.page.mock.calls).toEqual([['g', 3, 5, '7']]);
    expect(want?.render({ data: [], total: 0, page: 3 } as never)?.body).toBe('{"data":[],"total":0,"page":3}');
    expect(ask(LEADERBOARD, { guild_id: 'g' })?.key).toBe('g page 1 10');
  });

  it('is a member, or nothing where there is none', () => {
    const want = ask(MEMBER, { guild_id: 'g', user_id: 'u' });
    expect(want?.key).toBe('g member u');
    want?.read('7');
    expect(reader.member.mock.calls).toEqual([['g', 'u', '7']]);
    expect(want?.render({ rank: 1 } as never)?.body).toBe('{"rank":1}');
    expect(want?.render(null as never)).toBeNull();
  });

  it('is the statistics', () => {
    const want = ask(STATS, { guild_id: 'g' });
    expect(want?.key).toBe('g stats');
    want?.read('7');
    expect(reader.stats.mock.calls).toEqual([['g', '7']]);
    const stats = { total_members: 1, total_xp: 2n ** 60n, average_level: 2, xp_curve: 'arcane', xp_multiplier: 1 };
    expect(want?.render(stats as never)?.body).toBe(
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
});

describe('an address', () => {
  const recall = (url: string) => operations.recall(url);

  it('is remembered with its path and what it asks', () => {
    const url = `${STATS}?guild_id=g`;
    expect(recall(url)).toBeUndefined();
    const want = ask(STATS, { guild_id: 'g' });
    expect(recall(url)?.path).toBe(STATS);
    expect(recall(url)).toBe(want);
  });

  it('is of its own guild alone', () => {
    ask(STATS, { guild_id: 'g' });
    const again = recall(`${STATS}?guild_id=g`);
    expect(() => again?.by(of('h'))).toThrow(expect.objectContaining({ code: 'wrong_guild' }));
  });

  it('is not remembered when another guild asked, or when it is refused', () => {
    expect(() => ask(STATS, { guild_id: 'g' }, {}, of('h'))).toThrow();
    expect(() => ask(LEADERBOARD, { guild_id: 'g' }, { limit: '0' })).toThrow();
    expect(recall(`${STATS}?guild_id=g`)).toBeUndefined();
    expect(recall(`${LEADERBOARD}?guild_id=g&limit=0`)).toBeUndefined();
  });

  it('is remembered up to 200 characters', () => {
    const padded = (length: number) => {
      const url = `/x?${'y'.repeat(length - 3)}`;
      served[STATS]?.({ url, params: { guild_id: 'g' }, query: {} } as never, of('g'));
      return recall(url) !== undefined;
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

describe('an address that nobody asked for before', () => {
  const G = '123456789012345678';
  const known = (url: string) => operations.recall(`/api/v1/servers/${G}${url}`);
  const keyOf = (url: string) => known(url)?.by(of(G)).key;

  it('is understood without Express in its plain form', () => {
    expect(known('/stats')?.path).toBe(STATS);
    expect(keyOf('/stats')).toBe(`${G} stats`);
    expect(keyOf('/stats?x=1')).toBe(`${G} stats`);
    expect(keyOf('/members/234567890123456789')).toBe(`${G} member 234567890123456789`);
    expect(keyOf('/leaderboard')).toBe(`${G} page 1 10`);
    expect(keyOf('/leaderboard?')).toBe(`${G} page 1 10`);
    expect(keyOf('/leaderboard?page=3')).toBe(`${G} page 3 10`);
    expect(keyOf('/leaderboard?limit=5&page=3&x')).toBe(`${G} page 3 5`);
  });

  it('serves its own guild alone, and is remembered for it', () => {
    const url = `/api/v1/servers/${G}/stats`;
    const want = (identity: Identity) => operations.want(url, operations.recall(url) as never, identity);
    expect(() => want(of('h'))).toThrow(expect.objectContaining({ code: 'wrong_guild' }));
    expect(known('/stats')).not.toBe(known('/stats'));
    const wanted = want(of(G));
    expect(known('/stats')).toBe(wanted);
    expect(want(of(G))).toBe(wanted);
  });

  it.each([
    ...['/leaderboard?page=0', '/leaderboard?limit=101', '/leaderboard?page=1&page=2', '/leaderboard?page=x'],
    ...['/leaderboard?page=%31', '/leaderboard?page=+1', '/leaderboard/', '/leaderboard#x', '/Stats', '/stats/x'],
    ...['/members/abc', '/members/', '/members/%3123', '', '/'],
  ])('is left to Express when it is anything else: %s', (url) => {
    expect(known(url)).toBeUndefined();
  });

  it('is left to Express when it is longer or shorter than an id can be', () => {
    expect(operations.recall(`/api/v1/servers/${'1'.repeat(80)}/stats`)).toBeUndefined();
    expect(operations.recall(`/x/api/v1/servers/${G}/stats`)).toBeUndefined();
    expect(operations.recall(`/servers/${G}/stats`)).toBeUndefined();
  });
});
