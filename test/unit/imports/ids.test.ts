import { describe, expect, it } from 'vitest';
import { readFile, refusals } from './read.ts';

const IDS = Array.from({ length: 20 }, (_, index) =>
  String(204_255_221_017_214_977n + 7_919_000_000_007n * BigInt(index)),
);
const asCsv = (ids: readonly string[]) => `user_id,xp\n${ids.map((id) => `${id},5\n`).join('')}`;
const asKeys = (ids: readonly string[]) => `{${ids.map((id) => `"${id}":{"xp":5}`).join(',')}}`;
const asText = (ids: readonly string[]) => JSON.stringify(ids.map((id) => ({ user_id: id, xp: 5 })));
const asNumbers = (ids: readonly string[]) => asText(ids).replace(/"(\d+)"/g, '$1');

describe('rounded ids', () => {
  const ways: Readonly<Record<string, (id: string) => string>> = {
    JavaScript: (id) => String(Number(id)),
    Python: (id) => String(BigInt(Number(id))),
    'a spreadsheet': (id) => `${id.slice(0, 15)}000`,
  };
  const files = { 'a column': asCsv, names: asKeys, texts: asText, numbers: asNumbers };

  it.each(Object.keys(ways).flatMap((way) => Object.keys(files).map((kind) => [way, kind] as const)))(
    'ids that %s has rounded are refused in %s',
    async (way, kind) => {
      const rounded = IDS.map(ways[way] as (id: string) => string);
      const text = files[kind as keyof typeof files];
      await expect(readFile(text(rounded))).rejects.toThrow(
        `f: its ids were rounded, such as ${rounded[0]}: a spreadsheet or a program has read them as numbers. Export them again as text`,
      );
      expect((await readFile(text(IDS))).rows).toHaveLength(IDS.length);
    },
  );

  it('rounded ids are refused among ids that were added by hand, wherever these stand', async () => {
    const rounded = IDS.slice(0, 12).map((id) => String(Number(id)));
    for (const ids of [
      [...rounded, ...IDS.slice(12)],
      [...IDS.slice(12), ...rounded],
    ])
      await expect(readFile(asCsv(ids))).rejects.toThrow('f: its ids were rounded');
  });

  it('a file of one row is refused when its id ends in four zeros, and a file of decimal numbers as ids gets one sentence', async () => {
    await expect(readFile(asCsv(['1234567890123450000']))).rejects.toThrow('f: its ids were rounded');
    await expect(readFile('user_id,xp\n8.13E17,5\n"8,13E+17",5\n81384788765712384.0,5\n')).rejects.toThrow(
      'f: its ids were rounded, such as 8.13E17: ',
    );
  });

  it('a row whose id is a decimal number is a bad row when the other ids are whole', async () => {
    expect(refusals(await readFile(`${asCsv(IDS)}8.13E17,5\n`))).toEqual([
      '22: user_id "8.13E17" is a number that a spreadsheet has rounded: export the ids as text',
    ]);
  });

  it('real ids of which a few end in zeros are not taken for rounded ids', async () => {
    const file = await readFile(asCsv(['123456789012345000', '223456789012345678', '323456789012345679']));
    expect([file.rows.length, file.doubts]).toEqual([3, []]);
  });

  it('a file of a single id that looks rounded raises a doubt', async () => {
    const { rows, doubts } = await readFile(asCsv(['204255221017214980']));
    expect(rows).toHaveLength(1);
    expect(doubts).toEqual([
      expect.stringContaining('f: all of its long ids look rounded, such as 204255221017214980'),
    ]);
    expect((await readFile(asCsv(['204255221017214977']))).doubts).toEqual([]);
  });
});
