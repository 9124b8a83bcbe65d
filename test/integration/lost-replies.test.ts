import { expect, it } from 'vitest';
import { COMMAND_ADVICE } from '../../src/cli/sentences.ts';
import { StoreUnavailableError } from '../../src/core/errors.ts';
import { generateEntries } from '../../src/imports/generate.ts';
import type { ImportJob } from '../../src/imports/import-job.ts';
import { importMembers } from '../../src/imports/import-members.ts';
import type { Input } from '../../src/imports/inputs.ts';
import { Problems } from '../../src/imports/problems.ts';
import { storeSuite } from '../support/store-suite.ts';
import { mockStore } from '../support/stores.ts';

const suite = storeSuite(mockStore);

function inputOf(entries: Input['entries']): Input {
  return { name: 'generated', unit: 'element', size: 3, hasLevels: false, close: async () => {}, entries };
}

function jobOf(guild: string, inputs: readonly Input[], replace: boolean): ImportJob {
  const progress = { advice: COMMAND_ADVICE, update: () => {}, write: () => {} };
  const { signal } = new AbortController();
  const reading = { inputs, strict: false, problems: new Problems(), progress, signal };
  return {
    ...{ guild, reading, replace, plan: undefined, maxDistinct: 1000 },
    ...{ curve: undefined, formatCurve: undefined, levels: undefined },
  };
}

/** Imports three members in the place of others, while the script of this name gets no reply. */
async function replaceWithout(lost: string, guild = suite.newGuild()) {
  await suite.store.writer.record(guild, { userId: 'old', set: 5 });
  const target = suite.beside(async ({ name }) => {
    if (name === lost) throw new StoreUnavailableError(new Error('Connection is closed.'));
  });
  const input = inputOf((onRead) => generateEntries(3, 's', onRead));
  const { outcome, summary } = await importMembers(target, { ...jobOf(guild, [input], true), plan: 'free' });
  expect(summary).toMatchObject({ complete: false, imported: 0 });
  return outcome?.message;
}

it('a replacement without the reply to its swap says that the guild is old or new, and how to go on', async () => {
  expect(await replaceWithout('replace-swap')).toBe(
    'Redis did not answer: Connection is closed. (the guild has all old or all new members: run the same command again)',
  );
});

it('a replacement that changes no members changes no plan', async () => {
  const guild = suite.newGuild();
  await replaceWithout('replace-swap', guild);
  expect(await suite.store.client.hget(`gr:{${guild}}:config`, 'plan')).toBeNull();
});

it('a replacement that cannot stage says that nothing was replaced', async () => {
  expect(await replaceWithout('stage')).toBe('Redis did not answer: Connection is closed. (nothing was replaced)');
});

it('a replacement that is stopped while its levels are compared says that nothing was replaced', async () => {
  const stop = new AbortController();
  const entries: Input['entries'] = async function* () {
    stop.abort();
    yield [];
  };
  const job = jobOf(suite.newGuild(), [{ ...inputOf(entries), hasLevels: true }], true);
  const reading = { ...job.reading, signal: stop.signal };
  const { outcome, summary } = await importMembers(suite.store, { ...job, reading });
  expect(outcome?.message).toBe('Interrupted: nothing was replaced');
  expect(summary).toMatchObject({ complete: false, imported: 0, removed: 0 });
});

it('an import that fails on its way counts the rows that Redis confirmed', async () => {
  const guild = suite.newGuild();
  let writes = 0;
  const target = suite.beside(async ({ name }) => {
    if (name === 'record' && ++writes === 2) throw new StoreUnavailableError(new Error('Connection is closed.'));
  });
  async function* entries() {
    yield Array.from({ length: 300 }, (_, n) => ({ at: n, row: { userId: n < 250 ? `u${n}` : 'u0', xp: 5 } }));
  }
  const { summary } = await importMembers(target, jobOf(guild, [inputOf(entries)], false));
  expect(summary).toMatchObject({ complete: false, imported: 250, created: 250, repeated: 0 });
});
