import { describe, expect, it } from 'vitest';
import { BoundedMap } from '../../src/bounded-map.ts';

describe('BoundedMap', () => {
  it('forgets its oldest entry when it is full, and no other', () => {
    const map = new BoundedMap<number>(2);
    map.set('a', 1);
    map.set('b', 2);
    map.get('a');
    map.set('c', 3);
    expect(['a', 'b', 'c'].map((key) => map.get(key))).toEqual([undefined, 2, 3]);
  });

  it('forgets nothing when a key it has gets another value', () => {
    const map = new BoundedMap<number>(2);
    map.set('a', 1);
    map.set('b', 2);
    map.set('b', 3);
    expect([map.get('a'), map.get('b'), map.has('a')]).toEqual([1, 3, true]);
  });

  it('forgets every entry that fits, and no other', () => {
    const map = new BoundedMap<number>(5);
    for (const n of [1, 2, 3, 4]) map.set(`k${n}`, n);
    map.forget((n) => n % 2 === 0);
    expect([1, 2, 3, 4].map((n) => map.has(`k${n}`))).toEqual([true, false, true, false]);
  });
});
