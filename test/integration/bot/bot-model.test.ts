import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWriter } from '../../../src/bot/writer.ts';
import { type Services, servicesOn } from '../../../src/cli/services.ts';
import { RecordRefusedError } from '../../../src/errors.ts';
import { MemberRead, PageRead, StatsRead } from '../../../src/guild/ranking/reader.ts';
import { CommandBatcher } from '../../../src/store/command-batcher.ts';
import { clocked } from '../../support/clocked.ts';
import { BotModel, type BotStep, botSteps } from '../../support/random-bot.ts';
import { describeStores, type TestStore } from '../../support/stores.ts';
import { SeasonModel, SteppedClient } from './season-steps.ts';

type Writer = ReturnType<typeof createWriter>;

describeStores('a bot of several processes', (kind) => {
  let store: TestStore;
  let services: Services;
  let commands: CommandBatcher;
  let writers: Writer[];
  const model = { current: new BotModel() };
  let guilds = 0;
  beforeAll(async () => {
    store = await kind.start();
    services = servicesOn(store.client, 'gr', ['free']);
    commands = new CommandBatcher(store.client, services.scripts, services.redisKeys);
    writers = [0, 1, 2].map(() => createWriter(clocked(store.connect(), () => model.current.nowMs)));
  });
  afterAll(() => store.stop());

  it('gets the answers of a naive model, and the guild shows its members and counters, beside a running count too', async () => {
    await fc.assert(
      fc.asyncProperty(botSteps, fc.boolean(), async (steps, isCounted) => {
        const guild = `g${guilds++}`;
        model.current = new BotModel();
        // A count of the members that has begun and waits: the scripts have to keep its sums exact.
        const { xp, stats, config, hidden, members } = services.redisKeys.guild(guild);
        const count = (mode: string) =>
          services.scripts.run('recount', [xp, stats, config, hidden, members], mode, 'token', '', 1);
        await createWriter(store.client).record(guild, { userId: 'first', set: 500 });
        model.current.gain('first', 500);
        if (isCounted) {
          await count('begin');
          await count('step');
        }
        const season = new RunningSeason(guild, model, store);
        for (const [index, step] of steps.entries()) {
          if (step.kind !== 'season') await apply(writers[index % 3] as Writer, guild, model.current, step);
          // ioredis-mock lists no members of a sorted set in steps.
          else if (kind.name === 'redis-server') await season.go(step);
          if (step.kind === 'remove') season.forget(step.userIds);
        }
        await season.finish();
        await expectGuild(guild, model.current);
        for (const [archive, members] of season.archives) await expectGuild(archive, members);
        await store.client.hdel(stats, 'recount');
        expect((await services.audit.check(guild)).exact).toBe(true);
      }),
      { numRuns: kind.name === 'redis-server' ? 300 : 12 },
    );
  });

  async function expectGuild(guild: string, naive: BotModel): Promise<void> {
    const ranking = naive.ranking();
    const page = (await commands.read(new PageRead(guild, 1, 50))).value;
    expect([page.total, ...page.data.map(({ user_id }) => user_id)]).toEqual([ranking.length, ...ranking]);
    const ranked = ranking.map((id) => naive.members.get(id) as NonNullable<ReturnType<typeof naive.members.get>>);
    const counted = ranked.filter(({ xp }) => xp > 0);
    expect((await commands.read(new StatsRead(guild))).value).toMatchObject({
      total_members: counted.length,
      total_xp: counted.reduce((sum, { xp }) => sum + BigInt(xp), 0n),
    });
    for (const [id, member] of naive.members) {
      const { value } = await commands.read(new MemberRead(guild, id));
      if (member.hidden) expect(value).toBeNull();
      else
        expect(value).toEqual({
          user_id: id,
          username: member.username ?? id,
          level: naive.levelOf(member),
          xp: member.xp,
          rank: ranking.indexOf(id) + 1,
          daily_streak: member.streak,
          last_daily_claim: member.claimedAt === undefined ? null : new Date(member.claimedAt).toISOString(),
        });
    }
    const hidden = [...naive.members.values()].filter((member) => member.hidden).length;
    expect(Number((await store.client.hget(`gr:{${guild}}:stats`, 'hidden')) ?? 0)).toBe(hidden);
  }
});

/** Ends seasons of a guild one script call at a time, between the calls of others. */
class RunningSeason {
  /** What the archives must have. */
  readonly archives = new Map<string, BotModel>();
  private work: Promise<unknown> | undefined;
  private followed: SeasonModel | undefined;
  private readonly client: SteppedClient;

  constructor(
    private readonly guild: string,
    private readonly model: { readonly current: BotModel },
    store: TestStore,
  ) {
    const timed = clocked(store.client, () => model.current.nowMs);
    this.client = new SteppedClient(timed, (script, args) => this.followed?.follow(script, args));
  }

  async go({ calls, keepMembers }: Extract<BotStep, { kind: 'season' }>): Promise<void> {
    if (!this.work) {
      const archive = `${this.guild}.s${this.archives.size}`;
      const members = new BotModel();
      this.archives.set(archive, members);
      this.followed = new SeasonModel(this.model.current, members, keepMembers);
      const work = createWriter(this.client).resetSeason(this.guild, { archiveAs: archive, keepMembers });
      this.work = work.then(() => {
        this.work = undefined;
      });
    }
    for (let n = 0; n < calls && this.work; n++) await this.client.step(this.work);
  }

  forget(userIds: readonly string[]): void {
    this.followed?.forget(userIds);
  }

  async finish(): Promise<void> {
    while (this.work) await this.client.step(this.work);
  }
}

async function apply(
  writer: Writer,
  guild: string,
  model: BotModel,
  step: Exclude<BotStep, { kind: 'season' }>,
): Promise<void> {
  switch (step.kind) {
    case 'award': {
      const { userId, amount, username } = step;
      const expected = model.gain(userId, amount, (member) => {
        member.username = username || member.username;
      });
      const rank = expected.hidden ? null : model.ranking().indexOf(userId) + 1;
      const request = { userId, amount, rank: true, ...(username && { username }) };
      expect(await writer.award(guild, request)).toMatchObject({ ...expected, awarded: amount, rank });
      break;
    }
    case 'claim':
      expect(await writer.claimDaily(guild, step.request)).toMatchObject(model.claim(step.request));
      break;
    case 'record': {
      const expected = model.record(step.records);
      if (expected) expect((await writer.recordMany(guild, step.records)).members).toEqual(expected);
      else await expect(writer.recordMany(guild, step.records)).rejects.toBeInstanceOf(RecordRefusedError);
      break;
    }
    case 'setLevel': {
      const { userId, level } = step;
      const { members } = await writer.setLevel(guild, { userId, level });
      expect(members).toEqual([{ userId, ...model.setLevel(userId, level) }]);
      return;
    }
    case 'setProfiles':
      expect(await writer.setProfiles(guild, step.updates)).toEqual(model.setProfiles(step.updates));
      break;
    case 'remove':
      expect(await writer.remove(guild, step.userIds)).toBe(model.remove(step.userIds));
      break;
    case 'clock':
      model.nowMs += step.ms;
      break;
    default:
      expect(await writer[step.kind](guild, step.userIds)).toBe(model.move(step.userIds, step.kind === 'hide'));
  }
}
