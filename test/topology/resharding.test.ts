import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startChild } from '../../scripts/dev/child-process.ts';
import { parseConfig } from '../../src/config/service.ts';
import { type Core, openCore } from '../../src/core/core.ts';
import { StoreUnavailableError } from '../../src/core/errors.ts';
import { CommandBatcher } from '../../src/core/reads/command-batcher.ts';
import { MemberCommand, PageCommand, StatsCommand } from '../../src/core/reads/read-commands.ts';
import { connect } from '../../src/core/store/connection.ts';
import { Scripts } from '../../src/core/store/scripts.ts';
import { timeLimit } from '../../src/core/store/timeouts.ts';
import { type ClusterNode, startCluster, type TestCluster } from '../support/cluster.ts';
import { untilConnected } from '../support/connected.ts';
import { recordFigure } from '../support/figures.ts';
import { guildOn, type TestGuild } from '../support/guild.ts';
import { startLoad } from '../support/load.ts';
import { needs } from '../support/needs.ts';
import { startServiceProcess } from '../support/process.ts';
import { MIGRATION_MS, PATIENT } from '../support/wait.ts';

/** RESHARD_ORDERS=100 and RESHARD_ANSWERS=10000 are the full length. */
const ORDERS = Number(process.env.RESHARD_ORDERS ?? 4);
const ANSWERS = Number(process.env.RESHARD_ANSWERS ?? 1000);
const RATE = 400;

/** A member as the test expects it. */
interface Expected {
  xp: number;
  readonly username: string | undefined;
}

