import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CURVE_NAMES, type Curve, MAX_XP, parseCurve } from '../../../src/core/ranking/curves.ts';
import { createReader, type HideReason, InvalidInputError, type MemberCard } from '../../../src/kit/reader.ts';
import { createWriter } from '../../../src/kit/writer.ts';
import { names } from '../../model/random-writes.ts';
import { customCurve, exactXpToReach } from '../../support/random-curve.ts';
import { describeStores, realStore, type TestStore } from '../../support/stores.ts';
import { randomRuns } from '../../support/variants.ts';

interface Stored {
  readonly userId: string;
  readonly xp: number;
  readonly username: string;
  readonly level: number | null;
  readonly dailyStreak: number;
  /** The stored reasons of a hidden member, "" for none; null for a ranked one. */
  readonly reasons: string | null;
}

const USERS = ['1', '9', '10', 'a', 'B', 'a-b', '1234567890123456789'];
/** The text of each stored value, with the reasons that it means. */
const REASONS: Readonly<Record<string, readonly HideReason[]>> = {
  '': ['moderator'],
  left: ['left'],
  self: ['self'],
  'self moderator': ['self', 'moderator'],
  unknown: ['moderator'],
};

const members: fc.Arbitrary<Stored[]> = fc.uniqueArray(
  fc.record({
    userId: fc.constantFrom(...USERS),
    xp: fc.oneof(fc.integer({ min: 0, max: 6000 }), fc.constantFrom(0, 100, 100, 255, 2 ** 45)),
    username: names,
    level: fc.option(fc.nat(60), { freq: 3 }),
    dailyStreak: fc.nat(400),
    reasons: fc.option(fc.constantFrom(...Object.keys(REASONS)), { freq: 2 }),
  }),
  { selector: ({ userId }) => userId, maxLength: USERS.length },
);
const curves = fc.oneof(
  fc.constantFrom(...CURVE_NAMES).map((name) => ({ text: name as string, curve: parseCurve(name) as Curve })),
  customCurve,
);

/** Returns the level of XP and the XP of its ends by trying each level; the end is null for the highest one. */
function naiveLevel(curve: Curve, xp: bigint): { level: number; start: bigint; end: bigint | null } {
  const reach = (level: bigint) => (level === 0n ? 0n : exactXpToReach(curve, level));
  let step = 1n;
  while (reach(step) <= xp) step *= 2n;
  let level = 0n;
  for (; step > 0n; step /= 2n) if (reach(level + step) <= xp) level += step;
  if (curve.max !== undefined && level > curve.max) level = BigInt(curve.max);
  const end = Number(level) === curve.max ? null : reach(level + 1n);
  return { level: Number(level), start: reach(level), end: end !== null && end > MAX_XP ? null : end };
}

function naiveCard(all: readonly Stored[], curve: Curve, userId: string): MemberCard | null {
  const own = all.find((each) => each.userId === userId);
  if (!own) return null;
  const byteOrder = (a: Stored, b: Stored) => Buffer.compare(Buffer.from(b.userId), Buffer.from(a.userId));
  const ranking = all.filter(({ reasons }) => reasons === null).sort((a, b) => b.xp - a.xp || byteOrder(a, b));
  const row = (member: Stored) => ({
    userId: member.userId,
    username: member.username || member.userId,
    level: member.level ?? naiveLevel(curve, BigInt(member.xp)).level,
    xp: member.xp,
  });
  const index = ranking.indexOf(own);
  const at = (place: number) => {
    const member = index < 0 ? undefined : ranking[place];
    return member ? { rank: place + 1, ...row(member) } : null;
  };
  const { start, end } = naiveLevel(curve, BigInt(own.xp));
  const progress = { gained: own.xp - Number(start), needed: end === null ? 0 : Number(end - start) };
  return {
    ...row(own),
    rank: index < 0 ? null : index + 1,
    total: ranking.length,
    progress: own.level === null ? progress : null,
    nextLevelXp: own.level !== null || end === null ? null : Number(end),
    above: at(index - 1),
    below: at(index + 1),
    dailyStreak: own.dailyStreak,
    hidden: own.reasons === null ? null : (REASONS[own.reasons] ?? []),
  };
}

