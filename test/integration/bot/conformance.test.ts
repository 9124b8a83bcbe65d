import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { conformanceSuites, describeConformance } from '../../conformance/on-client.ts';
import { conformanceFiles } from '../../conformance/text.ts';
import { repository } from '../../support/run-command.ts';

const FOLDER = join(repository, 'conformance');
/** Every refusal that the header of a script names. */
const REFUSALS: Record<string, readonly string[]> = {
  award: ['user_id', 'argument', 'field', 'range', 'total', 'event'],
  claim: ['user_id', 'argument', 'field', 'range', 'total', 'event'],
  record: ['user_id', 'argument', 'xp', 'range', 'level', 'field', 'total', 'event'],
  hide: ['user_id', 'argument', 'total'],
  'season-hold': ['lock'],
  'season-mark': ['lock'],
  'season-place': ['lock', 'total', 'user_id'],
  'season-end-copy': ['lock'],
  'season-reset': ['lock', 'total'],
  'season-finish': ['lock'],
  'season-unlock': ['lock'],
  stage: ['user_id', 'xp', 'range', 'field', 'total', 'lock'],
};

describe('the files in conformance', () => {
  it('the files in conformance are what the models say: after a change, run "npm run conformance"', () => {
    const expected = conformanceFiles();
    const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
    expect(files.sort()).toEqual([...expected.keys()].sort());
    for (const [name, text] of expected) expect(readFileSync(join(FOLDER, name), 'utf8') === text, name).toBe(true);
  });

  it('the files in conformance have hundreds of cases of each script, or of the steps of a season together', () => {
    const counts = new Map<string, number>();
    for (const { script, cases } of conformanceSuites) {
      const [work = ''] = script.split('-');
      counts.set(work, (counts.get(work) ?? 0) + cases.length);
    }
    for (const [work, count] of counts) expect(count, work).toBeGreaterThanOrEqual(200);
  });

  it.each(conformanceSuites)('the files in conformance have every refusal of $script', ({ script, cases }) => {
    const refused = new Set(
      cases.flatMap(({ reply }) => (Array.isArray(reply) && reply[0] === 'REFUSED' ? [reply[2]] : [])),
    );
    expect([...refused].sort()).toEqual([...(REFUSALS[script] ?? [])].sort());
  });
});

describeConformance({
  name: 'ioredis 5',
  open: async (url) => {
    const client = new Redis(url);
    return { client, close: () => client.disconnect() };
  },
});
