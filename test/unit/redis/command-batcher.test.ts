import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../../src/errors.ts';
import { CommandBatcher, fields } from '../../../src/redis/command-batcher.ts';
import type { RedisClient, Scripts } from '../../../src/redis/commands.ts';
import { RedisKeys } from '../../../src/redis/redis-keys.ts';

type Batch = [name: string, key: string, jobs: string];

/** Jobs on a connection that answers a batch with its lines, or as told. */
function setup({ isCluster = false, answer }: { isCluster?: boolean; answer?: (jobs: string) => unknown } = {}) {
  const sent: Batch[] = [];
  const run = async (...batch: Batch) => {
    sent.push(batch);
    const lines = batch[2].split('\n').filter((line) => line !== '' && !line.startsWith('guild '));
    return answer ? answer(batch[2]) : lines.map((line) => `did ${line}`);
  };
  const jobs = new CommandBatcher({ isCluster } as RedisClient, { run } as unknown as Scripts, new RedisKeys('gr'));
  return { jobs, sent };
}

const asIs = (reply: string) => reply;

describe('jobs asked for in one turn', () => {
  it('leave as one command and get their replies in order', async () => {
    const { jobs, sent } = setup();
    const replies = await Promise.all([
      jobs.run('g', 'count 1 3600', asIs),
      jobs.run('g', 'stats ', asIs),
      jobs.run('h', 'stats ', asIs),
      jobs.run('g', 'page 0 9 7', asIs),
    ]);
    expect(sent).toEqual([['batch', 'gr:quota:{g}', 'count 1 3600\nstats \nguild h\nstats \nguild g\npage 0 9 7\n']]);
    expect(replies).toEqual(['did count 1 3600', 'did stats ', 'did stats ', 'did page 0 9 7']);
  });

  it('leave as one command a guild in a Cluster', async () => {
    const { jobs, sent } = setup({ isCluster: true });
    await Promise.all([jobs.run('g', 'a', asIs), jobs.run('h', 'b', asIs), jobs.run('g', 'c', asIs)]);
    expect(sent).toEqual([
      ['batch', 'gr:quota:{g}', 'a\nc\n'],
      ['batch', 'gr:quota:{h}', 'b\n'],
    ]);
  });

  it('leave with those that the replies before them gave rise to', async () => {
    const { jobs, sent } = setup();
    const second = (reply: Promise<string>, job: string) => reply.then(() => jobs.run('g', job, asIs));
    await Promise.all([second(jobs.run('g', 'a', asIs), 'x'), second(jobs.run('g', 'b', asIs), 'y')]);
    expect(sent.map(([, , text]) => text)).toEqual(['a\nb\n', 'x\ny\n']);
  });

  it('are cut into batches of bounded weight', async () => {
    const { jobs, sent } = setup();
    const weights = [400, 100, 1, 499, 500, 900, 1];
    const replies = await Promise.all(weights.map((weight, i) => jobs.run('g', `j${i}`, asIs, weight)));
    expect(sent.map(([, , text]) => text)).toEqual(['j0\nj1\n', 'j2\nj3\n', 'j4\n', 'j5\n', 'j6\n']);
    expect(replies).toEqual(weights.map((_, i) => `did j${i}`));
  });
});

describe('a failure', () => {
  it('of the command fails every job of it', async () => {
    const { jobs } = setup({
      answer: () => {
        throw new StoreUnavailableError(new Error('down'));
      },
    });
    const outcomes = await Promise.allSettled([jobs.run('g', 'a', asIs), jobs.run('h', 'b', asIs)]);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailableError) });
    }
  });

  it('of one job fails that alone, and says why', async () => {
    const { jobs } = setup({ answer: () => ['fine', ['WRONGTYPE what is held'], 'fine'] });
    const [a, b, c] = await Promise.allSettled([
      jobs.run('g', 'a', asIs),
      jobs.run('h', 'b', asIs),
      jobs.run('i', 'c', asIs),
    ]);
    expect([a, c]).toEqual([
      { status: 'fulfilled', value: 'fine' },
      { status: 'fulfilled', value: 'fine' },
    ]);
    expect(b).toMatchObject({ reason: expect.any(StoreUnavailableError) });
    expect((b as PromiseRejectedResult).reason.reason).toBe('WRONGTYPE what is held');
  });

  it('to answer a job at all is a failure of that job', async () => {
    const { jobs } = setup({ answer: () => ['fine'] });
    const [a, b] = await Promise.allSettled([jobs.run('g', 'a', asIs), jobs.run('g', 'b', asIs)]);
    expect([a.status, b.status]).toEqual(['fulfilled', 'rejected']);
  });
});

describe('fields', () => {
  /** As lib-fields.lua joins them. */
  const joined = (values: readonly string[]) =>
    values.map((value) => value.replace(/[\n\\]/g, (c) => (c === '\n' ? '\\n' : '\\\\'))).join('\n');

  it('are what was joined, whatever it holds', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom('\\', 'n', '\n', 'x') }));
    fc.assert(
      fc.property(fc.array(text, { minLength: 1 }), (values) => {
        expect(fields(joined(values))).toEqual(values);
      }),
    );
  });
});