describeStores('the card of a member', (kind) => {
  let store: TestStore;
  let guilds = 0;
  const calls: (string | number)[][] = [];
  const reader = () => {
    const { client } = store;
    return createReader({
      evalsha: (...call) => {
        calls.push(call);
        return client.evalsha(...call);
      },
      eval: client.eval.bind(client),
    });
  };
  beforeAll(async () => {
    store = await kind.start();
  });
  afterAll(() => store.stop());

  it('a card is that of a naive model, for ranked and hidden members, on each curve', async () => {
    const writer = createWriter(store.client);
    await fc.assert(
      fc.asyncProperty(members, curves, async (all, { text, curve }) => {
        const guild = `g${guilds++}`;
        const [name, own = ''] = text.split('=') as [string, string?];
        await store.client.hset(`gr:{${guild}}:config`, { xp_curve: name, xp_curve_custom: own });
        await writer.recordMany(
          guild,
          all.map(({ userId, xp, username, level, dailyStreak }) => {
            return { userId, set: xp, username, level, dailyStreak };
          }),
        );
        for (const { userId, reasons } of all) {
          if (reasons === null) continue;
          await writer.hide(guild, [userId]);
          if (reasons) await store.client.hset(`gr:{${guild}}:hidden:reasons`, userId, reasons);
          else await store.client.hdel(`gr:{${guild}}:hidden:reasons`, userId);
        }
        for (const userId of [...USERS, 'nobody'])
          expect(await reader().card(guild, userId)).toEqual(naiveCard(all, curve, userId));
      }),
      { numRuns: randomRuns(kind === realStore ? 150 : 12) },
    );
  });

  it('a card takes one call with the keys of the guild, all in one slot', async () => {
    await createWriter(store.client).record('one', { userId: 'a', set: 5 });
    await reader().card('one', 'a');
    calls.length = 0;
    expect(await reader().card('one', 'a')).toMatchObject({ rank: 1, xp: 5 });
    const names = ['xp', 'stats', 'config', 'hidden', 'members', 'hidden:reasons'];
    expect(calls).toEqual([[expect.any(String), 6, ...names.map((each) => `gr:{one}:${each}`), 'a']]);
  });

  it('a card needs 0 XP at the highest level of a curve, and at the last level that XP can reach', async () => {
    await store.client.hset('gr:{top}:config', { xp_curve: 'custom', xp_curve_custom: '0,0,50,0,1,1,2' });
    await createWriter(store.client).record('top', { userId: 'a', set: 170 });
    expect(await reader().card('top', 'a')).toMatchObject({
      ...{ level: 2, progress: { gained: 70, needed: 0 }, nextLevelXp: null },
    });
    await createWriter(store.client).record('most', { userId: 'a', set: MAX_XP });
    const card = await reader().card('most', 'a');
    expect(card).toMatchObject({ xp: MAX_XP, progress: { needed: 0 }, nextLevelXp: null });
  });

  it('a card is refused for an unfit id, an unfit curve and data of a newer version', async () => {
    await expect(reader().card('g', 'a b')).rejects.toBeInstanceOf(InvalidInputError);
    await expect(reader().card('g g', 'a')).rejects.toBeInstanceOf(InvalidInputError);
    await createWriter(store.client).record('unfit', { userId: 'a', set: 5 });
    await store.client.hset('gr:{unfit}:config', { xp_curve: 'custom', xp_curve_custom: '0,0,0,0,1,1' });
    await expect(reader().card('unfit', 'a')).rejects.toMatchObject({ code: 'CURVE' });
    await store.client.hset('gr:{newer}:stats', { rev: '5', model: '3' });
    for (const userId of ['a', 'nobody'])
      await expect(reader().card('newer', userId)).rejects.toThrow('has data of version 3');
  });
});
