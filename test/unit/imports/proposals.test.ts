import { describe, expect, it } from 'vitest';
import { UnknownFieldsError } from '../../../src/imports/unknown-fields.ts';
import { fixture, readFile } from './read.ts';

const ONE = '204255221017214977';
const TWO = '159998587045832321';
const GUILD = '111111111111111111';

/** Returns the error that refuses a file. */
async function refusal(content: string): Promise<Error> {
  const outcome = await readFile(content).catch((error: Error) => error);
  if (!(outcome instanceof Error)) throw new Error('The file was read');
  return outcome;
}

describe('proposals to read the fields of a file', () => {
  it.each([
    ['German words', fixture('german.csv')],
    ['French words', `Rang,ID utilisateur,Pseudo,Expérience,Niveau\n1,${ONE},ann,4700,10\n2,${TWO},bob,254,2\n`],
    [
      'objects in members',
      JSON.stringify([
        { id: ONE, value: { xp: 4700, level: 3 } },
        { id: TWO, value: { xp: 254 } },
      ]),
    ],
    ['two kinds of ids', `id,user,xp\n1,${ONE},4700\n2,${TWO},254\n`],
    ['ids of channels', `channel,who,xp\n${GUILD},${ONE},4700\n${GUILD},${TWO},254\n`],
  ])('an import by a proposal stores what a file with %s means', async (_what, content) => {
    const error = await refusal(content);
    expect(error).toBeInstanceOf(UnknownFieldsError);
    expect(error.message).not.toContain('guess');
    const [reading = {}, ...others] = (error as UnknownFieldsError).readings;
    expect(others).toEqual([]);
    const { rows } = await readFile(content, { map: reading });
    expect(rows).toMatchObject([
      { userId: ONE, xp: 4700 },
      { userId: TWO, xp: 254 },
    ]);
  });

  it('a proposal finds the name and the level in other languages', async () => {
    const error = await refusal(`Nutzer;Benutzername;Erfahrung;Stufe\n${ONE};ann;4.700;10\n`);
    expect(error.message).toContain('--map id=Nutzer,xp=Erfahrung,name=Benutzername,level=Stufe');
  });

  it('a proposal knows the columns of a database that names them after the member, and no column without a name', async () => {
    const error = await refusal(
      `member_id,member_name,member_level,member_xp,member_total_xp,\n${ONE},ann,10,25,4700,\n${TWO},bob,1,154,254,\n`,
    );
    expect(error.message).toContain('member_total_xp "4700": say which field is which');
    expect(error.message).toMatch(
      /--map id=member_id,xp=member_total_xp,name=member_name,level=member_level, or --map id=member_id,xp=member_xp,name=member_name,level=member_level$/,
    );
  });

  it('a proposal names each part of XP', async () => {
    const error = await refusal(JSON.stringify([{ id: ONE, xp: { text: 4700, voice: 100, level: 10 } }]));
    expect(error.message).toMatch(
      /: say which field is which, such as --map id=id,xp=xp\.text,level=xp\.level, or --map id=id,xp=xp\.voice,level=xp\.level$/,
    );
  });

  it.each([
    [
      'no field has ids of Discord',
      'id,user,xp\n1,ann,4700\n2,bob,254\n',
      /xp "4700"\. None of these has ids of Discord, so this is a guess: .* --map id=user,xp=xp$/,
    ],
    [
      'no field is called XP',
      `[{"id":"${ONE}","amount":5},{"id":"${TWO}","amount":7}]`,
      /\. None of these is called XP, so this is a guess: .* --map id=id,xp=amount$/,
    ],
    [
      'two fields have ids of Discord',
      `who,inviter,xp\n${ONE},${TWO},5\n`,
      /\. who and inviter both have ids of Discord, so this is a guess: .* --map id=who,xp=xp$/,
    ],
  ])('a proposal says that it is a guess when %s', async (_what, content, message) => {
    expect((await refusal(content)).message).toMatch(message);
  });

  it.each([
    [
      'ids in longer texts',
      `[{"ID":"xp_1_${ONE}","data":"4700"},{"ID":"xp_1_${TWO}","data":254}]`,
      `, and ID has ids in longer texts, such as "xp_1_${ONE}": write the id of the member alone into a field user_id`,
    ],
    [
      'objects by names',
      '{"ann":{"xp":4700},"bob":{"xp":254}}',
      'f has objects by names that are no ids of Discord, such as "ann" and "bob": write them as an array of objects, each with the id of its member in user_id',
    ],
    [
      'JSON inside texts',
      JSON.stringify([{ key: `1-${ONE}`, value: JSON.stringify({ user: ONE, points: 4700 }) }]),
      /, and value has JSON inside texts, such as .*: parse these texts before you save the file, such as with jq '\[\.\[\] \| \. \+ \(\.value \| fromjson\)\]' FILE > members\.json$/,
    ],
    [
      'ids in longer names',
      `{"xp:1:${ONE}":4700,"xp:1:${TWO}":254}`,
      `, and the ids are in longer names, such as "xp:1:${ONE}": write the id of the member alone as the name`,
    ],
    [
      'no ids',
      'place,xp\n1,4700\n2,254\n',
      ', and none of these has the ids of the members: add them in a field user_id',
    ],
  ])('a file with %s gets no proposal, and the message says what to do', async (_what, content, message) => {
    const error = await refusal(content);
    if (typeof message === 'string') expect(error.message).toContain(message);
    else expect(error.message).toMatch(message);
    expect(error.message).not.toContain('--map');
  });
});

