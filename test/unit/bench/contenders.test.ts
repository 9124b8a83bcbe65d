import { describe, expect, it } from 'vitest';
import { parseContenders } from '../../../scripts/bench/contenders.ts';

describe('parseContenders', () => {
  it('returns the names in their order', () => {
    expect(parseContenders('guildrank, before,node:http')).toEqual(['guildrank', 'before', 'node:http']);
  });

  it.each([
    ['guildrank,apache', 'There is no contender "apache"'],
    ['', 'There is no contender ""'],
    ['guildrank,guildrank', 'named twice'],
    ['nginx,guildrank', 'The first contender must be one of guildrank, before, cache off, logs on'],
  ])('rejects "%s"', (text, message) => {
    expect(() => parseContenders(text)).toThrow(message);
  });
});
