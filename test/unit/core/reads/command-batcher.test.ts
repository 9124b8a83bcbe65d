import { describe, expect, it, vi } from 'vitest';
import { StoreUnavailableError } from '../../../../src/core/errors.ts';
import { batchScript, CommandBatcher } from '../../../../src/core/reads/command-batcher.ts';
import {
  PublicMemberCommand,
  PublicPageCommand,
  PublicRewardsCommand,
} from '../../../../src/core/reads/public-page.ts';
import { MemberCommand, PageCommand, StatsCommand } from '../../../../src/core/reads/read-commands.ts';
import type { RedisClient } from '../../../../src/core/store/client.ts';
import { RedisKeys } from '../../../../src/core/store/redis-keys.ts';
import type { Scripts } from '../../../../src/core/store/scripts.ts';

type Batch = [name: string, keys: readonly string[], jobs: string];

/** A batcher on a connection that answers a batch with its lines, or as told. */
function setup({
  isCluster = false,
  answer,
}: {
  isCluster?: boolean;
  answer?: (lines: string, keys: readonly string[]) => unknown;
} = {}) {
  const sent: Batch[] = [];
  const onSharded = vi.fn();
  const run = async (...batch: Batch) => {
    sent.push(batch);
    const [, keys, text] = batch;
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('guild '));
    return answer?.(text, keys) ?? lines.map((line) => `did ${line}`);
  };
  const client = { isCluster } as RedisClient;
  const batcher = new CommandBatcher({ run } as unknown as Scripts, new RedisKeys('gr'), { client, onSharded });
  /** Runs commands together. */
  const collect = <T>(...runs: (() => Promise<T>)[]) => {
    let results: Promise<T>[] = [];
    batcher.collect(() => {
      results = runs.map((run) => run());
    });
    return results;
  };
  return { batcher, sent, collect, onSharded };
}

/** The keys that a batch declares for a guild. */
const keysOf = (guild: string) => [
  `gr:quota:{${guild}}`,
  ...['xp', 'stats', 'config', 'members'].map((name) => `gr:{${guild}}:${name}`),
];

/** The keys of all boards of a guild. */
const boardKeysOf = (guild: string) =>
  ['week', 'week.prev', 'month', 'month.prev'].map((board) => `gr:{${guild}}~${board}:xp`);

const asIs = (reply: string) => reply;

/** A read of the guild "g" with this weight, whose result is its reply. */
const readOf = (line: string, weight: number) => ({
  ...{ guildId: 'g', line, weight, isOfBoard: false, isPublic: false },
  decode: (reply: unknown) => String(reply),
});

/** The keys that hold what the public pages of the guild "g" show beside its ranking. */
const PUBLIC_KEYS = ['gr:{g}:about', 'gr:{g}:avatars'];

