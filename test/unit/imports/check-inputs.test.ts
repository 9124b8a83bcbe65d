import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { COMMAND_ADVICE } from '../../../src/cli/sentences.ts';
import { checkInputs } from '../../../src/imports/check-inputs.ts';
import { openInput } from '../../../src/imports/inputs.ts';

/** Opens texts as the files of one import, named a, b and so on, and checks them. */
async function check(...texts: readonly unknown[]) {
  const { signal } = new AbortController();
  const reporter = { write: () => {}, advice: COMMAND_ADVICE };
  const inputs = [];
  for (const [index, text] of texts.entries()) {
    const content = typeof text === 'string' ? text : JSON.stringify(text);
    const name = String.fromCharCode(97 + index);
    inputs.push(await openInput(Readable.from([Buffer.from(content)]), { name }, signal, reporter));
  }
  try {
    return checkInputs(inputs);
  } finally {
    for (const input of inputs) await input.close();
  }
}

const mee6 = (page: number, players = 1, guild = '7') => ({
  guild: { id: guild },
  page,
  players: Array.from({ length: players }, (_, index) => ({ id: `${page}${index}`, guild_id: guild, xp: 0, level: 0 })),
});
const tatsu = (first: number, count: number, guild = '7') => ({
  guild_id: guild,
  rankings: Array.from({ length: count }, (_, index) => ({
    rank: first + index,
    score: 5,
    user_id: `u${first + index}`,
  })),
});

describe('pages of one import', () => {
  it('an import raises a doubt when its first page is missing, even if it has one page alone', async () => {
    const missing = { doubts: ['a page is missing between the others: 0'], notices: [] };
    expect(await check(mee6(1))).toEqual(missing);
    expect(await check(mee6(0))).toEqual({ doubts: [], notices: [] });
  });

  it('an import raises a doubt when its last page is full, until a page without members follows', async () => {
    const doubt = 'the last page, page 0, is full with 1,000 members: add the next page, even if it has no members';
    expect(await check(mee6(0, 1000))).toEqual({ doubts: [doubt], notices: [] });
    expect(await check([mee6(0, 1000)])).toEqual({ doubts: [doubt], notices: [] });
    expect(await check(mee6(0, 1000), mee6(1, 0))).toEqual({ doubts: [], notices: [] });
    expect((await check(mee6(0, 1000), mee6(1, 1000))).doubts).toEqual([doubt.replace('page 0', 'page 1')]);
  });

  it('an import of pages of this service is whole when it has as many members as the pages say', async () => {
    const page = (total: number) => ({
      data: Array.from({ length: 100 }, (_, index) => ({ user_id: `20425522101721${4000 + index}`, xp: 5 })),
      total,
      page: 1,
    });
    expect((await check(page(100))).doubts).toEqual([]);
    expect((await check(page(101))).doubts).toEqual([
      'the last page, page 1, is full with 100 members: add the next page, even if it has no members',
    ]);
  });

  it('an import of pages with ranks raises a doubt when ranks are missing, in any order of the files', async () => {
    const missing = ['members are missing between the others, of the ranks 101 to 200'];
    expect((await check(tatsu(201, 30), tatsu(1, 100))).doubts).toEqual(missing);
    expect((await check(tatsu(201, 30))).doubts).toEqual([missing[0]?.replace('101', '1')]);
    expect(await check(tatsu(101, 30), tatsu(1, 100))).toEqual({ doubts: [], notices: [] });
    expect(await check([tatsu(1, 100), tatsu(101, 30)])).toEqual({ doubts: [], notices: [] });
    const full =
      'the last page, up to rank 100, is full: add the next page as a file of its own, even if it has no members';
    expect((await check(tatsu(1, 100))).doubts).toEqual([full]);
    expect((await check(tatsu(1, 100), tatsu(101, 0))).doubts).toEqual([]);
  });

  it('an import with equal ranks lacks no member', async () => {
    const rankings = [1, 2, 2, 4].map((rank) => ({ rank, score: 5, user_id: `u${rank}` }));
    expect((await check({ rankings })).doubts).toEqual([]);
  });

  it.each([
    ['MEE6', mee6(0), mee6(1, 1, '8')],
    ['Tatsu', tatsu(1, 100), tatsu(101, 5, '8')],
    ['CSV', 'user_id,xp,server_id\n1,5,7\n', 'user_id,xp,server_id\n2,5,8\n'],
  ])('an import is refused when its pages of %s are of two guilds', async (_bot, first, second) => {
    await expect(check(first, second)).rejects.toThrow(
      'The files are of 2 guilds: a of guild 7, b of guild 8. Import the files of one guild at a time',
    );
  });
});
