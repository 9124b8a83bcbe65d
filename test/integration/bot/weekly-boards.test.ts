import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createReader } from '../../../src/bot/reader.ts';
import { type Award, type AwardRequest, createWriter } from '../../../src/bot/writer.ts';
import { describeStores, type TestStore } from '../../support/stores.ts';

interface Recipe {
  weekOf(guild: string, time?: number): string;
  awardInWeek(writer: unknown, guild: string, request: AwardRequest, time?: number): Promise<Award>;
}

const DOCUMENT = readFileSync(new URL('../../../docs/data-model.md', import.meta.url), 'utf8');
const [, code = ''] = /## Weekly boards\n[\s\S]*?```js\n([\s\S]*?)```/.exec(DOCUMENT) ?? [];
const { weekOf, awardInWeek } = new Function(`${code}; return { weekOf, awardInWeek };`)() as Recipe;

describe('the recipe for weekly boards', () => {
  it.each([
    ['2026-11-22T23:59:59.999Z', '2026-w47'],
    ['2026-11-23T00:00:00.000Z', '2026-w48'],
    ['2026-12-31T12:00:00Z', '2026-w53'],
    ['2027-01-03T23:59:59Z', '2026-w53'],
    ['2027-01-04T00:00:00Z', '2027-w01'],
    ['2024-12-30T00:00:00Z', '2025-w01'],
    ['2021-01-01T00:00:00Z', '2020-w53'],
  ])('puts %s into %s', (time, week) => {
    expect(weekOf('123', Date.parse(time))).toBe(`123.${week}`);
  });
});

describeStores('weekly boards', (kind) => {
  let store: TestStore;
  beforeAll(async () => {
    store = await kind.start();
  });
  afterAll(() => store.stop());
  beforeEach(() => store.empty());

  it('rank the XP of the week alone, with the cooldown and the multiplier of the guild', async () => {
    const writer = createWriter(store.client);
    await store.client.hset('gr:{g}:config', 'xp_multiplier', '2');
    const award = (day: string, userId: string, amount: number) =>
      awardInWeek(writer, 'g', { userId, amount, cooldownMs: 60_000, username: `name ${userId}` }, Date.parse(day));
    await award('2026-11-22T12:00:00Z', 'a', 50);
    await store.client.del('gr:{g}:cooldown:a');
    await award('2026-11-23T12:00:00Z', 'a', 5);
    expect(await award('2026-11-23T12:00:01Z', 'a', 5)).toMatchObject({ onCooldown: true });
    await award('2026-11-23T12:00:02Z', 'b', 7);
    const reader = createReader(store.client);
    const board = async (guild: string) =>
      (await reader.page(guild)).data.map(({ username, xp }) => `${username} ${xp}`);
    expect(await board('g')).toEqual(['name a 110', 'name b 14']);
    expect(await board('g.2026-w47')).toEqual(['name a 100']);
    expect(await board('g.2026-w48')).toEqual(['name b 14', 'name a 10']);
  });
});