describe('a Redis Cluster that moves a slot', needs('redis-server'), () => {
  let cluster: TestCluster;
  let store: Core;
  let commands: CommandBatcher;
  let moves = 0;

  beforeAll(async () => {
    cluster = await startCluster();
    const { redis } = parseConfig({ REDIS_MODE: 'cluster', REDIS_NODES: cluster.addresses });
    const client = connect({ ...redis, timeoutMs: 5000 });
    await untilConnected(client);
    store = openCore(client, 'gr');
    commands = new CommandBatcher(new Scripts(client, { limit: timeLimit(400) }), store.redisKeys, { client });
  });
  afterAll(async () => {
    store?.client.disconnect();
    await cluster?.stop();
  });

  /** Returns the result of a call, or "refused" when the store was not available. */
  const attempt = async <T>(call: Promise<T>): Promise<T | 'refused'> => {
    try {
      return await call;
    } catch (error) {
      if (error instanceof StoreUnavailableError) return 'refused';
      throw error;
    }
  };

  /** Repeats a call until the Cluster serves it, which a busy machine can delay. */
  const served = <T>(call: () => Promise<T>): Promise<T> => vi.waitFor(call, PATIENT);

  /** Moves the slot of a guild key by key, in the given order, and runs `check` before, between and after. */
  const moveByHand = async (key: string, order: readonly string[], check: () => Promise<void>): Promise<void> => {
    const source = await cluster.masterOf(key);
    const others = cluster.nodes.filter((node) => node !== source);
    const target = others[moves++ % others.length] as ClusterNode;
    const slot = (await source.admin.call('CLUSTER', 'KEYSLOT', key)) as number;
    await target.admin.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', source.id);
    await source.admin.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', target.id);
    const migrate = (name: string) =>
      source.admin.call('MIGRATE', '127.0.0.1', target.server.port, name, 0, MIGRATION_MS);
    for (const name of order) {
      await check();
      expect(['OK', 'NOKEY']).toContain(await migrate(name));
    }
    await check();
    // Keys that were made meanwhile.
    for (const name of (await source.admin.call('CLUSTER', 'GETKEYSINSLOT', slot, 1000)) as string[]) {
      expect(await migrate(name)).toBe('OK');
    }
    for (const node of [target, source, ...others])
      await node.admin.call('CLUSTER', 'SETSLOT', slot, 'NODE', target.id);
    await check();
  };

  const shuffled = (items: readonly string[], seed: number): string[] => {
    const keyed = items.map(
      (item, i) => [Math.imul(i + 1, 2_654_435_761) ^ Math.imul(seed + 1, 40_503), item] as const,
    );
    return keyed.sort(([a], [b]) => a - b).map(([, item]) => item);
  };

  it(`a Cluster that moves a slot answers right or not at all, and does writes wholly or not at all, in ${ORDERS} orders of its keys`, async () => {
    const seen = { right: 0, refused: 0, written: 0, writesRefused: 0 };
    for (let run = 0; run < ORDERS; run++) {
      const guild = `g${run}`;
      const members = new Map<string, Expected>(
        ['a', 'b', 'c'].map((id, n) => [id, { xp: 100 * (n + 1), username: id === 'b' ? undefined : `name ${id}` }]),
      );
      for (const [userId, { xp, username }] of members) {
        await store.writer.record(guild, { userId, set: xp, ...(username && { username }) });
      }
      // Half of the guilds have neither a config nor an open quota window, so calls name keys that exist nowhere.
      if (run % 2 === 0) {
        await store.guildConfig.update(guild, { xpMultiplier: 2 });
        await commands.run(guild, 'count 1 3600 1000', (reply) => reply);
      }
      const rows = () =>
        [...members]
          .sort(([a, x], [b, y]) => y.xp - x.xp || (a < b ? 1 : -1))
          .map(([user_id, { xp, username }], i) => ({ rank: i + 1, user_id, username: username ?? user_id, xp }));
      let cached = '';
      let revisionOfCached = -1;
      let changes = 0;

      const check = async (): Promise<void> => {
        const page = await attempt(commands.read(new PageCommand(guild, 1, 10), cached));
        if (page === 'refused') seen.refused++;
        else if (page === undefined) {
          expect(changes).toBe(revisionOfCached);
          seen.right++;
        } else {
          expect(page.value).toMatchObject({ data: rows(), total: members.size });
          seen.right++;
          cached = page.revision;
          revisionOfCached = changes;
        }
        const member = await attempt(commands.read(new MemberCommand(guild, 'a')));
        if (member === 'refused') seen.refused++;
        else {
          expect(member?.value).toMatchObject(rows().find(({ user_id }) => user_id === 'a') as object);
          seen.right++;
        }
        const stats = await attempt(commands.read(new StatsCommand(guild)));
        if (stats === 'refused') seen.refused++;
        else {
          const total = [...members.values()].reduce((sum, { xp }) => sum + BigInt(xp), 0n);
          expect(stats?.value).toMatchObject({ total_members: members.size, total_xp: total });
          seen.right++;
        }
        for (const userId of ['a', `new${seen.written + seen.writesRefused}`]) {
          const username = `name ${userId}`;
          const result = await attempt(store.writer.record(guild, { userId, add: 7, username }));
          if (result === 'refused') seen.writesRefused++;
          else {
            seen.written++;
            changes++;
            const xp = (members.get(userId)?.xp ?? 0) + 7;
            members.set(userId, { xp, username });
            expect(result.xp).toBe(xp);
          }
        }
        const removed = await attempt(store.writer.remove(guild, ['c']));
        if (removed === 1) {
          members.delete('c');
          changes++;
        }
      };
      const keys = ['xp', 'stats', 'config', 'member:a', 'member:b', 'member:c'].map((name) => `gr:{${guild}}:${name}`);
      // The two orders that gave wrong answers: the quota alone, and the counters before the ranking.
      const wrongOnce = [[`gr:quota:{${guild}}`], [`gr:{${guild}}:stats`]];
      const first = wrongOnce[run] ?? [];
      await moveByHand(`gr:{${guild}}:xp`, [...first, ...shuffled([...keys, `gr:quota:{${guild}}`], run)], check);
      expect((await served(() => store.counters.check(guild))).exact).toBe(true);
      expect((await served(() => commands.read(new PageCommand(guild, 1, 100)))).value).toMatchObject({
        data: rows(),
        total: members.size,
      });
    }
    // Each guild is answered for after its move; some are before it, while all their keys are in one place.
    expect(seen.right).toBeGreaterThan(3 * ORDERS);
    expect(seen.refused).toBeGreaterThan(0);
    expect(seen.written).toBeGreaterThan(0);
    recordFigure('slot moved key by key', { orders: ORDERS, ...seen, wrong: 0 });
  });

  it(`the service answers right or 503 while redis-cli reshards under load, and loses and repeats no write, over ${ANSWERS} answers`, {
    timeout: 180_000 + ANSWERS * 20,
  }, async () => {
    const env = { REDIS_MODE: 'cluster', REDIS_NODES: cluster.addresses };
    const guilds: TestGuild[] = [];
    const ids = await idsOfFirstSlots(cluster, 8);
    for (const id of ids.slice(0, 4)) guilds.push(await guildOn(env, id));
    const service = await startServiceProcess({ ...env, ...guilds[0]?.env });
    const written = new Map(ids.slice(4).map((id) => [id, 0]));
    let isOver = false;
    // A bot adds to guilds of its own in slots that move too, so that the content of the others is known.
    const bot = async (): Promise<void> => {
      while (!isOver) {
        for (const id of written.keys()) {
          const result = await attempt(store.writer.record(id, { userId: 'u', add: 1, username: 'U' }));
          if (result !== 'refused') written.set(id, (written.get(id) ?? 0) + 1);
        }
      }
    };
    const loads = guilds.map(({ headers, paths }) =>
      startLoad(service.url, { rate: RATE / guilds.length, headers, paths }),
    );
    const writing = bot();
    const answered = () => loads.reduce((sum, { answers }) => sum + answers.length, 0);
    let reshards = 0;
    while (answered() < ANSWERS) {
      const from = await cluster.masterOf(`{${ids[0]}}`);
      const others = cluster.nodes.filter((node) => node !== from);
      await reshardFirstSlots(cluster, from, others[reshards++ % others.length] as ClusterNode);
    }
    isOver = true;
    await writing;
    const answers = (await Promise.all(loads.map((load) => load.stop()))).map((all, n) => ({ all, guild: guilds[n] }));
    const counts = { 200: 0, 503: 0, wrong: 0 };
    for (const { all, guild } of answers) {
      for (const answer of all) {
        if (answer.status === 503) counts[503]++;
        else if (answer.status === 200 && guild?.wrong(answer) === undefined) counts[200]++;
        else counts.wrong++;
      }
    }
    await service.stop();
    for (const { close } of guilds) close();
    expect(counts.wrong).toBe(0);
    expect(counts[200]).toBeGreaterThan(0);
    for (const [id, writes] of written) {
      expect((await served(() => commands.read(new MemberCommand(id, 'u')))).value?.xp).toBe(writes);
      expect((await served(() => store.counters.check(id))).exact).toBe(true);
    }
    recordFigure('redis-cli reshard under load', { reshards, answers: answered(), ...counts });
  });
});

/** Slots that a call of redis-cli moves: the first ones of a node. */
const MOVED_SLOTS = 200;

/** Returns guild ids whose slots are among the first ones, which move with every reshard. */
async function idsOfFirstSlots({ nodes }: TestCluster, count: number): Promise<string[]> {
  const { admin } = nodes[0] as ClusterNode;
  const ids: string[] = [];
  for (let n = 0; ids.length < count; n++) {
    if (((await admin.call('CLUSTER', 'KEYSLOT', `load${n}`)) as number) < MOVED_SLOTS) ids.push(`load${n}`);
  }
  return ids;
}

/** Moves the first slots of one node to another by redis-cli. */
async function reshardFirstSlots({ nodes }: TestCluster, from: ClusterNode, to: ClusterNode): Promise<void> {
  const [first] = nodes as [ClusterNode];
  const ends = ['--cluster-from', from.id, '--cluster-to', to.id, '--cluster-slots', String(MOVED_SLOTS)];
  const args = ['--cluster', 'reshard', `127.0.0.1:${first.server.port}`, ...ends, '--cluster-yes'];
  const child = startChild('redis-cli', args);
  const { code } = await child.waitForEnd(120_000);
  expect(code, child.output()).toBe(0);
}
