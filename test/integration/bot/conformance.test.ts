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
  season: ['lock', 'total', 'user_id'],
  stage: ['user_id', 'xp', 'range', 'field', 'total', 'lock'],
};

describe('the files in conformance', () => {
  it('are what the models say: after a change, run "npm run conformance"', () => {
    const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
    expect(files.sort()).toEqual([...conformanceFiles().keys()].sort());
    for (const [name, text] of conformanceFiles())
      expect(readFileSync(join(FOLDER, name), 'utf8') === text, name).toBe(true);
  });

  it.each(conformanceSuites)('have hundreds of cases of $script, every refusal among them', ({ script, cases }) => {
    expect(cases.length).toBeGreaterThanOrEqual(200);
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