describe('commands that are collected', () => {
  it('collected commands leave as one Redis command with the keys of each guild, and get their replies in order', async () => {
    const { batcher, sent, collect } = setup();
    const results = collect(
      () => batcher.run('g', 'count 1 3600', asIs),
      () => batcher.run('g', 'stats ', asIs),
      () => batcher.run('h', 'stats ', asIs),
      () => batcher.run('g', 'page 0 9 7', asIs),
    );
    const lines = 'count 1 3600\nstats \npage 0 9 7\nguild 6\nstats \n';
    expect(sent).toEqual([[batchScript, [...keysOf('g'), ...keysOf('h')], lines]]);
    expect(await Promise.all(results)).toEqual(['did count 1 3600', 'did stats ', 'did stats ', 'did page 0 9 7']);
  });

  it('collected commands leave as one Redis command for each guild in a Cluster', async () => {
    const { batcher, sent, collect } = setup({ isCluster: true });
    const run = (guild: string, command: string) => () => batcher.run(guild, command, asIs);
    await Promise.all(collect(run('g', 'a'), run('h', 'b'), run('g', 'c')));
    expect(sent).toEqual([
      [batchScript, keysOf('g'), 'a\nc\n'],
      [batchScript, keysOf('h'), 'b\n'],
    ]);
  });

  it('a Redis command declares the boards of a guild, and the counters of API keys with a cap, once each after the other keys', async () => {
    const { batcher, sent, collect } = setup();
    const run = (keyId: string) => () => batcher.run<unknown>('g', 'capped', asIs, keyId);
    const readBoard = () => batcher.read<unknown>(new StatsCommand('g', 'week'));
    await Promise.all(collect(run('k1'), readBoard, run('k2'), run('k1')));
    const keys = [...keysOf('g'), 'gr:quota:{g}:k1', 'gr:quota:{g}:k2', ...keysOf('g'), ...boardKeysOf('g')];
    expect(sent).toEqual([[batchScript, keys, 'capped\ncapped\ncapped\nguild 8\nstats~week \n']]);
  });

  it('commands of three guilds get their replies, however many commands each guild has', async () => {
    const { batcher, sent, collect } = setup();
    const run = (guild: string, command: string) => () => batcher.run(guild, command, asIs);
    const results = collect(run('g', 'a'), run('g', 'b'), run('h', 'c'), run('i', 'd'), run('i', 'e'), run('i', 'f'));
    expect(await Promise.all(results)).toEqual(['did a', 'did b', 'did c', 'did d', 'did e', 'did f']);
    expect(sent).toHaveLength(1);
  });

  it('commands on the boards of two guilds leave with the keys of both', async () => {
    const { batcher, sent, collect } = setup();
    const read = (guild: string) => () => batcher.read(new StatsCommand(guild, 'week'));
    await Promise.all(collect(read('g'), read('h')));
    const keys = [...keysOf('g'), ...boardKeysOf('g'), ...keysOf('h'), ...boardKeysOf('h')];
    expect(sent).toEqual([[batchScript, keys, 'stats~week \nguild 10\nstats~week \n']]);
  });

  it.each([
    [new PageCommand('g', 1, 10), []],
    [new MemberCommand('g', 'public.x'), []],
    [new MemberCommand('g', 'public.x', 'month'), boardKeysOf('g')],
    [new PublicPageCommand('g', 1, 10, undefined), PUBLIC_KEYS],
    [new PublicPageCommand('g', 1, 10, 'week', { withRewards: true }), [...boardKeysOf('g'), ...PUBLIC_KEYS]],
    [new PublicMemberCommand('g', 'public.x', 10, undefined), PUBLIC_KEYS],
    [new PublicMemberCommand('g', 'a', 10, 'week'), [...boardKeysOf('g'), ...PUBLIC_KEYS]],
    [new PublicRewardsCommand('g'), PUBLIC_KEYS],
  ])(
    'a Redis command declares the boards and what public pages show for the commands that read them alone: %j',
    async (command, further) => {
      const { batcher, sent } = setup();
      await Promise.allSettled([batcher.read<unknown>(command)]);
      expect(sent.map(([, keys]) => keys)).toEqual([[...keysOf('g'), ...further]]);
    },
  );

  it('a collection without commands sends nothing', () => {
    const { sent, collect } = setup();
    expect(collect()).toEqual([]);
    expect(sent).toEqual([]);
  });

  it('collected commands are cut into Redis commands of bounded weight', async () => {
    const { batcher, sent, collect } = setup();
    const weights = [400, 100, 1, 499, 500, 900, 1];
    const results = collect(...weights.map((weight, i) => () => batcher.read(readOf(`j${i}`, weight))));
    expect(await Promise.all(results)).toEqual(weights.map((_, i) => `did j${i} `));
    expect(sent.map(([, , text]) => text)).toEqual(['j0 \nj1 \n', 'j2 \nj3 \n', 'j4 \n', 'j5 \n', 'j6 \n']);
  });

  it('collected commands leave even when collecting fails halfway, and the next commands are not held back', async () => {
    const { batcher, sent } = setup();
    let first: Promise<string> | undefined;
    const halfway = () =>
      batcher.collect(() => {
        first = batcher.run('g', 'a', asIs);
        throw new Error('halfway');
      });
    expect(halfway).toThrow('halfway');
    expect(await first).toBe('did a');
    await batcher.run('g', 'b', asIs);
    expect(sent).toHaveLength(2);
  });
});

it('a command outside of a collection leaves at once, alone', async () => {
  const { batcher, sent } = setup();
  const results = [batcher.run('g', 'a', asIs), batcher.run('g', 'b', asIs)];
  expect(sent.map(([, , text]) => text)).toEqual(['a\n', 'b\n']);
  expect(await Promise.all(results)).toEqual(['did a', 'did b']);
});

