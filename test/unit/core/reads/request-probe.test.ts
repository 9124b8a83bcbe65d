import keySlot from 'cluster-key-slot';
import { describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../../../src/core/errors.ts';
import { CommandBatcher } from '../../../../src/core/reads/command-batcher.ts';
import { probeRequests, requestProbe } from '../../../../src/core/reads/request-probe.ts';
import type { RedisClient } from '../../../../src/core/store/client.ts';
import { RedisKeys } from '../../../../src/core/store/redis-keys.ts';
import type { Scripts } from '../../../../src/core/store/scripts.ts';

/** The first slot of the upper half of a Cluster's slots. */
const UPPER_HALF = 8192;

interface ProbedRedis {
  readonly isCluster?: boolean;
  /** Returns the reply to a script that names these guilds. */
  readonly answer?: (guilds: readonly string[]) => unknown;
  readonly status?: 'connect' | 'ready';
  readonly info?: string;
  readonly role?: 'master' | 'slave';
}

/** A connection to a Redis that answers as told, and the scripts that were sent on this connection. */
function setup({
  isCluster = false,
  answer = (guilds) => guilds.map(() => 'OK'),
  status = 'ready',
  info = 'loading:0\r\n',
  role = 'master',
}: ProbedRedis = {}) {
  const sent: { guilds: string[]; lines: string }[] = [];
  const run = async (_script: unknown, keys: readonly string[], lines: string) => {
    const guilds = [...new Set(keys.map((key) => /\{(.*)\}/.exec(key)?.[1] ?? ''))];
    sent.push({ guilds, lines });
    return answer(guilds);
  };
  const disconnected: boolean[] = [];
  const client = {
    isCluster,
    status,
    info: async () => info,
    role: async () => [role],
    disconnect: (again: boolean) => disconnected.push(again),
  } as unknown as RedisClient;
  const commands = new CommandBatcher({ run } as unknown as Scripts, new RedisKeys('gr'), { client });
  return { client, commands, disconnected, sent };
}

describe('a probe of requests', () => {
  it('a probe sends one Redis command, for guilds in different halves of all slots', async () => {
    const { client, commands, sent } = setup();
    await probeRequests(client, commands);
    expect(sent).toEqual([{ guilds: ['~ready0', '~ready2'], lines: 'probe\nguild 6\nprobe\n' }]);
    expect(sent[0]?.guilds.map((guild) => keySlot(guild) >= UPPER_HALF)).toEqual([true, false]);
  });

  it('a probe of a host with several servers sends a Redis command for each of 16 guilds, and succeeds with one reply', async () => {
    const { client, commands, sent } = setup({
      isCluster: true,
      answer: ([guild]) => {
        if (guild !== '~ready9') throw new StoreUnavailableError(new Error('CLUSTERDOWN'));
        return ['OK'];
      },
    });
    await probeRequests(client, commands);
    expect(sent.map(({ guilds }) => guilds)).toEqual(Array.from({ length: 16 }, (_, n) => [`~ready${n}`]));
  });

  it('a probe fails with the reason of the first guild when no guild gets a reply', async () => {
    const { client, commands } = setup({ answer: () => [['OOM command not allowed'], ['READONLY']] });
    await expect(probeRequests(client, commands)).rejects.toMatchObject({ reason: 'OOM command not allowed' });
  });

  it('a probe that fails while Redis loads its data says so, although the failed command says less', async () => {
    const answer = () => {
      throw new StoreUnavailableError(new Error('ETIMEDOUT'));
    };
    const loading = setup({ answer, status: 'connect', info: 'loading:1\r\n' });
    await expect(probeRequests(loading.client, loading.commands)).rejects.toMatchObject({
      name: 'StoreUnavailableError',
      reason: 'LOADING Redis is loading the dataset in memory',
    });
    const idle = setup({ answer, status: 'connect' });
    await expect(probeRequests(idle.client, idle.commands)).rejects.toMatchObject({ reason: 'ETIMEDOUT' });
  });

  it('a probe of the service also fails on a replica, whose reads are stale, and connects anew', async () => {
    const { client, commands, disconnected, sent } = setup({ role: 'slave' });
    await expect(requestProbe(client, commands)()).rejects.toMatchObject({ code: 'READONLY' });
    expect(disconnected).toEqual([true]);
    expect(sent).toHaveLength(1);
  });

  it('a probe of the service succeeds on a master that answers', async () => {
    const { client, commands, disconnected, sent } = setup();
    await requestProbe(client, commands)();
    expect(disconnected).toEqual([]);
    expect(sent).toHaveLength(1);
  });
});
