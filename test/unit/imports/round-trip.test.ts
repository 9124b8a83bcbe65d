import fc from 'fast-check';
import { expect, it } from 'vitest';
import { HIDE_REASONS, reasonsIn } from '../../../src/core/ranking/model.ts';
import type { StoredMember } from '../../../src/core/reads/stored-members.ts';
import { EXPORT_FORMATS, type ExportResult, exportText } from '../../../src/imports/export.ts';
import { randomRuns } from '../../support/variants.ts';
import { ENCODINGS, readFile, refusals } from './read.ts';

const time = fc.date({ min: new Date('2015-01-01'), max: new Date('2026-01-01'), noInvalidDate: true });
const text = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.-]{0,30}$/);
// An odd number of so many digits is no double, so no program has rounded it.
const snowflake = fc.bigInt({ min: 10n ** 16n, max: 10n ** 19n }).map((id) => String(id | 1n));
const fields = fc
  .record({
    xp: fc.maxSafeNat(),
    username: fc.option(fc.string({ unit: 'binary', minLength: 1, maxLength: 20 })),
    level: fc.option(fc.nat(1000)),
    dailyStreak: fc.nat(400),
    lastDailyClaim: fc.option(time.map((date) => date.toISOString())),
    hidden: fc.boolean(),
    avatar: fc.option(fc.stringMatching(/^(a_)?[0-9a-f]{32}$/)),
    hiddenReasons: fc.subarray([...HIDE_REASONS], { minLength: 1 }),
  })
  .map((each) => ({ ...each, hiddenReasons: each.hidden ? reasonsIn(each.hiddenReasons.join(' ')) : [] }));

/** Returns members with such ids. */
const membersWith = (userId: fc.Arbitrary<string>): fc.Arbitrary<StoredMember[]> =>
  fc
    .uniqueArray(fc.record({ userId, member: fields }), {
      minLength: 1,
      maxLength: 12,
      selector: (each) => each.userId,
    })
    .map((list) => list.map((each) => ({ ...each.member, userId: each.userId })));
/** Polaris has ids of Discord alone. Ids of all kinds can stand together in the formats of the project. */
const ids = { csv: fc.oneof(text, snowflake), ndjson: fc.oneof(text, snowflake), polaris: snowflake };

async function written(list: readonly StoredMember[], format: (typeof EXPORT_FORMATS)[number]): Promise<string> {
  const result: ExportResult = { members: 0, hidden: 0, revision: undefined, curve: undefined };
  async function* steps() {
    yield { revision: '1', curve: 'standard', members: list };
  }
  let text = '';
  for await (const piece of exportText(steps(), format, result)) text += piece;
  return text;
}

it.each(EXPORT_FORMATS)(
  'an import of any members that are exported as %s gives equal members, in any encoding',
  async (format) => {
    await fc.assert(
      fc.asyncProperty(
        membersWith(ids[format]),
        fc.constantFrom(...Object.keys(ENCODINGS)),
        fc.integer({ min: 1, max: 50 }),
        async (list, encoding, size) => {
          const encode = ENCODINGS[encoding] ?? Buffer.from;
          const file = await readFile(encode(await written(list, format)), { size: 16 * size });
          expect(refusals(file)).toEqual([]);
          const expected = list.map(
            ({ userId, xp, username, dailyStreak, lastDailyClaim, avatar, hidden, hiddenReasons }) =>
              format === 'polaris'
                ? { userId, xp, ...(hidden && { hidden }) }
                : {
                    userId,
                    xp,
                    username,
                    dailyStreak,
                    lastDailyClaim,
                    avatar,
                    hidden,
                    ...(hidden && { hiddenReasons }),
                  },
          );
          expect(file.rows).toMatchObject(expected);
          expect(file.rows).toHaveLength(list.length);
        },
      ),
      { numRuns: randomRuns(60) },
    );
  },
);
