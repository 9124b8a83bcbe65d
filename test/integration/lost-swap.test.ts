import { expect, it } from 'vitest';
import { COMMAND_ADVICE } from '../../src/cli/advice.ts';
import { StoreUnavailableError } from '../../src/errors.ts';
import { generateEntries } from '../../src/formats/generate.ts';
import { load } from '../../src/formats/load.ts';
import { Problems } from '../../src/formats/problems.ts';
import { storeSuite } from '../support/store-suite.ts';
import { mockStore } from '../support/stores.ts';

const suite = storeSuite(mockStore);

/** Loads three members in the place of others, while the command of this name, or in this mode, gets no reply. */
async function replaceWithout(lost: string) {
  const guild = suite.newGuild();
  await suite.store.writer.record(guild, { userId: 'old', set: 5 });
  const target = suite.beside(async (name, _keys, mode) => {
    if (name === lost || mode === lost) throw new StoreUnavailableError(new Error('Connection is closed.'));
  });
  const inputs = [
    {
      name: 'generated',
      unit: 'element' as const,
      size: 3,
      close: () => {},
      entries: (onRead: (amount: number) => void) => generateEntries(3, 's', onRead),
    },
  ];
  const progress = { advice: COMMAND_ADVICE, update: () => {}, write: () => {} };
  const { signal } = new AbortController();
  const reading = { inputs, strict: false, problems: new Problems(() => {}), progress, signal };
  const job = { guild, reading, stop: { signal, holdExit: () => {} }, replace: true, plan: undefined };
  const { outcome, summary } = await load(target, {
    ...job,
    curve: undefined,
    formatCurve: undefined,
    levels: undefined,
    reopen: undefined,
    maxDistinct: 10,
  });
  expect(summary).toMatchObject({ complete: false, loaded: 0 });
  return outcome?.message;
}

it('a replacement without the reply to its swap says that the guild is old or new, and how to go on', async () => {
  expect(await replaceWithout('swap')).toBe(
    'Redis did not answer: Connection is closed. (the guild has all old or all new members: run the same command again)',
  );
});

it('a replacement that cannot stage says that nothing was replaced', async () => {
  expect(await replaceWithout('stage')).toBe('Redis did not answer: Connection is closed. (nothing was replaced)');
});
