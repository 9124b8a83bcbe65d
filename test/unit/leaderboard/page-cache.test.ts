import { describe, expect, it } from 'vitest';
import { PageCache, type Source } from '../../../src/leaderboard/page-cache.ts';
import { type Read, UNCHANGED } from '../../../src/leaderboard/reader.ts';

/** A guild whose content is its revision, and what was asked of it. */
class Guild implements Source<string, string> {
  revision = '1';
  readonly asked: string[] = [];

  async read(known: string): Promise<Read<string>> {
    this.asked.push(known);
    return known !== '' && known === this.revision
      ? UNCHANGED
      : { revision: this.revision, value: `at ${this.revision}` };
  }

  render(value: string): string {
    return `page ${value}`;
  }
}

describe('PageCache', () => {
  const setup = (max = 10) => {
    const clock = { now: 0 };
    return { clock, cache: new PageCache<string>(max, () => clock.now), guild: new Guild() };
  };

  it('hands out what it holds only when the store confirms the revision', async () => {
    const { cache, guild } = setup();
    expect(await cache.get('k', guild)).toBe('page at 1');
    expect(await cache.get('k', guild)).toBe('page at 1');
    guild.revision = '2';
    expect(await cache.get('k', guild)).toBe('page at 2');
    expect(guild.asked).toEqual(['', '1', '1']);
  });

  it('sends equal reads that wait together once, and different ones apart', async () => {
    const { cache, guild } = setup();
    await Promise.all([cache.get('k', guild), cache.get('k', guild), cache.get('other', guild)]);
    expect(guild.asked).toEqual(['', '']);
  });

  it('does not let a later request join a read that is already on its way', async () => {
    const { cache, guild } = setup();
    let release = () => {};
    const slow: Source<string, string> = {
      read: async (known) => {
        const answer = await guild.read(known);
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        return answer;
      },
      render: guild.render,
    };
    const early = cache.get('k', slow);
    while (guild.asked.length === 0) await new Promise(setImmediate);
    guild.revision = '2';
    const late = cache.get('k', guild);
    expect(await late).toBe('page at 2');
    release();
    expect(await early).toBe('page at 1');
  });

  it('reads anew after five seconds, for writers that do not raise the revision', async () => {
    const { cache, guild, clock } = setup();
    await cache.get('k', guild);
    clock.now = 4999;
    await cache.get('k', guild);
    clock.now = 5000;
    await cache.get('k', guild);
    expect(guild.asked).toEqual(['', '1', '']);
  });

  it('keeps nothing of a guild without a revision', async () => {
    const { cache, guild } = setup();
    guild.revision = '';
    await cache.get('k', guild);
    await cache.get('k', guild);
    expect(guild.asked).toEqual(['', '']);
  });

  it('gives up the least recently used entry first', async () => {
    const { cache, guild } = setup(2);
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await cache.get(key, guild);
    expect(guild.asked).toEqual(['', '', '1', '', '1', '']);
  });

  it('holds nothing when it is switched off', async () => {
    const { cache, guild } = setup(0);
    await cache.get('k', guild);
    await cache.get('k', guild);
    expect(guild.asked).toEqual(['', '']);
  });

  it('passes a failure to everyone who waited, and is none the worse for it', async () => {
    const { cache, guild } = setup();
    const failing: Source<string, string> = { read: () => Promise.reject(new Error('gone')), render: guild.render };
    const waiting = await Promise.allSettled([cache.get('k', failing), cache.get('k', failing)]);
    expect(waiting.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await cache.get('k', guild)).toBe('page at 1');
  });
});
