import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCore } from '../../src/core/core.ts';
import { configureScript } from '../../src/core/settings/guild-config.ts';
import { BOUNDS } from '../../src/core/text-bounds.ts';
import { createReader, type GuildReader } from '../../src/kit/reader.ts';
import { createWriter } from '../../src/kit/writer.ts';
import { needs } from '../support/needs.ts';
import { realStore, type TestStore } from '../support/stores.ts';

const MEMBERS = 25;
const CALLS = 50;
const FEWEST_ROUNDS = 20;
const MOST_ROUNDS = 400;
type CallOf = (guild: string, userId: string, reader: GuildReader) => (round: number, n: number) => Promise<unknown>;
const a = (name: keyof typeof BOUNDS) => 'a'.repeat(BOUNDS[name].bytes);

describe('a guild whose texts are all as long as they can be', needs('redis-server'), () => {
  let store: TestStore;
  let client: Redis;

  beforeAll(async () => {
    store = await realStore.start();
    client = store.client as Redis;
    const core = openCore(client, 'gr');
    const fill = async (guild: string, prefix: string, username: string) => {
      for (let n = 0; n < MEMBERS; n++) {
        const userId = `${n}`.padStart(prefix.length, prefix);
        await core.writer.record(guild, { userId, set: 1000 + n, username });
      }
    };
    await fill('usual', '1'.repeat(18), 'Ann of the mountains');
    const usual = core.redisKeys.guild('usual');
    await configureScript.run(core.scripts, usual, { xp_multiplier: '1.5', boards: 'week,month' });
    await core.guildConfig.update('usual', { timeZone: 'Europe/Berlin' });
    await fill(a('guildId'), a('userId'), a('username'));
    const own = core.redisKeys.guild(a('guildId'));
    const multiplier = `1.${'5'.repeat(BOUNDS.multiplier.bytes - 2)}`;
    const fields = { xp_multiplier: multiplier, plan: a('plan'), rules: a('rules'), page_title: a('title') };
    await configureScript.run(core.scripts, own, { ...fields, page_picture: a('picture') });
    // All changes are in the past, so that each is looked at.
    const offsets = Array.from({ length: 100 }, (_, n) => ` ${20_000_000 + n}:-720`).join('');
    const zone = { time_zone: a('timeZone'), utc_offsets: `0${offsets}`.slice(0, BOUNDS.utcOffsets.bytes) };
    await configureScript.run(core.scripts, own, { ...zone, boards: 'week,month' });
    const curve = '0000000001,0000000001,-0000000001,-0000000001,0000000001,0000000001,0000001000';
    await core.guildConfig.update(a('guildId'), { xpCurve: `custom=${curve}` });
  });
  afterAll(() => store?.stop());

  /** Returns Redis's microseconds for a call, the mean of some. */
  async function priceOf(call: ReturnType<CallOf>, round: number): Promise<number> {
    await client.config('RESETSTAT');
    for (let n = 0; n < CALLS; n++) await call(round, n);
    const [, usec] = /cmdstat_evalsha:calls=\d+,usec=(\d+)/.exec(await client.info('commandstats')) ?? [];
    return Number(usec) / CALLS;
  }

  /**
   * Returns the price of the second call as a multiple of the price of the first. What else runs on the machine only adds to a price, so the
   * least of many rounds is the nearest to the truth: a multiple above `most` is measured again, until it stays above it for all rounds.
   */
  async function multipleOf(usual: ReturnType<CallOf>, longest: ReturnType<CallOf>, most: number): Promise<number> {
    const least = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY] as [number, number];
    for (let round = 0; round < MOST_ROUNDS; round++) {
      least[0] = Math.min(least[0], await priceOf(usual, round));
      least[1] = Math.min(least[1], await priceOf(longest, round));
      if (round >= FEWEST_ROUNDS && least[1] / least[0] <= most) break;
    }
    return least[1] / least[0];
  }

  it.each<[string, CallOf]>([
    ['a page', (guild, _, reader) => () => reader.page(guild, 1, MEMBERS)],
    ['a member', (guild, userId, reader) => () => reader.member(guild, userId)],
    ['the statistics', (guild, _, reader) => () => reader.stats(guild)],
    ['an award', (guild, userId) => () => createWriter(client).award(guild, { userId, amount: 15 })],
    [
      'an award for an event',
      (guild, userId) => (round, n) => {
        const eventId = `${round} ${n} `.padEnd(guild === 'usual' ? 18 : BOUNDS.eventId.bytes, 'e');
        return createWriter(client).award(guild, { userId, amount: 15, eventId });
      },
    ],
    ['a page of a board', (guild, _, reader) => () => reader.page(guild, 1, MEMBERS, { board: 'week' })],
  ])(
    'Redis pays at most twice as much for %s in a guild with the longest texts as in a usual guild',
    async (_, callOf) => {
      const reader = createReader(client);
      const usual = callOf('usual', `${'1'.repeat(17)}5`, reader);
      const longest = callOf(a('guildId'), `${a('userId').slice(1)}5`, reader);
      expect(await multipleOf(usual, longest, 2)).toBeLessThanOrEqual(2);
    },
  );
});
