import fc from 'fast-check';
import { expect, it } from 'vitest';
import { GuildCounters } from '../../../../src/core/counters/counters.ts';
import { RefusedError } from '../../../../src/core/errors.ts';
import { levelForXp } from '../../../../src/core/ranking/curves.ts';
import { GuildModel } from '../../../model/guild-model.ts';
import { type Step, steps } from '../../../model/random-writes.ts';
import { storeSuite } from '../../../support/store-suite.ts';
import { describeStores, realStore } from '../../../support/stores.ts';
import { randomRuns } from '../../../support/variants.ts';

describeStores('a count of the members beside writes', (kind) => {
  const suite = storeSuite(kind);
  // A script takes longer on ioredis-mock, which adds counters up in doubles.
  const real = kind === realStore;
  const arbitrarySteps = real ? steps() : steps(2 ** 44);

  const apply = async (guild: string, model: GuildModel, step: Step): Promise<void> => {
    if (step.kind === 'remove') {
      model.remove(step.userIds);
      await suite.store.writer.remove(guild, step.userIds);
    } else if (model.record(step.records)) await suite.store.writer.recordMany(guild, step.records);
  };

  /** Returns an audit in slices of `size` that runs the next of `between` before each of its commands. */
  const auditBeside = (size: number, between: () => Promise<unknown>): GuildCounters => {
    return new GuildCounters(suite.beside(between), size);
  };

  /** Makes a guild by the first steps. Returns it, its model, and a writer that does the next of the later steps, if one is left. */
  const writtenBy = async (first: readonly Step[], later: readonly Step[]) => {
    const guild = suite.newGuild();
    const model = new GuildModel();
    for (const step of first) await apply(guild, model, step);
    const left = [...later];
    const next = async () => {
      const step = left.shift();
      if (step) await apply(guild, model, step);
    };
    return { guild, model, left, next };
  };

  const sums = (model: GuildModel, curve: 'standard' | 'amari') => {
    const counted = [...model.members.values()].filter(({ xp }) => xp > 0);
    return {
      members: BigInt(counted.length),
      totalXp: model.totalXp,
      levelSum: counted.reduce((sum, { xp, level }) => sum + BigInt(level ?? levelForXp(curve, xp)), 0n),
    };
  };

  it('a count is exact at its end, whatever the scripts write between its slices', async () => {
    await fc.assert(
      fc.asyncProperty(arbitrarySteps, arbitrarySteps, fc.integer({ min: 1, max: 4 }), async (first, later, size) => {
        const { guild, model, next } = await writtenBy(first, later);
        expect(await auditBeside(size, next).check(guild)).toMatchObject({
          actual: sums(model, 'standard'),
          exact: true,
        });
        expect(await suite.store.client.hexists(`gr:{${guild}}:stats`, 'recount')).toBe(0);
      }),
      { numRuns: randomRuns(real ? 300 : 24) },
    );
  });

  it('a count stores the levels of a new curve while the guild is written to, and later writes keep them', async () => {
    await fc.assert(
      fc.asyncProperty(arbitrarySteps, arbitrarySteps, fc.integer({ min: 1, max: 4 }), async (first, later, size) => {
        const { guild, model, left, next } = await writtenBy(first, later);
        await auditBeside(size, next).rebuild(guild, 'amari', ['xp_curve', 'amari']);
        while (left.length > 0) await next();
        expect(await suite.store.counters.check(guild)).toMatchObject({ actual: sums(model, 'amari'), exact: true });
      }),
      { numRuns: randomRuns(real ? 150 : 12) },
    );
  });

  it('an explicit level of a ranked member is always noted, and a count forgets the note once the last explicit level is gone', async () => {
    const isNoted = async (guild: string) => (await suite.store.client.hget(`gr:{${guild}}:stats`, 'explicit')) === '1';
    await fc.assert(
      fc.asyncProperty(arbitrarySteps, arbitrarySteps, fc.integer({ min: 1, max: 4 }), async (first, later, size) => {
        const { guild, model, left, next } = await writtenBy(first, later);
        const hasExplicit = () => [...model.members.values()].some(({ level }) => level !== undefined);
        if (hasExplicit()) expect(await isNoted(guild)).toBe(true);
        await auditBeside(size, next).rebuild(guild);
        if (hasExplicit()) expect(await isNoted(guild)).toBe(true);
        while (left.length > 0) await next();
        await suite.store.counters.rebuild(guild);
        expect(await isNoted(guild)).toBe(hasExplicit());
      }),
      { numRuns: randomRuns(real ? 150 : 12) },
    );
  });

  const seeded = async (): Promise<string> => {
    const guild = suite.newGuild();
    await suite.store.writer.recordMany(
      guild,
      Array.from({ length: 9 }, (_, n) => ({ userId: `u${n}`, set: 100 * n })),
    );
    return guild;
  };

  it('a count finds the drift that was there before it began', async () => {
    const guild = await seeded();
    await suite.store.client.hincrby(`gr:{${guild}}:stats`, 'total_xp', 7);
    const write = () => suite.store.writer.record(guild, { userId: 'u3', add: 1 });
    const check = await auditBeside(2, write).check(guild);
    expect(check.exact).toBe(false);
    expect(check.stored.totalXp - check.actual.totalXp).toBe(7n);
  });

  it('a count tells of a writer that raises the revision without the scripts, and changes no counter', async () => {
    const guild = await seeded();
    const raw = () =>
      suite.store.client.multi().zincrby(`gr:{${guild}}:xp`, 1, 'u3').hincrby(`gr:{${guild}}:stats`, 'rev', 1).exec();
    const before = await suite.store.client.hget(`gr:{${guild}}:stats`, 'total_xp');
    const rebuild = auditBeside(2, raw).rebuild(guild);
    await expect(rebuild).rejects.toThrow(RefusedError);
    await expect(rebuild).rejects.toThrow(/changes guild g\d+ without the scripts/);
    expect(await suite.store.client.hmget(`gr:{${guild}}:stats`, 'total_xp', 'recount')).toEqual([before, null]);
  });

  it('a count of a guild that nobody changes writes nothing', async () => {
    const guild = await seeded();
    const before = await suite.store.client.hgetall(`gr:{${guild}}:stats`);
    const commands: string[] = [];
    const store = suite.beside(async ({ name }) => commands.push(name));
    expect((await new GuildCounters(store, 2).check(guild)).exact).toBe(true);
    expect(new Set(commands)).toEqual(new Set(['recount-read']));
    expect(await suite.store.client.hgetall(`gr:{${guild}}:stats`)).toEqual(before);
  });

  it('a count waits for another count of the guild, and both are exact', async () => {
    const guild = await seeded();
    const write = () => suite.store.writer.record(guild, { userId: 'u3', add: 1 });
    const checks = await Promise.all([auditBeside(2, write).check(guild), auditBeside(2, write).check(guild)]);
    expect(checks.map(({ exact }) => exact)).toEqual([true, true]);
  });

  it.each([
    ['for a minute', -61],
    ['before the clock went back by an hour', 3600],
  ])('a count that was given up %s is dropped by the next write', async (_, seconds) => {
    const guild = await seeded();
    const stats = `gr:{${guild}}:stats`;
    let calls = 0;
    const dies = async () => {
      if (++calls === 3) throw new Error('killed');
    };
    await expect(auditBeside(2, dies).rebuild(guild)).rejects.toThrow('killed');
    const state = (await suite.store.client.hget(stats, 'recount')) as string;
    const [token, curve, seen, ...rest] = state.split(' ');
    await suite.store.client.hset(stats, 'recount', [token, curve, Number(seen) + seconds, ...rest].join(' '));
    await suite.store.writer.record(guild, { userId: 'u1', add: 1 });
    expect(await suite.store.client.hexists(stats, 'recount')).toBe(0);
  });
});
