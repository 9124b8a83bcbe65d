import { isDeepStrictEqual } from 'node:util';
import type { Redis } from 'ioredis';
import { Cluster } from 'ioredis';
import { expect } from 'vitest';
import type { Core } from '../../src/core/core.ts';
import type { RedisClient } from '../../src/core/store/client.ts';
import { allBoardKeys } from '../../src/core/store/redis-keys.ts';
import { createWriter } from '../../src/kit/writer.ts';
import { endBoards } from './boards.ts';

const SLICE = 500;
/** Two readings of the end of one key differ by less, also when a busy machine holds up a process between a reply and its clock. */
const CLOCK_MS = 15_000;

/** Returns the avatar of a third of the members. */
const avatarOf = (i: number) => (i % 3 === 0 ? { avatar: i.toString(16).padStart(32, '0') } : {});

/** Fills a guild, g unless given, with all that a guild can have. u0 has all the XP that a member can have. */
export async function fillGuild({ client, guildConfig, apiKeys }: Core, members: number, guild = 'g'): Promise<void> {
  const writer = createWriter(client);
  const boards = { boards: ['week', 'month'], timeZone: 'Europe/Berlin' } as const;
  await guildConfig.update(guild, { plan: 'pro', xpCurve: 'custom=0,0,50,0,1,1', xpMultiplier: 1.5, ...boards });
  for (let first = 0; first < members; first += SLICE) {
    await writer.recordMany(
      guild,
      Array.from({ length: Math.min(SLICE, members - first) }, (_, i) => ({
        userId: `u${first + i}`,
        set: first === 0 && i === 0 ? Number.MAX_SAFE_INTEGER : (first + i) * 7,
        username: `Näme \n"${i}" 👩‍👩‍👧`,
        level: i % 5 === 0 ? i : null,
        dailyStreak: i % 9,
        ...avatarOf(i),
      })),
    );
  }
  const gain = () =>
    writer.recordMany(
      guild,
      [1, 2, 3, 4].map((n) => ({ userId: `u${n}`, add: n })),
    );
  await gain();
  await endBoards(client, guild);
  await gain();
  await writer.hide(guild, ['u3', 'u4', 'u5'], { reason: 'left' });
  await writer.hide(guild, ['u3', 'u4']);
  await writer.unhide(guild, ['u3'], { reason: 'left' });
  await writer.claimDaily(guild, { userId: 'u6', reward: 5 });
  await writer.award(guild, { userId: 'u7', amount: 5, cooldownMs: 3_600_000 });
  await writer.describeGuild(guild, { name: 'Qüiet \n', roles: [{ id: '1', name: 'Ü', color: 5, position: 1 }] });
  // What a bot in another language can have stored: bytes that are no UTF-8.
  await client.hset(`gr:{${guild}}:members`, 'u8', Buffer.from([...Buffer.from('- 3 - '), 0xff, 0x00, 0x80]));
  await apiKeys.create(guild, 'site', 90 * 86_400_000, ['https://a.example'], 500);
  await client.set(`gr:quota:{${guild}}`, '7', 'EX', 3000);
  await client.hset(`gr:{${guild}}:keys:used`, 'k1', '1795000000');
  await client.hset(`gr:{${guild}}:usage`, '498600:k1', '12', 'from', '498500');
}

/**
 * Returns all that is stored of guild g but its revision.
 * @param describe returns what to keep of a profile.
 */
