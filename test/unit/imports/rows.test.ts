import { describe, expect, it } from 'vitest';
import { checkRow, OWN_READING } from '../../../src/imports/rows.ts';
import { readFile, refusals } from './read.ts';

const NOW = Date.parse('2026-11-27T12:00:00Z');
const claimed = (lastDailyClaim: string) => checkRow({ userId: '1', xp: 1, lastDailyClaim }, OWN_READING, NOW);

describe('a last_daily_claim in the future', () => {
  it('is refused from a day on, which covers clocks and zones', () => {
    expect(claimed('2026-11-28T12:00:00Z')).toEqual({ userId: '1', xp: 1, lastDailyClaim: '2026-11-28T12:00:00.000Z' });
    for (const time of ['2026-11-28T12:00:00.001Z', '2027-01-31', '2026-11-28T12:00:01+00:00'])
      expect(claimed(time)).toBe(
        `last_daily_claim "${time}" is more than a day from now: no member can have claimed then`,
      );
  });

  it('is a bad row of a file, with its line', async () => {
    const bad = '2: last_daily_claim "9999-01-31" is more than a day from now: no member can have claimed then';
    expect(refusals(await readFile('user_id,xp,last_daily_claim\n1,5,9999-01-31\n'))).toEqual([bad]);
    const ndjson = '{"user_id":"1","xp":1}\n{"user_id":"1","xp":1,"last_daily_claim":"9999-01-31"}';
    expect(refusals(await readFile(ndjson))).toEqual([bad]);
  });
});
