import { describe, expect, it } from 'vitest';
import { checkRow } from '../../../src/imports/rows.ts';
import { OWN_READING } from './own-reading.ts';
import { fixture, readFile, refusals } from './read.ts';

const NOW = Date.parse('2026-11-27T12:00:00Z');
const claimed = (lastDailyClaim: string) => checkRow({ userId: '1', xp: 1, lastDailyClaim }, OWN_READING, NOW);

describe('a last_daily_claim in the future', () => {
  it('a claim more than a day from now is refused, which leaves room for clocks and time zones', () => {
    expect(claimed('2026-11-28T12:00:00Z')).toEqual({ userId: '1', xp: 1, lastDailyClaim: '2026-11-28T12:00:00.000Z' });
    for (const time of ['2026-11-28T12:00:00.001Z', '2027-01-31', '2026-11-28T12:00:01+00:00'])
      expect(claimed(time)).toBe(
        `last_daily_claim "${time}" is more than a day from now: no member can have claimed then`,
      );
  });

  it('a row of a file with a claim in the future is a bad row with its line', async () => {
    const bad = '2: last_daily_claim "9999-01-31" is more than a day from now: no member can have claimed then';
    expect(refusals(await readFile('user_id,xp,last_daily_claim\n1,5,9999-01-31\n'))).toEqual([bad]);
    const ndjson = '{"user_id":"1","xp":1}\n{"user_id":"1","xp":1,"last_daily_claim":"9999-01-31"}';
    expect(refusals(await readFile(ndjson))).toEqual([bad]);
  });
});

describe('values that are written in another way', () => {
  const columns = 'user_id,xp,hidden,last_daily_claim';

  it.each(['y', 'on', 'x', '1', 'T', 'Ja'])('the word %j means true', async (word) => {
    expect((await readFile(`${columns}\n1,5,${word},\n`)).rows).toMatchObject([{ hidden: true }]);
  });

  it.each(['n', 'off', '0', 'F', 'nein'])('the word %j means false', async (word) => {
    expect((await readFile(`${columns}\n1,5,${word},\n`)).rows).toMatchObject([{ hidden: false }]);
  });

  it.each(['NaN', 'NaT', '<NA>', 'None', 'null', '#N/A'])('the word %j means that there is no value', async (word) => {
    const { rows } = await readFile(`${columns}\n1,5,${word},${word}\n`);
    expect(rows).toEqual([{ userId: '1', xp: 5, lastDailyClaim: null }]);
    expect(refusals(await readFile(`${columns}\n${word},5,,\n1,${word},,\n`))).toEqual([
      '2: user_id is missing',
      '3: xp is missing',
    ]);
  });

  it.each([
    ['seconds since 1970', '1769884200'],
    ['seconds with decimals', '1769884200.25'],
    ['milliseconds', '1769884200250'],
  ])('the import reads a time that is written as %s', async (_what, text) => {
    const time = text.includes('25') ? '2026-01-31T18:30:00.250Z' : '2026-01-31T18:30:00.000Z';
    expect((await readFile(`${columns}\n1,5,,${text}\n`)).rows).toMatchObject([{ lastDailyClaim: time }]);
    const ndjson = `{"user_id":"1","xp":5,"last_daily_claim":${text}}`;
    expect((await readFile(ndjson)).rows).toMatchObject([{ lastDailyClaim: time }]);
  });

  it('the import reads a time in the canonical form of mongoexport', async () => {
    const text =
      '{"user_id":"1","xp":{"$numberLong":"5"},"last_daily_claim":{"$date":{"$numberLong":"1769884200000"}}}';
    for (const content of [text, `[${text}]`])
      expect((await readFile(content)).rows).toEqual([
        { userId: '1', xp: 5, lastDailyClaim: '2026-01-31T18:30:00.000Z' },
      ]);
  });

  it('the import reads XP, a level and a time in the canonical form of mongoexport', async () => {
    expect((await readFile(fixture('discord-xp-canonical.ndjson'))).rows).toEqual([
      { userId: '204255221017214977', xp: 4700, level: 6 },
      { userId: '159998587045832321', xp: 254, level: 1 },
    ]);
  });

  it.each([
    ['discord-xp', '{"userID":"1","guildID":"2","xp":4700.5,"level":6}'],
    ['@robojs/xp', '{"204255221017214977":{"xp":4700.5,"level":6,"xpMessages":5}}'],
    ['LevelUp', '{"users":{"204255221017214977":{"xp":4700.5,"voice":0.0}}}'],
  ])('the import cuts off the decimals of XP from %s', async (_bot, content) => {
    const file = await readFile(content);
    expect(refusals(file)).toEqual([]);
    expect(file.rows).toMatchObject([{ xp: 4700 }]);
  });

  it.each([
    ['Level 10', '4,700 XP'],
    ['lvl. 10', '4700xp'],
    ['10', '4 700 points'],
  ])('the import reads a number beside the word of what is counted, as in "%s" and "%s"', async (level, xp) => {
    const text = `user_id,xp,level\n204255221017214977,"${xp}",${level}\n159998587045832321,254,1\n`;
    expect((await readFile(text)).rows).toMatchObject([{ xp: 4700, level: 10 }, { xp: 254 }]);
  });
});