export async function guildContent(
  client: RedisClient,
  counters: Core['counters'],
  describe: (profile: Buffer | null) => unknown = (profile) => profile,
) {
  const userIds = [
    ...(await client.zrange('gr:{g}:xp', 0, -1)),
    ...(await client.zrange('gr:{g}:hidden', 0, -1)),
  ].sort();
  const { rev: _, ...stats } = await client.hgetall('gr:{g}:stats');
  const keys = await client.hgetall('gr:{g}:keys');
  const stored = await allKeys(client);
  const endOf = async (key: string): Promise<number> => {
    const ms = await client.pttl(key);
    return ms > 0 ? Date.now() + ms : 0;
  };
  const profiles: unknown[] = [];
  const ends: number[] = [await endOf('gr:quota:{g}')];
  for (let first = 0; first < userIds.length; first += SLICE) {
    const slice = userIds.slice(first, first + SLICE);
    profiles.push(...(await client.hmgetBuffer('gr:{g}:members', ...slice)).map(describe));
    ends.push(...(await Promise.all(slice.map((id) => endOf(`gr:{g}:cooldown:${id}`)))));
  }
  const endsReadAt = Date.now();
  return {
    stats,
    exact: (await counters.check('g')).exact,
    xp: await client.zrange('gr:{g}:xp', 0, -1, 'WITHSCORES'),
    hidden: await client.zrange('gr:{g}:hidden', 0, -1, 'WITHSCORES'),
    reasons: await client.hgetall('gr:{g}:hidden:reasons'),
    avatars: await client.hgetall('gr:{g}:avatars'),
    about: await client.hgetall('gr:{g}:about'),
    boards: await Promise.all(
      allBoardKeys('gr:{g}:xp').map(async (key) => [key, await client.zrange(key, 0, -1, 'WITHSCORES')]),
    ),
    profiles,
    ends,
    endsReadAt,
    config: await client.hgetall('gr:{g}:config'),
    season: await client.hgetall('gr:{g}:season'),
    used: await client.hgetall('gr:{g}:keys:used'),
    usage: await client.hgetall('gr:{g}:usage'),
    keys,
    records: await Promise.all(Object.values(keys).map((sha) => client.hgetall(`gr:key:${sha}`))),
    quota: await client.get('gr:quota:{g}'),
    other: stored.filter((key) => !key.includes(':cooldown:')).sort(),
    profileCount: await client.hlen('gr:{g}:members'),
  };
}

export type Content = Awaited<ReturnType<typeof guildContent>>;

/**
 * Fails unless both are the same, and exact. The quota window and each cooldown end at the same time, but for the time that a reading takes.
 * @param original read after `moved`: its cooldowns can have ended since.
 */
export function expectSameGuild(moved: Content, original: Content): void {
  expect(moved.exact).toBe(true);
  // By name, because a difference of a million members cannot be shown.
  const parts = Object.keys(original).filter((part) => !part.startsWith('ends')) as (keyof Content)[];
  expect(parts.filter((part) => !isDeepStrictEqual(moved[part], original[part]))).toEqual([]);
  expect(moved.ends).toHaveLength(original.ends.length);
  const isSame = (end: number, movedEnd: number) =>
    Math.abs(end - movedEnd) <= CLOCK_MS || (end === 0 && movedEnd <= original.endsReadAt);
  expect(original.ends.filter((end, i) => !isSame(end, moved.ends[i] ?? 0))).toEqual([]);
}

async function allKeys(client: RedisClient): Promise<string[]> {
  const nodes: Redis[] = client instanceof Cluster ? client.nodes('master') : [client];
  return (await Promise.all(nodes.map((node) => node.keys('gr:{g}*')))).flat();
}

/**
 * Starts a bot that does all that a bot can do to the members of guild g.
 * @returns a function that ends it, after at least so many writes, with their number.
 */
export function startRandomBot(client: RedisClient, members: number): (minimum?: number) => Promise<number> {
  const writer = createWriter(client);
  // Not u0: more XP for it is refused.
  const anyone = () => `u${1 + Math.floor(Math.random() * (members + 50))}`;
  const calls = [
    () => writer.award('g', { userId: anyone(), amount: 15, cooldownMs: 600_000, avatar: '0'.repeat(32) }),
    () => writer.record('g', { userId: anyone(), add: 5 }),
    () => writer.setProfiles('g', [{ userId: anyone(), username: String(Math.random()), level: null, avatar: null }]),
    () => writer.claimDaily('g', { userId: anyone(), reward: 9 }),
    () => writer.hide('g', [anyone()]),
    () => writer.hide('g', [anyone(), `u${3 + Math.floor(Math.random() * 3)}`], { reason: 'self' }),
    () => writer.unhide('g', [anyone()]),
    () => writer.remove('g', [anyone()]),
    () => endBoards(client, 'g'),
  ];
  let last = Number.POSITIVE_INFINITY;
  let writes = 0;
  const work = (async () => {
    while (writes < last) {
      await (calls[writes++ % calls.length] as () => Promise<unknown>)();
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    return writes;
  })();
  return (minimum = 0) => {
    last = minimum;
    return work;
  };
}
