import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BoundedMap } from '../../src/bounded-map.ts';

describe('BoundedMap', () => {
  const of = (max: number, ...keys: string[]) => {
    const map = new BoundedMap<{ n: number }>(max);
    for (const [n, key] of keys.entries()) map.set(key, { n });
    return map;
  };
  const held = (map: BoundedMap<object>, keys: string) => [...keys].filter((key) => map.has(key)).join('');

  it('holds up to its limit, then drops the older half', () => {
    expect(held(of(4, 'a', 'b', 'c', 'd'), 'abcd')).toBe('abcd');
    expect(held(of(4, 'a', 'b', 'c', 'd', 'e'), 'abcde')).toBe('cde');
  });

  it('keeps what is looked up', () => {
    const map = of(4, 'a', 'b', 'c');
    expect(map.get('a')).toEqual({ n: 0 });
    map.set('d', { n: 3 });
    map.set('e', { n: 4 });
    expect(held(map, 'abcde')).toBe('acde');
  });

  it('forgets nothing when a key it has gets another value, and then tells that', () => {
    const map = of(4, 'a', 'b', 'c', 'd', 'd');
    expect(held(map, 'abcd')).toBe('abcd');
    expect(map.get('d')).toEqual({ n: 4 });
    map.set('a', { n: 9 });
    expect(map.get('a')).toEqual({ n: 9 });
    expect(map.get('x')).toBeUndefined();
  });

  it('forgets every entry that fits, young or old, and no other', () => {
    const map = of(4, 'a', 'b', 'c', 'd');
    map.forget(({ n }) => n % 2 === 0);
    expect(held(map, 'abcd')).toBe('bd');
  });

  it('never tells anything but what was stored last, nothing deleted, and never holds more than its limit', () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g');
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom('set', 'get', 'delete'), key)), (calls) => {
        const map = new BoundedMap<{ n: number }>(4);
        const last = new Map<string, { n: number }>();
        for (const [n, [call, key]] of calls.entries()) {
          if (call === 'delete') {
            map.delete(key);
            expect(map.has(key)).toBe(false);
          } else if (call === 'set') {
            map.set(key, { n });
            last.set(key, { n });
            expect(map.get(key)).toEqual({ n });
          } else if (map.get(key)) expect(map.get(key)).toEqual(last.get(key));
          expect(held(map, 'abcdefg').length).toBeLessThanOrEqual(4);
        }
      }),
    );
  });
});
