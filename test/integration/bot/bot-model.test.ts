import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Core, openCore } from '../../../src/core/core.ts';
import { beginCountScript, readCountScript, stepCountScript } from '../../../src/core/counters/recount-scripts.ts';
import { RefusedError } from '../../../src/core/errors.ts';
import { CommandBatcher } from '../../../src/core/reads/command-batcher.ts';
import { MemberCommand, PageCommand, StatsCommand } from '../../../src/core/reads/read-commands.ts';
import { configureScript } from '../../../src/core/settings/guild-config.ts';
import { BOARDS } from '../../../src/core/store/redis-keys.ts';
import { Scripts } from '../../../src/core/store/scripts.ts';
import { createReader, type GuildReader } from '../../../src/kit/reader.ts';
import { createWriter, type SeasonOptions } from '../../../src/kit/writer.ts';
import { BoardsModel } from '../../model/boards-model.ts';
import { GuildModel, type ModelMember } from '../../model/guild-model.ts';
import { SeasonModel } from '../../model/season-model.ts';
import { clocked } from '../../support/clocked.ts';
import { describeStores, realStore, type TestStore } from '../../support/stores.ts';
import { randomRuns } from '../../support/variants.ts';
import { type BotStep, botSteps } from './bot-steps.ts';
import { SteppedClient } from './season-steps.ts';

/** Minutes from UTC by which the boards begin; undefined for a guild without boards. */
const offsets = fc.constantFrom(undefined, -720, 0, 60, 840);

type Writer = ReturnType<typeof createWriter>;

