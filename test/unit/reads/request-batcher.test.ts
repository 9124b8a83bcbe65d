import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { QuotaState, Quotas } from '../../../src/access/quotas.ts';
import { GuildBatch } from '../../../src/reads/request-batcher.ts';
import { ResponseCache, type Want } from '../../../src/reads/response-cache.ts';
import { TimeoutQueue } from '../../../src/redis/timeouts.ts';

type Outcome = { remaining: number; view: string | undefined } | { error: string; remaining: number | undefined };

/** Quotas that count in memory, and sources that say what was read: everything sent is on record. */
function setup(limit = 1000, limitMs = 60_000) {
  const sent: string[] = [];
  const used = new Map<string, number>();
  const state = { storeDown: false, hang: '', until: new Promise<void>(() => {}) };
  const quotas = {
    async consume(guildId: string, plan: string, requests: number): Promise<readonly QuotaState[]> {
      sent.push(`count ${guildId} ${plan} ${requests}`);
      if (state.storeDown) throw new Error('down');
      const before = used.get(guildId) ?? 0;
      used.set(guildId, before + requests);
      return Array.from({ length: requests }, (_, i) => {
        const remaining = limit - before - i - 1;
        return { allowed: remaining >= 0, limit, remaining: Math.max(0, remaining), resetMs: 1000 };
      });
    },
  } as Pick<Quotas, 'consume'> as Quotas;
  const deadlines = new TimeoutQueue(limitMs);
  const batch = new GuildBatch<string>(quotas, new ResponseCache<string>(0, () => 0), deadlines);
  const want = (key: string, broken = false): Want<string> => ({
    key,
    read: async () => {
      sent.push(`read ${key}`);
      if (key === state.hang) await state.until;
      if (broken) throw new Error('broken');
      return { revision: '', value: key };
    },
    render: (value) => `view of ${value}`,
  });
  const ask = (guildId: string, wanted?: Want<string>, plan = 'free') =>
    new Promise<Outcome>((resolve) =>
      batch.add({
        identity: { guildId, plan, keyId: 'k', origins: [] },
        want: wanted,
        done: ({ remaining }, view) => resolve({ remaining, view }),
        failed: (error, quota) => resolve({ error: (error as Error).message, remaining: quota?.remaining }),
      }),
    );
  return { ask, want, sent, state, deadlines };
}

describe('GuildBatch', () => {
  it('sends one count a guild and one read for equal wants, all at once', async () => {
    const { ask, want, sent } = setup();
    await Promise.all([
      ask('g', want('p1')),
      ask('h', want('p1h')),
      ask('g', want('p1')),
      ask('g', want('p2')),
      ask('g'),
    ]);
    expect(sent).toEqual(['count g free 4', 'read p1', 'read p2', 'count h free 1', 'read p1h']);
  });

  it('tells requests of one guild apart in the order they came', async () => {
    const { ask, want } = setup(3);
    const outcomes = await Promise.all([ask('g', want('a')), ask('g'), ask('g', want('b')), ask('g', want('a'))]);
    expect(outcomes).toEqual([
      { remaining: 2, view: 'view of a' },
      { remaining: 1, view: undefined },
      { remaining: 0, view: 'view of b' },
      { remaining: 0, view: 'view of a' },
    ]);
  });

  it('counts exactly as one by one would, however requests fall together', async () => {
    const rounds = fc.array(
      fc.array(fc.tuple(fc.constantFrom('g', 'h'), fc.constantFrom('x', 'y', undefined)), { maxLength: 6 }),
      { maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(rounds, async (script) => {
        const { ask, want } = setup();
        const left = { g: 1000, h: 1000 };
        for (const round of script) {
          const outcomes = await Promise.all(round.map(([guild, key]) => ask(guild, key && want(key))));
          for (const [i, [guild, key]] of round.entries()) {
            left[guild as 'g' | 'h']--;
            expect(outcomes[i]).toEqual({ remaining: left[guild as 'g' | 'h'], view: key && `view of ${key}` });
          }
        }
      }),
      { numRuns: 50 },
    );
  });

  it('counts a guild whose plan changes meanwhile under both plans', async () => {
    const { ask, sent } = setup();
    await Promise.all([ask('g', undefined, 'free'), ask('g', undefined, 'pro')]);
    expect(sent).toEqual(['count g free 1', 'count g pro 1']);
  });

  it('fails only those whose read failed, and tells them what is left', async () => {
    const { ask, want } = setup();
    expect(await Promise.all([ask('g', want('a', true)), ask('g', want('b'))])).toEqual([
      { error: 'broken', remaining: 999 },
      { remaining: 998, view: 'view of b' },
    ]);
  });

  it('fails everyone when the count failed, whatever was read', async () => {
    const { ask, want, state } = setup();
    state.storeDown = true;
    const down = { error: 'down', remaining: undefined };
    expect(await Promise.all([ask('g', want('a')), ask('g', want('b', true)), ask('g')])).toEqual([down, down, down]);
  });

  it('waits for the end of the round, but for no more than sixteen requests', async () => {
    const { ask, sent } = setup();
    const first = Array.from({ length: 15 }, () => ask('g'));
    expect(sent).toEqual([]);
    first.push(ask('g'));
    expect(sent).toEqual(['count g free 16']);
    const last = ask('g');
    expect(sent).toEqual(['count g free 16']);
    await Promise.all([...first, last]);
    expect(sent).toEqual(['count g free 16', 'count g free 1']);
  });

  it('fails what is not answered when its time is up, each once, and only that', async () => {
    const { ask, want, state, deadlines } = setup(1000, 50);
    state.hang = 'slow';
    const outcomes = await Promise.all([ask('g', want('fast')), ask('g', want('slow')), ask('h', want('slow'))]);
    expect(outcomes).toEqual([
      { remaining: 999, view: 'view of fast' },
      { error: expect.stringContaining('did not answer in time'), remaining: 998 },
      { error: expect.stringContaining('did not answer in time'), remaining: 999 },
    ]);
    expect(deadlines.size).toBe(0);
  });

  it('says nothing more of what comes after that', async () => {
    const { ask, want, state, deadlines } = setup(1000, 50);
    for (const broken of [false, true]) {
      let come = () => {};
      state.hang = 'late';
      state.until = new Promise((resolve) => {
        come = () => resolve();
      });
      const asked = [ask('g', want('late', broken)), ask('g', want('fast'))];
      expect(await asked[0]).toEqual({ error: expect.stringContaining('in time'), remaining: expect.any(Number) });
      come();
      await new Promise((resolve) => setImmediate(resolve));
      expect(await asked[1]).toMatchObject({ view: 'view of fast' });
      expect(deadlines.size).toBe(0);
    }
  });

  it('lets go of its deadline once everything is answered', async () => {
    const { ask, want, deadlines } = setup();
    const asked = [ask('g', want('a')), ask('g'), ask('h', want('b', true))];
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all(asked);
    expect(deadlines.size).toBe(0);
  });
});
