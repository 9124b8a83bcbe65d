import { describe, expect, it } from 'vitest';
import { PageCache, type Want } from '../../../src/leaderboard/page-cache.ts';
import { type Read, UNCHANGED } from '../../../src/leaderboard/reader.ts';

/** A guild whose content is its revision, and what was asked of it. */
class Guild {
  revision = '1';
  broken = false;
  readonly asked: string[] = [];

  want(key: string): Want<string> {
    const read = async (known: string): Promise<Read<string>> => {
      this.asked.push(`${key}@${known}`);
      if (this.broken) throw new Error('gone');
      return known !== '' && known === this.revision ? UNCHANGED : { revision: this.revision, value: this.revision };
    };
    return { key, source: { read, render: (value: string) => `${key} at ${value}` } as Want<string>['source'] };
  }
}

describe('PageCache', () => {
  const setup = (max = 10) => {
    const clock = { now: 0 };
    const guild = new Guild();
    const cache = new PageCache<string>(max, () => clock.now);
    const get = (...keys: string[]) => Promise.all(cache.getAll(keys.map((key) => guild.want(key))));
    return { clock, guild, get, cache };
  };

  it('hands out what it holds only when the store confirms the revision', async () => {
    const { get, guild } = setup();
    expect(await get('a')).toEqual(['a at 1']);
    expect(await get('a')).toEqual(['a at 1']);
    guild.revision = '2';
    expect(await get('a')).toEqual(['a at 2']);
    expect(guild.asked).toEqual(['a@', 'a@1', 'a@1']);
  });

  it('confirms all answers of one revision with one command', async () => {
    const { get, guild } = setup();
    await get('a', 'b', 'c');
    guild.asked.length = 0;
    expect(await get('a', 'b', 'c')).toEqual(['a at 1', 'b at 1', 'c at 1']);
    expect(guild.asked).toEqual(['a@1']);
  });

  it('reads everything anew that was to be confirmed together when the revision has moved on', async () => {
    const { get, guild } = setup();
    await get('a', 'b');
    guild.revision = '2';
    expect(await get('a', 'b')).toEqual(['a at 2', 'b at 2']);
    expect(await get('a', 'b')).toEqual(['a at 2', 'b at 2']);
    expect(guild.asked).toEqual(['a@', 'b@', 'a@1', 'b@', 'a@2']);
  });

  it('asks apart about answers held at different revisions', async () => {
    const { get, guild } = setup();
    await get('a');
    guild.revision = '2';
    await get('b');
    guild.asked.length = 0;
    expect(await get('a', 'b')).toEqual(['a at 2', 'b at 2']);
    expect(guild.asked).toEqual(['a@1', 'b@2']);
  });

  it('reads anew after five seconds, for writers that do not raise the revision', async () => {
    const { get, guild, clock } = setup();
    await get('a');
    clock.now = 4999;
    await get('a');
    clock.now = 5000;
    await get('a');
    expect(guild.asked).toEqual(['a@', 'a@1', 'a@']);
  });

  it('keeps nothing of a guild without a revision', async () => {
    const { get, guild } = setup();
    guild.revision = '';
    await get('a');
    await get('a');
    expect(guild.asked).toEqual(['a@', 'a@']);
  });

  it('gives up the least recently used entry first', async () => {
    const { get, guild } = setup(2);
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await get(key);
    expect(guild.asked).toEqual(['a@', 'b@', 'a@1', 'c@', 'a@1', 'b@']);
  });

  it('holds nothing when it is switched off', async () => {
    const { get, guild } = setup(0);
    await get('a');
    await get('a');
    expect(guild.asked).toEqual(['a@', 'a@']);
  });

  it('passes a failure to everyone who shared the question, asks no second time, and recovers', async () => {
    const { guild, cache, get } = setup();
    await get('a', 'b');
    guild.broken = true;
    const outcomes = await Promise.allSettled(cache.getAll([guild.want('a'), guild.want('b')]));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(guild.asked).toEqual(['a@', 'b@', 'a@1']);
    guild.broken = false;
    expect(await get('a', 'b')).toEqual(['a at 1', 'b at 1']);
  });
});
