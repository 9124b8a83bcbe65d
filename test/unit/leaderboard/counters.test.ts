import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Services, servicesOn } from '../../../src/cli/services.ts';
import { InvalidInputError } from '../../../src/errors.ts';
import { CounterAudit } from '../../../src/leaderboard/counters.ts';
import { levelForXp } from '../../../src/leaderboard/curves.ts';
import type { Scripts } from '../../../src/redis/scripts.ts';
import { Model, type Step, steps } from '../../support/random-guild.ts';
import { storeKinds, type TestStore } from '../../support/stores.ts';

describe.each(storeKinds)('a count of the members beside writes, on $name', (kind) => {
  let testStore: TestStore;
  let store: Services;
  let guilds = 0;
  // ioredis-mock compiles the script at every command, and adds counters up in doubles.
  const real = kind.name === 'redis-server';
  const arbitrarySteps = real ? steps() : steps(2 ** 44);

  beforeAll(async () => {
    testStore = await kind.start();
    store = servicesOn(testStore.connect(), 'gr', ['free']);
  });
  afterAll(() => testStore.stop());

  const apply = async (guild: string, model: Model, step: Step): Promise<void> => {
    const accepted = model.apply(step);
    if (step.kind === 'remove') await store.writer.remove(guild, step.userIds);
    else if (accepted) await store.writer.recordMany(guild, step.records);
  };

  /** Returns an audit in slices of `size` that runs the next of `between` before each of its commands. */
  const auditBeside = (size: number, between: () => Promise<unknown>): CounterAudit => {
    const run = async (...command: Parameters<Scripts['run']>) => {
      await between();
      return store.scripts.run(...command);
    };
    return new CounterAudit({ run } as Scripts, store.redisKeys, size);
  };

  const sums = (model: Model, curve: 'standard' | 'amari') => {
    const counted = [...model.members.values()].filter(({ xp }) => xp > 0);
    return {
      members: BigInt(counted.length),
      totalXp: model.totalXp,
      levelSum: counted.reduce((sum, { xp, level }) => sum + BigInt(level ?? levelForXp(curve, xp)), 0n),
    };
  };

  it('is exact at its end, whatever the scripts write between its slices', async () => {
    await fc.assert(
      fc.asyncProperty(arbitrarySteps, arbitrarySteps, fc.integer({ min: 1, max: 4 }), async (first, later, size) => {
        const guild = `g${++guilds}`;
        const model = new Model();
        for (const step of first) await apply(guild, model, step);
        const left = [...later];
        const next = async () => {
          const step = left.shift();
          if (step) await apply(guild, model, step);
        };
        expect(await auditBeside(size, next).check(guild)).toMatchObject({
          actual: sums(model, 'standard'),
          exact: true,
        });
        expect(await store.client.hexists(`gr:{${guild}}:stats`, 'recount')).toBe(0);
      }),
      { numRuns: real ? 300 : 20 },
    );
  });

  it('stores the levels of a new curve while the guild is written to, and the writes after it keep them', async () => {
    await fc.assert(
      fc.asyncProperty(arbitrarySteps, arbitrarySteps, fc.integer({ min: 1, max: 4 }), async (first, later, size) => {
        const guild = `g${++guilds}`;
        const model = new Model();
        for (const step of first) await apply(guild, model, step);
        const left = [...later];
        const next = async () => {
          const step = left.shift();
          if (step) await apply(guild, model, step);
        };
        await auditBeside(size, next).rebuild(guild, { curve: 'amari', fields: ['xp_curve', 'amari'] });
        while (left.length > 0) await next();
        expect(await store.audit.check(guild)).toMatchObject({ actual: sums(model, 'amari'), exact: true });
      }),
      { numRuns: real ? 150 : 10 },
    );
  });

  const seeded = async (): Promise<string> => {
    const guild = `g${++guilds}`;
    await store.writer.recordMany(
      guild,
      Array.from({ length: 9 }, (_, n) => ({ userId: `u${n}`, set: 100 * n })),
    );
    return guild;
  };

  it('finds the drift that was there before it began', async () => {
    const guild = await seeded();
    await store.client.hincrby(`gr:{${guild}}:stats`, 'total_xp', 7);
    const write = () => store.writer.record(guild, { userId: 'u3', add: 1 });
    const check = await auditBeside(2, write).check(guild);
    expect(check.exact).toBe(false);
    expect(check.stored.totalXp - check.actual.totalXp).toBe(7n);
  });

  it('tells of a writer that raises the revision without the scripts, and changes no counter', async () => {
    const guild = await seeded();
    const raw = () =>
      store.client.multi().zincrby(`gr:{${guild}}:xp`, 1, 'u3').hincrby(`gr:{${guild}}:stats`, 'rev', 1).exec();
    const before = await store.client.hget(`gr:{${guild}}:stats`, 'total_xp');
    const rebuild = auditBeside(2, raw).rebuild(guild);
    await expect(rebuild).rejects.toThrow(InvalidInputError);
    await expect(rebuild).rejects.toThrow(/changes guild g\d+ without the scripts/);
    expect(await store.client.hmget(`gr:{${guild}}:stats`, 'total_xp', 'recount')).toEqual([before, null]);
  });

  it('of a guild that nobody changes writes nothing', async () => {
    const guild = await seeded();
    const before = await store.client.hgetall(`gr:{${guild}}:stats`);
    const commands: string[] = [];
    const run = (...command: Parameters<Scripts['run']>) => {
      commands.push(String(command[2]));
      return store.scripts.run(...command);
    };
    expect((await new CounterAudit({ run } as Scripts, store.redisKeys, 2).check(guild)).exact).toBe(true);
    expect(new Set(commands)).toEqual(new Set(['read']));
    expect(await store.client.hgetall(`gr:{${guild}}:stats`)).toEqual(before);
  });

  it('waits for another count of the guild, and both are exact', async () => {
    const guild = await seeded();
    const write = () => store.writer.record(guild, { userId: 'u3', add: 1 });
    const checks = await Promise.all([auditBeside(2, write).check(guild), auditBeside(2, write).check(guild)]);
    expect(checks.map(({ exact }) => exact)).toEqual([true, true]);
  });

  it('that was given up for a minute is dropped by the next write', async () => {
    const guild = await seeded();
    const stats = `gr:{${guild}}:stats`;
    let calls = 0;
    const dies = async () => {
      if (++calls === 3) throw new Error('killed');
    };
    await expect(auditBeside(2, dies).rebuild(guild)).rejects.toThrow('killed');
    const state = (await store.client.hget(stats, 'recount')) as string;
    const [token, curve, seen, ...rest] = state.split(' ');
    await store.client.hset(stats, 'recount', [token, curve, Number(seen) - 61, ...rest].join(' '));
    await store.writer.record(guild, { userId: 'u1', add: 1 });
    expect(await store.client.hexists(stats, 'recount')).toBe(0);
  });
});
