import { describe, expect, it } from 'vitest';
import { type LoadedGuild, mixOf, requestBytes, SHARES, userIdOf } from '../../../scripts/bench/requests.ts';

const guilds: LoadedGuild[] = [
  { id: 'large', key: 'key-large', members: 1234 },
  { id: 'small', key: 'key-small', members: 7 },
];
const mix = mixOf(guilds, 20_000, 1);

describe('mixOf', () => {
  it('requests each kind as often as its share', () => {
    for (const [kind, share] of SHARES) {
      expect(mix.filter((request) => request.kind === kind).length / mix.length).toBeCloseTo(share, 2);
    }
  });

  it('is the same list for the same seed', () => {
    expect(mixOf(guilds, 50, 1)).toEqual(mix.slice(0, 50));
  });

  it('requests deep pages from the second to the last', () => {
    const pages = mix
      .filter(({ kind, guild }) => kind === 'deep page' && guild.id === 'large')
      .map(({ path }) => Number(/page=(\d+)/.exec(path)?.[1]));
    expect(Math.min(...pages)).toBe(2);
    expect(Math.max(...pages)).toBe(124);
  });

  it('requests members that the guild has', () => {
    const members = mix
      .filter(({ kind, guild }) => kind === 'member' && guild.id === 'small')
      .map(({ path }) => /members\/(\d+)$/.exec(path)?.[1]);
    expect(new Set(members)).toEqual(new Set(Array.from({ length: 7 }, (_, index) => userIdOf(index))));
  });

  it('requests the first guild more often than the second', () => {
    const visits = mix.filter(({ guild }) => guild.id === 'large').length;
    expect(visits / mix.length).toBeCloseTo(2 / 3, 1);
  });
});

describe('requestBytes', () => {
  it("is one complete request with the guild's key", () => {
    const [guild] = guilds as [LoadedGuild];
    expect(requestBytes({ path: '/x', guild }).toString()).toBe(
      'GET /x HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\nx-api-key: key-large\r\n\r\n',
    );
  });
});
