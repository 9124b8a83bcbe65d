import type { Redis } from 'ioredis';
import { Redis as Client } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { parseConfig } from '../../src/config/service.ts';
import { openCore } from '../../src/core/core.ts';
import { connect } from '../../src/core/store/connection.ts';
import { waitUntilReady } from '../../src/core/store/lifecycle.ts';
import { startCluster } from '../support/cluster.ts';
import { type ContextOptions, type RunningCommand, runCommand, startCommand } from '../support/command.ts';
import { needs } from '../support/needs.ts';
import { redisForTest } from '../support/stores.ts';
import { withHalfMovedSlot, withoutSlotsOf } from './cluster-states.ts';
import { STATE_OPTIONS, states } from './redis-states.ts';
import { contentOf } from './script-calls.ts';

/** Every command, by its name and its arguments. Each has a guild of its own, so that all can run at once. */
const commands = (guild: (n: number) => string, keyId: (n: number) => string): [string, string[]][] => [
  ['keys', ['create', '--guild', guild(0)]],
  ['keys', ['list', '--guild', guild(1)]],
  ['keys', ['rotate', '--guild', guild(2), keyId(2)]],
  ['keys', ['revoke', '--guild', guild(3), keyId(3)]],
  ['guild', ['set', '--guild', guild(4), '--plan', 'pro']],
  ['guild', ['set', '--guild', guild(5), '--xp-curve', 'lurkr']],
  ['guild', ['show', '--guild', guild(6)]],
  ['guild', ['delete', '--guild', guild(7), '--yes']],
  ['stats', ['check', '--guild', guild(8)]],
  ['stats', ['rebuild', '--guild', guild(9)]],
  ['seed', ['--guild', guild(10), '--generate', '10']],
  ['seed', ['--guild', guild(11), '--generate', '10', '--replace']],
  ['member', ['hide', '--guild', guild(12), 'a']],
  ['export', ['--guild', guild(13)]],
];
const GUILDS = 14;
/** Such a Redis never lets a command in. */
const SOON = { connectTimeoutMs: 5000 };

/** Makes a guild for every command. @returns the commands, and the environment without the address of Redis. */
async function commandsOn(env: Record<string, string>, oneGuild = false) {
  const client = connect({ ...parseConfig(env).redis, timeoutMs: 5000 });
  client.on('error', () => {});
  onTestFinished(() => client.disconnect());
  await waitUntilReady(client, 10_000, () => {});
  const store = openCore(client, 'gr');
  const guildOf = (n: number) => (oneGuild ? 'g' : `g${n}`);
  const keyIds: string[] = [];
  for (let n = 0; n < GUILDS; n++) {
    await store.writer.record(guildOf(n), { userId: 'a', set: 5, username: 'A' });
    keyIds.push((await store.apiKeys.create(guildOf(n), 'test', null)).record.id);
  }
  return commands(guildOf, (n) => keyIds[n] as string);
}

/** Runs commands at once, and expects that each ends with 1 and one line on stderr that matches, and changes nothing. */
async function expectRefusals(
  all: readonly [string, string[]][],
  { env, servers, line }: { env: Record<string, string>; servers: readonly Redis[]; line: RegExp },
  during: (work: () => Promise<unknown>) => Promise<unknown>,
  options: ContextOptions = {},
): Promise<void> {
  const before = await contentWithoutLocks(servers);
  const results: unknown[] = [];
  await during(async () => {
    await Promise.all(all.map(async ([name, args]) => results.push(await runCommand(name, args, env, options))));
  });
  const refused = {
    code: 1,
    stdout: expect.stringMatching(/^(guild g: nothing was (imported|replaced)\n)?$/),
    stderr: expect.stringMatching(line),
  };
  expect(results).toEqual(all.map(() => expect.objectContaining(refused)));
  expect(await contentWithoutLocks(servers)).toEqual(before);
}

