import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Doorkeeper } from '../../../../src/service/serving/doorkeeper.ts';

it('a doorkeeper knows a key from the second time on, and no other key', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ unit: 'binary' }), { maxLength: 5 }), (keys) => {
      const doorkeeper = new Doorkeeper();
      for (const key of keys) {
        expect([doorkeeper.meet(key), doorkeeper.meet(key), doorkeeper.meet(key)]).toEqual([false, true, true]);
      }
    }),
  );
});

it('a doorkeeper confuses few keys and forgets few, while it has thousands', () => {
  const doorkeeper = new Doorkeeper();
  const keys = Array.from({ length: 10_000 }, (_, n) => `/api/v1/servers/700000000000000042/members/${7919 * n}`);
  expect(keys.filter((key) => doorkeeper.meet(key)).length).toBeLessThan(5);
  // Each key shares its slot with a later one in about one case of seven.
  expect(keys.filter((key) => doorkeeper.meet(key)).length).toBeGreaterThan(8000);
});
