import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FORMAT_NAMES } from '../../../src/imports/formats.ts';
import { randomRuns } from '../../support/variants.ts';
import { type ExportedMember, LAYOUTS } from './exporters.ts';
import { ENCODINGS, readFile, refusals } from './read.ts';

// An odd number of so many digits is no double, so no program has rounded it.
const snowflake = fc.bigInt({ min: 10n ** 16n, max: 10n ** 19n }).map((id) => String(id | 1n));
const member: fc.Arbitrary<ExportedMember> = fc.record({
  userId: snowflake,
  xp: fc.oneof(fc.nat(5000), fc.maxSafeNat()),
  username: fc.option(fc.string({ unit: 'binary', minLength: 1, maxLength: 20 })),
  level: fc.nat(1000),
  hidden: fc.boolean(),
});
const members = fc.uniqueArray(member, { minLength: 1, maxLength: 12, selector: ({ userId }) => userId });
const byId = (one: { readonly userId: string }, other: { readonly userId: string }) =>
  one.userId < other.userId ? -1 : 1;

it.each(Object.keys(LAYOUTS))(
  'an import of any members that are written as %s gives equal members, in any encoding',
  async (name) => {
    const { keeps, map, write } = LAYOUTS[name] as (typeof LAYOUTS)[string];
    await fc.assert(
      fc.asyncProperty(
        members,
        fc.constantFrom(...Object.keys(ENCODINGS)),
        fc.integer({ min: 1, max: 50 }),
        async (list, encoding, size) => {
          const encode = ENCODINGS[encoding] ?? Buffer.from;
          const file = await readFile(encode(write(list)), { size: 16 * size, ...(map && { map }) });
          expect(refusals(file)).toEqual([]);
          if (!map) expect(file.format).toBe(name.split(' ')[0]);
          const expected = list.map((each) => ({
            userId: each.userId,
            xp: each.xp,
            ...Object.fromEntries(keeps.map((field) => [field, each[field]])),
          }));
          // Names of JSON objects that are numbers come in their order.
          expect([...(file.rows as ExportedMember[])].sort(byId)).toEqual(expected.sort(byId));
        },
      ),
      { numRuns: randomRuns(25) },
    );
  },
);

it('the layouts of these tests cover each format that the import reads', () => {
  const covered = new Set(Object.keys(LAYOUTS).map((name) => name.split(' ')[0]));
  expect(FORMAT_NAMES.filter((format) => !covered.has(format))).toEqual([]);
});
