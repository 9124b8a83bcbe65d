import { Agent } from 'node:http';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config/service.ts';
import { hashKey } from '../../src/core/access/key-format.ts';
import { type Core, openCore } from '../../src/core/core.ts';
import { StoreUnavailableError } from '../../src/core/errors.ts';
import { CommandBatcher } from '../../src/core/reads/command-batcher.ts';
import { MemberCommand, PageCommand } from '../../src/core/reads/read-commands.ts';
import { connect } from '../../src/core/store/connection.ts';
import { BOARDS } from '../../src/core/store/redis-keys.ts';
import { scriptNames } from '../../src/core/store/scripts.ts';
import { startCluster, type TestCluster } from '../support/cluster.ts';
import { untilConnected } from '../support/connected.ts';
import { guildOn, type TestGuild } from '../support/guild.ts';
import { ask } from '../support/load.ts';
import { needs } from '../support/needs.ts';
import { LONG_REDIS_TIMEOUT, type ServiceProcess, startServiceProcess } from '../support/process.ts';
import { whenServed } from '../support/wait.ts';
import { withHalfMovedSlot, withoutSlotsOf } from './cluster-states.ts';
import { callsOn, contentOf, expectRefusals, GUILD, GUILD_KINDS, type GuildKind, prepare } from './script-calls.ts';

/** No answer takes longer, whatever the Cluster says: it ends long before the time limit does. The timed suites judge the promised 300 ms. */
const BOUND_MS = Number(LONG_REDIS_TIMEOUT.REDIS_TIMEOUT_MS) - 1000;