describe('keys of two ids, as quick.db has them', () => {
  const GUILD = '123456789012345678';
  const OTHER = '987654321098765432';
  const rows = (keyOf: (user: string) => string, value: (xp: number) => unknown = (xp) => xp) =>
    JSON.stringify([
      { id: keyOf(ONE), value: value(4700) },
      { id: keyOf(TWO), value: value(254) },
    ]);
  const command = (select: string, member: string, xp = '.value') =>
    `: write the id of the member alone into a field user_id, such as with jq -r '"user_id,xp", (.[] | select(.id | ${select}) | "\\(.id | ${member}),\\(${xp})")' FILE > members.csv`;

  it.each([
    ['the guild first', rows((user) => `xp_${GUILD}_${user}`), command(`startswith("xp_${GUILD}_")`, 'split("_")[2]')],
    [
      'the user first, and objects',
      rows(
        (user) => `user_${user}_${GUILD}`,
        (xp) => ({ xp, level: 1 }),
      ),
      command(`startswith("user_") and endswith("_${GUILD}")`, 'split("_")[1]', '.value.xp'),
    ],
    ['no word before the ids', rows((user) => `${GUILD}-${user}`), command(`startswith("${GUILD}-")`, 'split("-")[1]')],
    [
      'levels beside XP',
      JSON.stringify([{ id: `level_${GUILD}_${ONE}`, value: 9 }, ...JSON.parse(rows((user) => `xp_${GUILD}_${user}`))]),
      command(`startswith("xp_${GUILD}_")`, 'split("_")[2]'),
    ],
  ])('keys with %s are refused with the command that makes members of them', async (_what, content, message) => {
    expect((await refusal(content)).message).toContain(message);
  });

  it('keys of two ids that name the values are refused with such a command too', async () => {
    const content = JSON.stringify({ [`xp_${GUILD}_${ONE}`]: 4700, [`xp_${GUILD}_${TWO}`]: 254 });
    expect((await refusal(content)).message).toContain(
      `such as with jq -r '"user_id,xp", (to_entries[] | select(.key | startswith("xp_${GUILD}_")) | "\\(.key | split("_")[2]),\\(.value)")' FILE > members.csv`,
    );
  });

  it.each([
    ['two guilds', rows((user) => `xp_${user === ONE ? GUILD : OTHER}_${user}`)],
    ['one member, whose id nobody can tell from that of the guild', rows(() => `xp_${GUILD}_${ONE}`)],
    [
      'several words, none of which is called XP',
      rows((user) => `${user === ONE ? 'coins' : 'bank'}_${GUILD}_${user}`),
    ],
  ])('keys of %s are refused without a command', async (_what, content) => {
    expect((await refusal(content)).message).toMatch(/: write the id of the member alone into a field user_id$/);
  });
});

describe('titles above the names of the columns', () => {
  it.each([
    ['with values beside it', `Leaderboard, 2026\nuser_id,xp\n${ONE},5\n`, 'line 2 has the names of the columns'],
    [
      'of two lines',
      `Leaderboard;2026;\nof;all;\nuser_id;xp;name\n${ONE};5;a\n`,
      'line 3 has the names of the columns',
    ],
    ['alone', `# exported 2026-01-01\nuser_id,xp\n${ONE},5\n`, 'line 2 has the names of the columns'],
  ])('a title %s is refused, and the message names the line of the names', async (_what, content, message) => {
    await expect(readFile(content, { name: 'f.csv' })).rejects.toThrow(`f.csv: ${message}`);
  });

  it('a row with the name "xp" is a member, and no line with the names of the columns', async () => {
    expect((await readFile(`user_id,xp,username\n${ONE},5,xp\n`)).rows).toHaveLength(1);
  });

  it('a file with one value in each line is refused, because a member needs an id and XP', async () => {
    await expect(readFile(`${ONE}\n4700\n${TWO}\n254\n`, { name: 'f.txt' })).rejects.toThrow(
      'f.txt: each line has one value, and a member needs an id and XP: write both into each line',
    );
  });
});

it('a document of no known bot with several lists of members is refused, and the message says how to choose a list', async () => {
  const list = (xp: number) => [{ id: ONE, xp }];
  await expect(readFile(JSON.stringify({ weekly: list(5), alltime: list(500) }))).rejects.toThrow(
    "f has several lists that can be the members, in weekly, in alltime: save one list alone, such as with jq '.weekly' FILE > members.json",
  );
});