describe('a failure', () => {
  it('a failure of the Redis command fails every command of it', async () => {
    const { batcher, collect } = setup({
      answer: () => {
        throw new StoreUnavailableError(new Error('down'));
      },
    });
    const results = collect(
      () => batcher.run('g', 'a', asIs),
      () => batcher.run('h', 'b', asIs),
    );
    for (const outcome of await Promise.allSettled(results)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailableError) });
    }
  });

  it('failed commands of several guilds are not sent again, unless they failed because their keys are in several slots', async () => {
    for (const failure of [new StoreUnavailableError(new Error('ETIMEDOUT')), new Error('unknown')]) {
      const { batcher, sent, collect, onSharded } = setup({
        answer: () => {
          throw failure;
        },
      });
      const results = collect(...['g', 'h'].map((guild) => () => batcher.run(guild, 'count 1', asIs)));
      for (const { reason } of (await Promise.allSettled(results)) as PromiseRejectedResult[])
        expect(reason).toBe(failure);
      expect(sent).toHaveLength(1);
      expect(batcher.isSharded).toBe(false);
      expect(onSharded).not.toHaveBeenCalled();
    }
  });

  it('a failure of one command fails that command alone, and says why', async () => {
    const { batcher, collect } = setup({ answer: () => ['fine', ['WRONGTYPE what is held'], 'fine'] });
    const results = collect(...['a', 'b', 'c'].map((command) => () => batcher.run('g', command, asIs)));
    const [a, b, c] = await Promise.allSettled(results);
    expect([a, c]).toEqual(Array(2).fill({ status: 'fulfilled', value: 'fine' }));
    expect(b).toMatchObject({ reason: expect.any(StoreUnavailableError) });
    expect((b as PromiseRejectedResult).reason.reason).toBe('WRONGTYPE what is held');
  });

  it('a failure is told from a reply that is a list', async () => {
    const { batcher } = setup({ answer: () => [['7', -1]] });
    expect(await batcher.run('g', 'member a ', (reply: readonly [unknown, unknown]) => reply)).toEqual(['7', -1]);
  });

  it('a command without a reply fails', async () => {
    const { batcher, collect } = setup({ answer: () => ['fine'] });
    const results = collect(...['a', 'b'].map((command) => () => batcher.run('g', command, asIs)));
    const outcomes = await Promise.allSettled(results);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect((outcomes[1] as PromiseRejectedResult).reason).toMatchObject({
      reason: 'the batch has no reply for the command',
    });
  });
});

describe('a host that keeps guilds on several servers behind one address', () => {
  const refusal = "CROSSSLOT Keys in request don't hash to the same slot";
  const shards = (_lines: string, keys: readonly string[]) => {
    if (new Set(keys.map((key) => /\{.*\}/.exec(key)?.[0])).size > 1)
      throw new StoreUnavailableError(new Error(refusal));
  };

  it('commands that a host with several servers refused are sent again, for each guild alone', async () => {
    const { batcher, sent, collect, onSharded } = setup({ answer: shards });
    const results = collect(...['g', 'h'].map((guild) => () => batcher.run(guild, 'count 1', asIs)));
    expect(await Promise.all(results)).toEqual(['did count 1', 'did count 1']);
    expect(sent.slice(1).map(([, keys]) => keys)).toEqual([keysOf('g'), keysOf('h')]);
    expect(batcher.isSharded).toBe(true);
    expect(onSharded).toHaveBeenCalledTimes(1);
  });

  it('later commands to such a host leave for each guild alone from the start', async () => {
    const { batcher, sent, collect, onSharded } = setup({ answer: shards });
    const both = () => Promise.all(collect(...['g', 'h'].map((guild) => () => batcher.run(guild, 'stats ', asIs))));
    await both();
    sent.length = 0;
    await both();
    expect(sent.map(([, keys]) => keys)).toEqual([keysOf('g'), keysOf('h')]);
    expect(onSharded).toHaveBeenCalledTimes(1);
  });

  it('a host with several servers is reported once, although it refuses several Redis commands at a time', async () => {
    const { batcher, collect, onSharded } = setup({ answer: shards });
    const both = () => collect(...['g', 'h'].map((guild) => () => batcher.run(guild, 'stats ', asIs)));
    expect(await Promise.all([...both(), ...both()])).toEqual(Array(4).fill('did stats '));
    expect(onSharded).toHaveBeenCalledTimes(1);
  });

  it('a failed server of such a host fails the commands of its guild alone', async () => {
    const { batcher, collect } = setup({
      answer: (lines, keys) => {
        shards(lines, keys);
        if (keys.includes('gr:{h}:xp')) throw new StoreUnavailableError(new Error('LOADING'));
      },
    });
    const outcomes = await Promise.allSettled(collect(...['g', 'h'].map((g) => () => batcher.run(g, 'a', asIs))));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });
});
