import { expect, it } from 'vitest';
import { COMMAND_SENTENCES } from '../../src/cli/sentences.ts';
import { RefusedError } from '../../src/core/errors.ts';
import { runCommand } from '../support/command.ts';

const NAMED = {
  guild: 'g',
  key: 'k',
  user: 'u',
  kind: 'week',
  boards: ['month'],
  archive: 'g.s1',
  most: 100,
  left: 3,
  ranked: 10,
  share: 30,
  maxShare: 20,
};
const COMMAND = /"npm run -s (\w+) -- ([^"]+)"/;

const sentencesOf = (names: object) =>
  Object.entries(COMMAND_SENTENCES).map(([code, tell]) => [code, (tell as (names: object) => string)(names)] as const);
const sentences = sentencesOf(NAMED);
const withCommand = [...sentences, ...sentencesOf({ ...NAMED, user: '-u', key: '-k' })].flatMap(([code, text]) => {
  const [, name, args] = COMMAND.exec(text) ?? [];
  return name && args ? [[code, name, args] as const] : [];
});

it('a command mends most refusals, and the sentence of the command line names it', () => {
  expect(withCommand.length).toBeGreaterThan(7);
  for (const [, text] of sentences) expect(text).not.toMatch(/undefined|\.$/);
});

it.each(withCommand)('the refusal %s names a command that the command line takes: %s %s', async (_code, name, args) => {
  const env = { REDIS_URL: 'redis://127.0.0.1:1' };
  const { code, stderr } = await runCommand(name, args.split(' '), env, { connectTimeoutMs: 50 });
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^error: Cannot reach /) });
});

it('the sentence of a refusal ends with what was done before it', () => {
  const refused = new RefusedError('curve_changed', { guild: 'g' }).after('nothing was replaced');
  expect(refused.message).toBe(
    'The curve of guild g was changed meanwhile: try again, on the new curve (nothing was replaced)',
  );
  expect(refused.tell({ curve_changed: () => 'Another curve' })).toBe('Another curve (nothing was replaced)');
});
