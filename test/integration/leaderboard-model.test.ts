import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Core, openCore } from '../../src/core/core.ts';
import { RefusedError } from '../../src/core/errors.ts';
import { MAX_XP } from '../../src/core/ranking/curves.ts';
import { CommandBatcher } from '../../src/core/reads/command-batcher.ts';
import { MemberCommand, PageCommand, StatsCommand } from '../../src/core/reads/read-commands.ts';
import { Scripts } from '../../src/core/store/scripts.ts';
import { GuildModel, type ModelMember } from '../model/guild-model.ts';
import { type Step, steps } from '../model/random-writes.ts';
import { describeStores, realStore, type TestStore } from '../support/stores.ts';
import { randomRuns } from '../support/variants.ts';

describeStores('random writes', (kind) => {
  let testStore: TestStore;
  let store: Core;
  let commands: CommandBatcher;
  let guilds = 0;
  // A script takes longer on ioredis-mock.
  const real = kind === realStore;
  const runs = randomRuns(real ? 300 : 30);
  const maxXp = real ? MAX_XP : 2 ** 44;

  beforeAll(async () => {
    testStore = await kind.start();
    const client = testStore.connect();
    store = openCore(client, 'gr');
    commands = new CommandBatcher(new Scripts(client), store.redisKeys, { client });
  });
  afterAll(() => testStore.stop());

  it('random writes give every page, rank, total and counter of the model, even after refused calls', async () => {
    await fc.assert(
      fc.asyncProperty(steps(maxXp), fc.integer({ min: 1, max: 7 }), async (script, limit) => {
        const guild = `g${++guilds}`;
        const model = new GuildModel();
        for (const step of script) await applyBoth(store, guild, model, step);
        await expectGuild(commands, guild, model, limit);
        const check = await store.counters.check(guild);
        expect(check.actual.totalXp).toBe(model.totalXp);
        expect(check.exact).toBe(true);
      }),
      { numRuns: runs },
    );
  });

  it('random writes raise the revision with every change, and only then', async () => {
    await fc.assert(
      fc.asyncProperty(steps(1000), async (script) => {
        const guild = `g${++guilds}`;
        const model = new GuildModel();
        let last = 0n;
        for (const step of script) {
          const isChanged = await applyBoth(store, guild, model, step);
          const revision = BigInt((await commands.read(new StatsCommand(guild))).revision || 0);
          if (isChanged) expect(revision).toBeGreaterThan(last);
          else expect(revision).toBe(last);
          last = revision;
        }
      }),
      { numRuns: randomRuns(real ? 100 : 12) },
    );
  });
});

/** Does a step in Redis and in the model. @returns whether it changed the guild. */
async function applyBoth(store: Core, guild: string, model: GuildModel, step: Step): Promise<boolean> {
  if (step.kind === 'remove') {
    await store.writer.remove(guild, step.userIds);
    return model.remove(step.userIds) > 0;
  }
  const isAccepted = model.record(step.records) !== undefined;
  if (isAccepted) await store.writer.recordMany(guild, step.records);
  else await expect(store.writer.recordMany(guild, step.records)).rejects.toBeInstanceOf(RefusedError);
  return isAccepted;
}

async function expectGuild(commands: CommandBatcher, guild: string, model: GuildModel, limit: number): Promise<void> {
  const ranking = model.ranking().map((user_id, index) => {
    const member = model.members.get(user_id) as ModelMember;
    return {
      rank: index + 1,
      user_id,
      username: member.username ?? user_id,
      level: model.levelOf(member),
      xp: member.xp,
    };
  });
  const pages = Math.ceil(ranking.length / limit) + 1;
  for (let page = 1; page <= pages; page++) {
    const data = ranking.slice((page - 1) * limit, page * limit);
    expect((await commands.read(new PageCommand(guild, page, limit))).value).toEqual({
      data,
      total: ranking.length,
      page,
    });
  }
  for (const row of ranking) {
    const { streak, claimedAt } = model.members.get(row.user_id) as ModelMember;
    expect((await commands.read(new MemberCommand(guild, row.user_id))).value).toEqual({
      ...row,
      daily_streak: streak,
      last_daily_claim: claimedAt === undefined ? null : new Date(claimedAt).toISOString(),
    });
  }
  const counted = ranking.filter(({ xp }) => xp > 0);
  const levels = counted.reduce((sum, { level }) => sum + level, 0);
  expect((await commands.read(new StatsCommand(guild))).value).toEqual({
    total_members: counted.length,
    total_xp: model.totalXp,
    average_level: counted.length === 0 ? 0 : Math.round(levels / counted.length),
    xp_curve: 'standard',
    xp_multiplier: 1,
  });
}
