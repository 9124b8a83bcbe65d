import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { generateKey, generateKeyId, hashKey, isWellFormedKey } from '../../../../src/core/access/key-format.ts';

describe('an API key', () => {
  it('an API key has gr_, 32 random and 6 checksum characters of base62, and no two are equal', () => {
    const keys = Array.from({ length: 500 }, generateKey);
    expect(new Set(keys).size).toBe(500);
    for (const key of keys) {
      expect(key).toMatch(/^gr_[0-9A-Za-z]{38}$/);
      expect(isWellFormedKey(key)).toBe(true);
    }
  });

  it('an API key is not well-formed when any one character is changed', () => {
    const key = generateKey();
    fc.assert(
      fc.property(fc.integer({ min: 3, max: key.length - 1 }), fc.constantFrom(...'09AZaz'), (at, character) => {
        fc.pre(key[at] !== character);
        expect(isWellFormedKey(key.slice(0, at) + character + key.slice(at + 1))).toBe(false);
      }),
    );
  });

  it.each(['', 'gr_', 'xx_', `gr_${'a'.repeat(37)}`, `gr_${'a'.repeat(39)}`, `gr_${'-'.repeat(38)}`])(
    '%j does not look like an API key',
    (text) => {
      expect(isWellFormedKey(text)).toBe(false);
    },
  );

  it('an API key has the checksum that the format documents', () => {
    // CRC-32 of "gr_" and 32 zeros, in base62 with digits first, computed by another program.
    expect(isWellFormedKey(`gr_${'0'.repeat(32)}2sOc8F`)).toBe(true);
  });

  it('API keys use every character of the alphabet about equally', () => {
    const counts = new Map<string, number>();
    for (const character of Array.from({ length: 20_000 }, generateKeyId).join('')) {
      counts.set(character, (counts.get(character) ?? 0) + 1);
    }
    expect(counts.size).toBe(62);
    // 200,000 draws over 62 characters: 3226 each, with a standard deviation of 56. Without the limit on the bytes, the first
    // eight characters would come 680 times more.
    for (const count of counts.values()) expect(Math.abs(count - 3226)).toBeLessThan(6 * 56);
  });

  it('an API key is stored as its SHA-256', () => {
    expect(hashKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});