describe('a Cluster', needs('redis-server'), () => {
  let cluster: TestCluster;
  let core: Core;
  let env: Record<string, string>;
  let servers: readonly Redis[];

  beforeAll(async () => {
    cluster = await startCluster();
    env = { REDIS_MODE: 'cluster', REDIS_NODES: cluster.addresses };
    servers = cluster.nodes.map(({ admin }) => admin);
    const client = connect({ ...parseConfig(env).redis, timeoutMs: 5000 });
    await untilConnected(client);
    core = openCore(client, 'gr');
  });
  afterAll(async () => {
    core?.client.disconnect();
    await cluster?.stop();
  });

  const callsOf = async (kind?: GuildKind) => callsOn(core, await prepare(core, servers, kind));

  it('a Cluster that serves no slot for a script refuses it with CLUSTERDOWN, and changes nothing, whichever script it is', async () => {
    const during = (work: () => Promise<unknown>) => withoutSlotsOf(cluster, ['{g}'], work);
    await expectRefusals(servers, await callsOf(), 'CLUSTERDOWN', during);
  });

  it.each(GUILD_KINDS)(
    'a Cluster that moves half of the keys of a guild %s refuses with TRYAGAIN, and changes nothing',
    async (kind) => {
      const moved = ['gr:{g}:stats', 'gr:{g}:next:xp:lock'] as const;
      const during = (work: () => Promise<unknown>) => withHalfMovedSlot(cluster, [...moved], work);
      // ioredis asks a random node next, which can answer MOVED, or ASK for keys that the node has no more, or never had.
      const refusals = await expectRefusals(servers, await callsOf(kind), /^(TRYAGAIN|MOVED|ASK)$/, during);
      expect(refusals.map(({ code }) => code)).toContain('TRYAGAIN');
    },
  );

  it.each(['gr:{g}:stats', 'gr:{g}:xp', 'gr:{g}~week:xp', 'gr:{g}~week.prev:xp', 'gr:{g}~month:xp'])(
    'a Cluster that moves %s refuses to read a board, or shows it as it is',
    async (moved) => {
      await prepare(core, servers, 'with boards');
      await core.writer.recordMany(GUILD, [{ userId: 'c', add: 9 }]);
      const read = async () => {
        const { client, scripts, redisKeys } = core;
        const commands = new CommandBatcher(scripts, redisKeys, { client });
        const all = BOARDS.flatMap((board) => [
          new PageCommand(GUILD, 1, 10, board),
          new MemberCommand(GUILD, 'a', board),
        ]);
        return Promise.all(all.map((each) => commands.read<{ value: unknown }>(each).catch((error: Error) => error)));
      };
      const right = await read();
      expect(right.filter((answer) => answer instanceof Error)).toEqual([]);
      await withHalfMovedSlot(cluster, [moved], async () => {
        for (let time = 0; time < 5; time++) {
          const answers = await read();
          answers.forEach((answer, index) => {
            if (answer instanceof StoreUnavailableError) expect(answer.code).toMatch(/^(TRYAGAIN|MOVED|ASK)$/);
            else expect(answer).toEqual(right[index]);
          });
        }
      });
      expect(await read()).toEqual(right);
    },
  );

  it('a Cluster refuses a script with keys of two guilds with CROSSSLOT, and changes nothing, whichever script it is', async () => {
    await prepare(core, servers);
    const keys = ['gr:{g}:xp', 'gr:{other}:stats', 'gr:{g}:config'];
    const calls = scriptNames().map((name) => ({
      name,
      run: () => core.scripts.run({ name }, keys, 'x', 'y', 'z'),
    }));
    await expectRefusals(servers, calls, 'CROSSSLOT');
  });

  describe('a Cluster that has lost slots', () => {
    let lost: TestGuild;
    let kept: TestGuild;
    let slots: readonly string[];
    const agent = new Agent();

    beforeAll(async () => {
      lost = await guildOn(env, 'lost');
      slots = ['{lost}', `gr:key:${hashKey(lost.key)}`];
      const slotOf = (key: string) => servers[0]?.call('CLUSTER', 'KEYSLOT', key);
      const gone = await Promise.all(slots.map(slotOf));
      kept = await guildOn(env, 'kept', async (recordKey) => !gone.includes(await slotOf(recordKey)));
    });
    afterAll(() => {
      for (const guild of [lost, kept]) guild?.close();
      agent.destroy();
    });

    const answers = (service: ServiceProcess, { paths, headers }: TestGuild) =>
      Promise.all(paths.map((path) => ask(agent, service.url, path, headers)));
    /** Expects right answers, as soon as the service has its connections to the nodes. */
    const expectServed = async (service: ServiceProcess, { paths, headers, wrong }: TestGuild) => {
      for (const path of paths) {
        const answer = await whenServed(() => ask(agent, service.url, path, headers));
        expect([answer.status, wrong(answer)]).toEqual([200, undefined]);
      }
    };
    /** Expects 503 for the guild without slots, 200 for the other, and no line about a fault of the service itself. */
    const expectOutage = async (service: ServiceProcess) => {
      await expectServed(service, kept);
      // While it starts it can meet nodes that do not yet agree.
      const linesOfStart = service.lines().length;
      for (const { status, took, body, headers } of await answers(service, lost)) {
        expect([status, JSON.parse(body).code]).toEqual([503, 'store_unavailable']);
        expect(headers['retry-after']).toMatch(/^[1-9]/);
        expect(took).toBeLessThan(BOUND_MS);
      }
      await expectServed(service, kept);
      const reasons = service
        .lines()
        .slice(linesOfStart)
        .flatMap(({ reason }) => (reason ? [String(reason)] : []));
      expect(reasons.filter((reason) => !/CLUSTERDOWN|no reply within/.test(reason)).join('\n')).toBe('');
      expect(service.lines().filter(({ msg }) => msg === 'request failed')).toEqual([]);
    };
    it.each([
      ['before', 'key is cached'],
      ['before', 'key is not cached'],
      ['while', 'key is not cached'],
    ])(
      'guilds in lost slots get 503, if the service started %s the slots were lost, and the %s',
      async (start, cache) => {
        const settings = { ...LONG_REDIS_TIMEOUT, ...env, ...lost.env, LOG_REQUESTS: 'errors' };
        const before = await contentOf(servers);
        let service: ServiceProcess | undefined;
        try {
          if (start === 'before') service = await startServiceProcess(settings);
          if (service && cache === 'key is cached') await expectServed(service, lost);
          await withoutSlotsOf(cluster, slots, async () => {
            service ??= await startServiceProcess(settings);
            await expectOutage(service);
          });
          await expectServed(service as ServiceProcess, lost);
          // Quotas apart, nothing has changed.
          const { 'gr:quota:{lost}': _lost, 'gr:quota:{kept}': _kept, ...rest } = await contentOf(servers);
          expect(Object.keys(before)).toEqual(expect.arrayContaining(Object.keys(rest)));
        } finally {
          await service?.stop();
        }
      },
    );
  });
});