/** A deletion or a replacement that is refused leaves its lock, which ends by itself. */
async function contentWithoutLocks(servers: readonly Redis[]): Promise<Record<string, string>> {
  const content = Object.entries(await contentOf(servers));
  return Object.fromEntries(content.filter(([key]) => !key.endsWith(':lock')));
}

const REFUSED = {
  BUSY: /^error: Cannot use the Redis at .*: BUSY .*end it with SCRIPT KILL\.\n$/,
  MASTERDOWN: /^error: Cannot use the Redis at .*: MASTERDOWN .*bring the master back\.\n$/,
};

// They wait for the Redis at once.
it('every command ends with exit code 1 and names BUSY and MASTERDOWN', needs('redis-server'), async () => {
  const refuse = async ([code, line]: [string, RegExp]) => {
    const { url, client } = await redisForTest(...STATE_OPTIONS);
    const other = new Client(url);
    onTestFinished(() => other.disconnect());
    const env = { REDIS_URL: url };
    const all = await commandsOn(env);
    const during = (work: () => Promise<unknown>) => states[code]?.(client, other, work) ?? work();
    await expectRefusals(all, { env, servers: [client], line }, during, SOON);
  };
  await Promise.all(Object.entries(REFUSED).map(refuse));
});

it('every command waits while Redis is LOADING, says so, and is done afterwards', needs('redis-server'), async () => {
  const { url, client } = await redisForTest(...STATE_OPTIONS);
  const other = new Client(url);
  onTestFinished(() => other.disconnect());
  const all = await commandsOn({ REDIS_URL: url });
  const waiting: RunningCommand[] = [];
  await states.LOADING?.(client, other, async () => {
    for (const [name, args] of all) waiting.push(startCommand(name, args, { env: { REDIS_URL: url }, input: '' }));
    await Promise.all(waiting.map((each) => each.waitForOutput(/^waiting for the Redis at .*: LOADING .*\n$/)));
  });
  for (const [n, each] of waiting.entries()) {
    expect([all[n], await each.ended]).toEqual([all[n], expect.objectContaining({ code: 0 })]);
  }
  expect(await client.zcard('gr:{g11}:xp')).toBe(10);
  expect(await client.exists('gr:{g7}:xp')).toBe(0);
});

it(
  'every command names CLUSTERDOWN, TRYAGAIN and MOVED, and ends with exit code 1',
  needs('redis-server'),
  async () => {
    const cluster = await startCluster();
    onTestFinished(cluster.stop);
    const env = { REDIS_MODE: 'cluster', REDIS_NODES: cluster.addresses };
    const servers = cluster.nodes.map(({ admin }) => admin);
    const all = await commandsOn(env, true);
    const down = /^error: Redis refused: CLUSTERDOWN .*look at CLUSTER INFO.*\n$/;
    await expectRefusals(all, { env, servers, line: down }, (work) => withoutSlotsOf(cluster, ['{g}'], work));

    // The API keys of a guild are read one key at a time, which a moving slot allows.
    const locking = all.filter(([, args]) => args.includes('--yes') || args.includes('--replace'));
    const several = all.filter(([name, args]) => name !== 'keys' && !locking.some((each) => each[1] === args));
    const again = /^error: Redis refused: (TRYAGAIN|MOVED|ASK) .*try again when.*\n$/;
    const owner = await cluster.masterOf('{g}');
    for (const some of [several, ...locking.map((each) => [each])]) {
      await expectRefusals(some, { env, servers, line: again }, (work) =>
        withHalfMovedSlot(cluster, ['gr:{g}:stats'], work),
      );
      await owner.admin.del('gr:{g}:next:xp:lock');
    }

    const stranger = cluster.nodes.find((node) => node !== owner);
    const alone = { REDIS_URL: `redis://127.0.0.1:${stranger?.port}` };
    const moved = /^error: Redis refused: MOVED .*set REDIS_MODE=cluster.*\n$/;
    await expectRefusals(all, { env: alone, servers, line: moved }, (work) => work());
  },
);