describeStores('a bot of several processes', (kind) => {
  let store: TestStore;
  let core: Core;
  let commands: CommandBatcher;
  let writers: Writer[];
  let timed: Scripts;
  let reader: GuildReader;
  const model = { current: new GuildModel() };
  let guilds = 0;
  beforeAll(async () => {
    store = await kind.start();
    core = openCore(store.client, 'gr');
    commands = new CommandBatcher(core.scripts, core.redisKeys);
    const client = clocked(store.client, () => model.current.nowMs);
    timed = new Scripts(client);
    reader = createReader(client);
    writers = [0, 1, 2].map(() => createWriter(clocked(store.connect(), () => model.current.nowMs)));
  });
  afterAll(() => store.stop());

  it("a bot of several processes gets the results of the model, and the guild shows the model's members and counters, even beside a running count", async () => {
    await fc.assert(
      fc.asyncProperty(botSteps, fc.boolean(), offsets, async (steps, isCounted, offset) => {
        const guild = `g${guilds++}`;
        model.current = new GuildModel();
        if (offset !== undefined) {
          model.current.boards = new BoardsModel(offset, model.current.nowMs);
          const config = { boards: 'week,month', utc_offset_minutes: String(offset) };
          await configureScript.run(timed, core.redisKeys.guild(guild), config);
        }
        // A count of the members that has begun and waits: the scripts have to keep its sums exact.
        const keys = core.redisKeys.guild(guild);
        const { stats } = keys;
        const stepCount = () => stepCountScript.run(timed, keys, { token: 'token', size: 1 });
        // However far the clock is set, the count waits for its next step less than the minute after which it is given up.
        const keepCount = async () => {
          const [token, curve, , ...rest] = ((await store.client.hget(stats, 'recount')) ?? '').split(' ');
          const seen = Math.floor(model.current.nowMs / 1000);
          if (curve) await store.client.hset(stats, 'recount', [token, curve, seen, ...rest].join(' '));
        };
        // The first step of the count passes one of them, and ends before the other.
        for (const [userId, add] of [['first', 500] as const, ['last', 5] as const]) {
          await (writers[0] as Writer).record(guild, { userId, add });
          model.current.gain(userId, add);
        }
        if (isCounted) {
          await beginCountScript.run(timed, keys, { token: 'token', curve: '' });
          expect((await stepCount()).status).toBe('OK');
        }
        const season = new RunningSeason(guild, model, store);
        for (const [index, step] of steps.entries()) {
          // The model of the boards knows no clock that goes back.
          if (offset !== undefined && step.kind === 'clock' && step.ms < 0) continue;
          if (step.kind !== 'season') await apply(writers[index % 3] as Writer, guild, model.current, step);
          // ioredis-mock lists no members of a sorted set in steps.
          else if (kind === realStore) await season.go(step);
          if (step.kind === 'remove') season.forget(step.userIds);
          if (step.kind === 'clock') await keepCount();
        }
        await season.finish();
        await expectGuild(guild, model.current);
        await expectBoards(guild, model.current);
        for (const [archive, members] of season.archives) await expectGuild(archive, members);
        if (isCounted) {
          let counted = await stepCount();
          while (counted.status === 'OK') counted = await stepCount();
          const read = await readCountScript.run(timed, keys, { firstRank: 0, curve: '', size: 100 });
          expect({ ...counted, revision: read.revision, at: read.at }).toEqual({ ...read, status: 'DONE' });
        }
        const check = await core.counters.check(guild);
        expect(check.stored).toEqual(check.actual);
      }),
      { numRuns: randomRuns(kind === realStore ? 300 : 9) },
    );
  });

  async function expectBoards(guild: string, naive: GuildModel): Promise<void> {
    for (const board of BOARDS) {
      const ranking = naive.board(board);
      const page = await reader.page(guild, 1, 50, { board });
      const levels = ranking.map(([id]) => naive.levelOf(naive.members.get(id) as ModelMember));
      expect(page.data.map(({ userId, xp, level }) => [userId, xp, level])).toEqual(
        ranking.map(([id, xp], index) => [id, xp, levels[index]]),
      );
      expect(page.total).toBe(ranking.length);
      const levelSum = levels.reduce((sum, level) => sum + level, 0);
      expect(await reader.stats(guild, { board })).toMatchObject({
        totalMembers: ranking.length,
        totalXp: ranking.reduce((sum, [, xp]) => sum + BigInt(xp), 0n),
        averageLevel: ranking.length && Math.round(levelSum / ranking.length),
      });
      for (const id of ['first', '1']) {
        const rank = ranking.findIndex(([other]) => other === id) + 1;
        expect((await reader.member(guild, id, { board }))?.rank ?? 0).toBe(rank);
        expect(
          (await reader.around(guild, id, 1, { board }))?.data.find(({ userId }) => userId === id)?.rank ?? 0,
        ).toBe(rank);
      }
    }
  }

  async function expectGuild(guild: string, naive: GuildModel): Promise<void> {
    const ranking = naive.ranking();
    const page = (await commands.read(new PageCommand(guild, 1, 50))).value;
    expect([page.total, ...page.data.map(({ user_id }) => user_id)]).toEqual([ranking.length, ...ranking]);
    const ranked = ranking.map((id) => naive.members.get(id) as NonNullable<ReturnType<typeof naive.members.get>>);
    const counted = ranked.filter(({ xp }) => xp > 0);
    expect((await commands.read(new StatsCommand(guild))).value).toMatchObject({
      total_members: counted.length,
      total_xp: counted.reduce((sum, { xp }) => sum + BigInt(xp), 0n),
    });
    for (const [id, member] of naive.members) {
      const { value } = await commands.read(new MemberCommand(guild, id));
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
    expect(await store.client.hgetall(`gr:{${guild}}:hidden:reasons`)).toEqual(naive.storedReasons());
    const hidden = [...naive.members.values()].filter((member) => member.hidden).length;
    expect(Number((await store.client.hget(`gr:{${guild}}:stats`, 'hidden')) ?? 0)).toBe(hidden);
  }
});

interface Season {
  readonly options: SeasonOptions;
  readonly model: SeasonModel;
}

/** Ends seasons of a guild one script call at a time, between the calls of others. Some runs are killed, and the next one goes on. */
class RunningSeason {
  /** What the archives must have. */
  readonly archives = new Map<string, GuildModel>();
  private work: Promise<unknown> | undefined;
  /** The season that is not done. */
  private season: Season | undefined;
  private client: SteppedClient | undefined;

  constructor(
    private readonly guild: string,
    private readonly model: { readonly current: GuildModel },
    private readonly store: TestStore,
  ) {}

  async go({ calls, keepMembers, isKilled }: Extract<BotStep, { kind: 'season' }>): Promise<void> {
    this.season ??= this.begin(keepMembers);
    if (!this.work) this.run(this.season);
    for (let n = 0; n < calls && this.work; n++) await this.client?.step(this.work);
    if (!isKilled || !this.work) return;
    await this.client?.kill(this.work);
    this.work = undefined;
    // They would expire after ten seconds.
    // A host with several servers may keep the guilds apart.
    for (const guild of [this.guild, ...this.archives.keys()])
      await this.store.client.del(`gr:{${guild}}:next:xp:lock`);
  }

  forget(userIds: readonly string[]): void {
    this.season?.model.forget(userIds);
  }

  async finish(): Promise<void> {
    if (this.season && !this.work) this.run(this.season);
    while (this.work) await this.client?.step(this.work);
  }

  private begin(keepMembers: boolean): Season {
    const archiveAs = `${this.guild}.s${this.archives.size}`;
    const members = new GuildModel();
    this.archives.set(archiveAs, members);
    const model = new SeasonModel(this.model.current, members, keepMembers);
    return { options: { archiveAs, keepMembers }, model };
  }

  private run({ options, model }: Season): void {
    this.client = new SteppedClient(
      clocked(this.store.client, () => this.model.current.nowMs),
      model,
    );
    this.work = createWriter(this.client)
      .resetSeason(this.guild, options)
      .then(() => {
        this.work = undefined;
        this.season = undefined;
      });
  }
}

async function apply(
  writer: Writer,
  guild: string,
  model: GuildModel,
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
      else await expect(writer.recordMany(guild, step.records)).rejects.toBeInstanceOf(RefusedError);
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
    default: {
      const { kind, userIds, reason } = step;
      const options = reason === undefined ? undefined : { reason };
      expect(await writer[kind](guild, userIds, options)).toEqual(model.move(userIds, kind, reason));
    }
  }
}
