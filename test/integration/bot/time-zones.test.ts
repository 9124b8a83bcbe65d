import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Core, openCore } from '../../../src/core/core.ts';
import { configureScript } from '../../../src/core/settings/guild-config.ts';
import { timeZoneNames, utcOffsetsOf } from '../../../src/core/settings/time-zone.ts';
import { BOARD_KINDS, type BoardKind, type BoardName } from '../../../src/core/store/redis-keys.ts';
import { Scripts } from '../../../src/core/store/scripts.ts';
import { createReader } from '../../../src/kit/reader.ts';
import { createWriter } from '../../../src/kit/writer.ts';
import { ZoneModel } from '../../model/zone-model.ts';
import { clocked } from '../../support/clocked.ts';
import { describeStores, realStore, type TestStore } from '../../support/stores.ts';
import { randomRuns } from '../../support/variants.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describeStores('the boards of a guild with a time zone', (kind) => {
  let store: TestStore;
  let core: Core;
  let now = 0;
  let guilds = 0;
  beforeAll(async () => {
    store = await kind.start();
    core = openCore(store.client, 'gr');
  });
  afterAll(() => store.stop());

  /** Makes a guild with both boards, at the present time. @param setAt when the changes of its time zone were computed. */
  async function guildIn(timeZone: string, setAt: number) {
    const guild = `zone${guilds++}`;
    const client = clocked(store.client, () => now);
    const zone = { time_zone: timeZone, utc_offsets: utcOffsetsOf(timeZone, setAt) };
    const keys = core.redisKeys.guild(guild);
    await configureScript.run(new Scripts(client), keys, { boards: 'week,month', ...zone });
    const reader = createReader(client);
    return {
      gain: (userId: string) => createWriter(client).record(guild, { userId, add: 1 }),
      period: async (board: BoardName) => (await reader.page(guild, 1, 1, { board })).period,
      on: async (board: BoardName) => (await reader.page(guild, 1, 50, { board })).data.map(({ userId }) => userId),
    };
  }

  /** A time zone, the moment when it was set, and moments later and a little earlier; many are close to a change of the clocks. */
  const moments = fc.record({
    timeZone: fc.constantFrom(...timeZoneNames()),
    setAt: fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2035, 0) }),
    days: fc.integer({ min: -60, max: 3600 }),
    secondsFromMidnight: fc.integer({ min: -7200, max: 7200 }),
  });

  it('boards begin and end with the days of the time zone, in every time zone at every moment', async () => {
    await fc.assert(
      fc.asyncProperty(moments, async ({ timeZone, setAt, days, secondsFromMidnight }) => {
        const model = new ZoneModel(timeZone);
        now = model.beginOf(model.dayAt(setAt + days * DAY)) + secondsFromMidnight * 1000;
        const guild = await guildIn(timeZone, setAt);
        for (const board of BOARD_KINDS) expect(await guild.period(board)).toEqual(model.periodAt(board, now));
        await guild.gain('a');
        for (const board of BOARD_KINDS) {
          const { from } = model.periodAt(board, now);
          expect(await guild.on(board)).toEqual(['a']);
          expect(await guild.period(board)).toMatchObject({ from });
          expect(await guild.period(`${board}.prev`)).toMatchObject({ to: from });
        }
      }),
      { numRuns: randomRuns(kind === realStore ? 60 : 5) },
    );
  });

  it.each<[string, string, BoardKind, string, number]>([
    ['has 167 hours when the clocks go forward', 'Europe/Berlin', 'week', '2026-03-22T23:00:00.000Z', 167],
    ['has 169 hours when the clocks go back', 'Europe/Berlin', 'week', '2026-10-18T22:00:00.000Z', 169],
    ['has 168 hours between both', 'Europe/Berlin', 'week', '2026-07-05T22:00:00.000Z', 168],
    ['of March has an hour less', 'America/New_York', 'month', '2026-03-01T05:00:00.000Z', 31 * 24 - 1],
    ['of November has an hour more', 'America/New_York', 'month', '2026-11-01T04:00:00.000Z', 30 * 24 + 1],
    ['changes by half an hour', 'Australia/Lord_Howe', 'week', '2026-03-29T13:00:00.000Z', 168.5],
    ['begins at one, when midnight is left out', 'Asia/Tehran', 'week', '2021-03-21T20:30:00.000Z', 167],
    ['begins at the later midnight, when it comes twice', 'Asia/Tehran', 'week', '2020-09-20T20:30:00.000Z', 168],
    ['follows the clocks of Ramadan', 'Africa/Casablanca', 'month', '2027-01-31T23:00:00.000Z', 28 * 24 + 1],
  ])('boards show a period that %s: %s', async (_, timeZone, board, from, hours) => {
    const begin = Date.parse(from);
    now = begin - 1000;
    const guild = await guildIn(timeZone, now);
    await guild.gain('before');
    now = begin;
    const to = new Date(begin + hours * HOUR).toISOString();
    expect(await guild.period(board)).toEqual({ from, to });
    expect([await guild.on(board), await guild.on(`${board}.prev`)]).toEqual([[], ['before']]);
    await guild.gain('first');
    now = begin + hours * HOUR - 1000;
    await guild.gain('last');
    expect(await guild.period(board)).toEqual({ from, to });
    expect(await guild.on(board)).toEqual(['last', 'first']);
    now += 1000;
    expect(await guild.period(board)).toMatchObject({ from: to });
    expect([await guild.on(board), await guild.on(`${board}.prev`)]).toEqual([[], ['last', 'first']]);
  });
});
