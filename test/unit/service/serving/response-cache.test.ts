import { describe, expect, it, vi } from 'vitest';
import type { CommandBatcher } from '../../../../src/core/reads/command-batcher.ts';
import type { Versioned } from '../../../../src/core/reads/read-commands.ts';
import { type CacheableRead, ResponseCache } from '../../../../src/service/serving/response-cache.ts';

/** A guild whose content is its revision, and what was read of it. */
class Guild {
  revision = '1';
  broken = false;
  readonly read: string[] = [];
  /** The revisions that were named. */
  readonly asked: (string | undefined)[] = [];

  /** Reads as CommandBatcher does. The value is the revision. */
  readonly commands = {
    read: async ({ line }: { line: string }, cachedRevision?: string): Promise<Versioned<string> | undefined> => {
      this.asked.push(cachedRevision);
      if (this.broken) throw new Error('gone');
      if (cachedRevision === this.revision) return undefined;
      this.read.push(line);
      return { revision: this.revision, value: this.revision };
    },
  } as Pick<CommandBatcher, 'read'>;
}

function readOf(key: string): CacheableRead<string> {
  const command = {
    guildId: key.startsWith('h') ? 'h' : 'g',
    line: key,
    weight: 1,
    isOfBoard: false,
    isPublic: false,
    decode: () => ({ revision: '', value: '' }),
  };
  return { cacheKey: key, command, render: (value) => `${key} at ${value}` };
}

describe('the cache of responses', () => {
  const setup = ({ maxEntries = 10, maxBytes = 1000, bytes = 1, admits = (_key: string): boolean => true } = {}) => {
    const clock = { now: 0 };
    const guild = new Guild();
    const sizeOf = vi.fn((_response: string) => bytes);
    const cache = new ResponseCache<string>({ maxEntries, maxBytes, sizeOf, admits, now: () => clock.now });
    const load = (key: string) => cache.load(readOf(key), guild.commands);
    const get = async (...keys: string[]) => (await Promise.all(keys.map(load))).map(({ response }) => response);
    return { clock, guild, load, get, cache, sizeOf };
  };

  it('the cache returns a response only at the revision that it shows', async () => {
    const { get, guild } = setup();
    expect(await get('a', 'b')).toEqual(['a at 1', 'b at 1']);
    expect(await get('a', 'b')).toEqual(['a at 1', 'b at 1']);
    guild.revision = '2';
    expect(await get('a')).toEqual(['a at 2']);
    expect(await get('a', 'b')).toEqual(['a at 2', 'b at 2']);
    expect(guild.read).toEqual(['a', 'b', 'a', 'b']);
  });

  it('the cache gives the read its cached revision, and caches a value under the revision that came with it', async () => {
    const { guild, get } = setup();
    await get('a');
    guild.revision = '2';
    await get('a');
    await get('a');
    expect(guild.asked).toEqual([undefined, '1', '2']);
    expect(await get('a')).toEqual(['a at 2']);
  });

  it('the cache keeps an admitted response through each revision', async () => {
    const asked: string[] = [];
    const admits = (key: string) => asked.push(key) > 1;
    const { get, guild } = setup({ admits });
    await get('a');
    await get('a');
    await get('a');
    guild.revision = '2';
    await get('a');
    await get('a');
    expect(guild.read).toEqual(['a', 'a', 'a']);
    expect(asked).toEqual(['a', 'a']);
  });

  it('the cache reads again after five seconds, for writers that do not raise the revision', async () => {
    const { get, guild, clock } = setup();
    clock.now = 3000;
    await get('a');
    clock.now = 7999;
    await get('a');
    clock.now = 8000;
    await get('a');
    expect(guild.read).toEqual(['a', 'a']);
  });

  it('the cache reads again after it was cleared, and does not keep a response that was read before that', async () => {
    const { get, guild, cache } = setup();
    await get('a');
    cache.clear();
    await get('a');
    expect(guild.read).toEqual(['a', 'a']);
    const late = get('b');
    cache.clear();
    await late;
    await get('b');
    expect(guild.read).toEqual(['a', 'a', 'b', 'b']);
  });

  it('the cache reads a guild that it forgot again, and no other guild', async () => {
    const { get, guild, cache } = setup();
    await get('a', 'b', 'h');
    cache.forget('g');
    await get('a', 'b', 'h');
    expect(guild.read).toEqual(['a', 'b', 'h', 'a', 'b']);
    const late = get('c');
    cache.forget('g');
    await late;
    await get('c');
    expect(guild.read.slice(5)).toEqual(['c', 'c']);
  });

  it('the cache keeps no response of a guild without a revision', async () => {
    const { get, guild } = setup();
    guild.revision = '';
    await get('a');
    await get('a');
    expect(guild.read).toEqual(['a', 'a']);
  });

  it('the cache evicts the least recently used response first', async () => {
    const { get, guild } = setup({ maxEntries: 2 });
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await get(key);
    expect(guild.read).toEqual(['a', 'b', 'c', 'b']);
  });

  it('the cache evicts as many responses as the next one needs memory for, its key included', async () => {
    const { get, guild, cache } = setup({ maxBytes: 34, bytes: 10 });
    for (const key of ['a', 'b', 'c', 'a', 'd', 'a', 'b']) await get(key);
    expect(guild.read).toEqual(['a', 'b', 'c', 'd', 'b']);
    await get('a key of 24 characters..');
    expect(cache.counts().entries).toBe(1);
  });

  it('the cache returns a response that needs more memory than there is, and does not keep it', async () => {
    const { get, guild, cache } = setup({ maxBytes: 10, bytes: 10 });
    expect(await get('a')).toEqual(['a at 1']);
    expect(await get('a')).toEqual(['a at 1']);
    expect(guild.read).toEqual(['a', 'a']);
    expect(cache.counts().entries).toBe(0);
  });

  it('the cache measures a response when it keeps it, and never when it is read', async () => {
    const { get, guild, sizeOf } = setup();
    for (let i = 0; i < 100; i++) await get('a');
    expect(sizeOf.mock.calls).toEqual([['a at 1']]);
    guild.revision = '2';
    for (let i = 0; i < 100; i++) await get('a');
    expect(sizeOf.mock.calls).toEqual([['a at 1'], ['a at 2']]);
  });

  it.each([{ maxEntries: 0 }, { maxBytes: 0 }])(
    'the cache keeps nothing when it is switched off with %j',
    async (off) => {
      const { get, guild, cache } = setup(off);
      await get('a');
      await get('a');
      expect(guild.read).toEqual(['a', 'a']);
      expect(cache.counts()).toEqual({ hits: 0, misses: 2, entries: 0 });
    },
  );

  it('the cache returns no response that Redis has not confirmed', async () => {
    const { load, guild } = setup();
    await load('a');
    guild.broken = true;
    expect(await load('a')).toEqual({ response: undefined, error: new Error('gone') });
  });

  it('the cache passes on a failed read, and serves the next one', async () => {
    const { load, guild } = setup();
    guild.broken = true;
    expect(await load('a')).toEqual({ response: undefined, error: new Error('gone') });
    guild.broken = false;
    expect(await load('a')).toEqual({ response: 'a at 1', error: undefined });
  });

  it('the cache counts responses that it returned, other reads, and entries', async () => {
    const { get, cache } = setup();
    await get('a', 'b');
    await get('a');
    expect(cache.counts()).toEqual({ hits: 1, misses: 2, entries: 2 });
  });
});
