import { describe, expect, it } from 'vitest';
import type { Versioned } from '../../../src/leaderboard/reader.ts';
import { ResponseCache, type Want } from '../../../src/reads/response-cache.ts';

/** A guild whose content is its revision, and what was read of it. */
class Guild {
  revision = '1';
  broken = false;
  readonly read: string[] = [];

  want(key: string): Want<string> {
    const read = async (held?: string): Promise<Versioned<string> | undefined> => {
      if (this.broken) throw new Error('gone');
      if (held === this.revision) return undefined;
      this.read.push(key);
      return { revision: this.revision, value: this.revision };
    };
    return { key, read, render: (value) => `${key} at ${value}` };
  }
}

describe('PageCache', () => {
  const setup = (max = 10) => {
    const clock = { now: 0 };
    const guild = new Guild();
    const cache = new ResponseCache<string>(max, () => clock.now);
    const get = (...keys: string[]) => Promise.all(keys.map((key) => cache.get(guild.want(key))));
    return { clock, guild, get, cache };
  };

  it('hands out what it holds only at the revision it was made from', async () => {
    const { get, guild } = setup();
    expect(await get('a', 'b')).toEqual(['a at 1', 'b at 1']);
    expect(await get('a', 'b')).toEqual(['a at 1', 'b at 1']);
    guild.revision = '2';
    expect(await get('a')).toEqual(['a at 2']);
    expect(await get('a', 'b')).toEqual(['a at 2', 'b at 2']);
    expect(guild.read).toEqual(['a', 'b', 'a', 'b']);
  });

  it('tells the read what it holds, and keeps what was read under the revision that came with it', async () => {
    const { guild, cache, get } = setup();
    const asked: (string | undefined)[] = [];
    const spied = (): Want<string> => {
      const want = guild.want('a');
      const read = (held?: string) => {
        asked.push(held);
        return want.read(held);
      };
      return { ...want, read };
    };
    await cache.get(spied());
    guild.revision = '2';
    await cache.get(spied());
    await cache.get(spied());
    expect(asked).toEqual([undefined, '1', '2']);
    expect(await get('a')).toEqual(['a at 2']);
  });

  it('reads anew after five seconds, for writers that do not raise the revision', async () => {
    const { get, guild, clock } = setup();
    clock.now = 3000;
    await get('a');
    clock.now = 7999;
    await get('a');
    clock.now = 8000;
    await get('a');
    expect(guild.read).toEqual(['a', 'a']);
  });

  it('keeps nothing of a guild without a revision', async () => {
    const { get, guild } = setup();
    guild.revision = '';
    await get('a');
    await get('a');
    expect(guild.read).toEqual(['a', 'a']);
  });

  it('gives up the least recently used entry first', async () => {
    const { get, guild } = setup(2);
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await get(key);
    expect(guild.read).toEqual(['a', 'b', 'c', 'b']);
  });

  it('holds nothing when it is switched off', async () => {
    const { get, guild } = setup(0);
    await get('a');
    await get('a');
    expect(guild.read).toEqual(['a', 'a']);
  });

  it('hands out nothing that could not be confirmed', async () => {
    const { get, guild } = setup();
    await get('a');
    guild.broken = true;
    await expect(get('a')).rejects.toThrow('gone');
  });

  it('passes on a failed read, and is none the worse for it', async () => {
    const { get, guild } = setup();
    guild.broken = true;
    await expect(get('a')).rejects.toThrow('gone');
    guild.broken = false;
    expect(await get('a')).toEqual(['a at 1']);
  });

  it('tallies what it handed out as held, what it read and what it holds', async () => {
    const { get, cache } = setup();
    await get('a', 'b');
    await get('a');
    expect(cache.counts()).toEqual({ hits: 1, misses: 2, entries: 2 });
    expect(new ResponseCache<string>(0, () => 0).counts()).toEqual({ hits: 0, misses: 0, entries: 0 });
  });
});
