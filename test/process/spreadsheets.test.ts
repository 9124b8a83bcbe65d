import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HIDE_REASONS } from '../../src/core/ranking/model.ts';
import type { StoredMember } from '../../src/core/reads/stored-members.ts';
import { type ExportResult, exportText } from '../../src/imports/export.ts';
import { needs } from '../support/needs.ts';
import { readFile, refusals } from '../unit/imports/read.ts';

/** Members as a bot has them. A name of digits, or with the look of a date, is a number or a date to a spreadsheet. */
const member: fc.Arbitrary<StoredMember> = fc.record({
  userId: fc.bigInt({ min: 10n ** 16n, max: 2n * 10n ** 18n }).map(String),
  xp: fc.oneof(fc.nat(5000), fc.nat(2 ** 31 - 1)),
  username: fc.oneof(fc.constant(null), fc.stringMatching(/^[a-z][a-z ,;"'é🎉_]{0,20}[a-z]$/u)),
  level: fc.option(fc.nat(200)),
  dailyStreak: fc.nat(400),
  lastDailyClaim: fc.option(
    fc
      .date({ min: new Date('2015-01-01'), max: new Date('2026-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString()),
  ),
  hidden: fc.boolean(),
  avatar: fc.option(fc.stringMatching(/^(a_)?[0-9a-f]{32}$/)),
  hiddenReasons: fc.subarray([...HIDE_REASONS], { minLength: 1 }),
}) as fc.Arbitrary<StoredMember>;
const members = fc.uniqueArray(member, { minLength: 1, maxLength: 20, selector: ({ userId }) => userId });

async function csvOf(list: readonly StoredMember[]): Promise<string> {
  const result: ExportResult = { members: 0, hidden: 0, revision: undefined, curve: undefined };
  async function* steps() {
    yield { revision: '1', curve: 'standard', members: list };
  }
  let text = '';
  for await (const piece of exportText(steps(), 'csv', result)) text += piece;
  return text;
}

/** Saves a file in a spreadsheet, and returns what was saved. @param options of the exporter of text. */
function saved(folder: string, text: string, ending: string, options: string[]): Buffer {
  const from = join(folder, 'members.csv');
  const to = join(folder, `saved.${ending}`);
  writeFileSync(from, text);
  const { status, stderr } = spawnSync('ssconvert', [...options, from, to], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`ssconvert: ${stderr}`);
  return readFileSync(to);
}

describe('an export that a spreadsheet has saved', needs('ssconvert'), () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'guildrank-spreadsheets-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each([
    ['CSV', 'csv', []],
    ['text with semicolons', 'txt', ['-O', 'separator=; quoting-mode=always format=raw']],
    ['text with tabs and CRLF', 'txt', ['-O', "separator='\t' eol=windows format=raw"]],
    ['UTF-16', 'txt', ['-O', 'charset=UTF-16LE separator=, format=raw']],
  ])(
    'an import of an export that a spreadsheet has saved as %s gives equal members',
    async (_what, ending, options) => {
      await fc.assert(
        fc.asyncProperty(members, async (list) => {
          const text = await csvOf(list);
          const before = await readFile(text);
          const after = await readFile(saved(folder, text, ending, options));
          expect(refusals(after)).toEqual([]);
          expect(after.rows).toEqual(before.rows);
        }),
        { numRuns: 8 },
      );
    },
  );

  it('an export whose ids a spreadsheet has rounded is refused', async () => {
    const text = 'user_id,xp\n123456789012345678,5\n223456789012345679,6\n';
    const rounded = saved(folder, text, 'txt', ['-O', 'separator=, format=preserve']);
    await expect(readFile(rounded)).rejects.toThrow('f: its ids were rounded, such as 1.235E+17: ');
  });
});
