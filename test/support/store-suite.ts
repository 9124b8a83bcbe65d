import { afterAll, beforeAll } from 'vitest';
import { type Core, openCore } from '../../src/core/core.ts';
import type { Scripts } from '../../src/core/store/scripts.ts';
import type { StoreKind, TestStore } from './stores.ts';

/** The writers and counters on a test store, filled in before the tests of a suite run. */
export interface StoreSuite {
  store: Core;
  /** Returns the id of a guild that no test has used. */
  newGuild(): string;
  /** Returns the store with a function that runs before each script, as a bot writes between the steps of a command. */
  beside(before: (...command: Parameters<Scripts['run']>) => Promise<unknown>): Core;
}

/** Starts a store before the tests of a suite, and ends it after them. */
export function storeSuite(kind: StoreKind): StoreSuite {
  let testStore: TestStore;
  let guilds = 0;
  const suite = {
    newGuild: () => `g${++guilds}`,
    beside: (before) => {
      const run = async (...command: Parameters<Scripts['run']>) => {
        await before(...command);
        return suite.store.scripts.run(...command);
      };
      return { ...suite.store, scripts: { run } as Scripts };
    },
  } as StoreSuite;
  beforeAll(async () => {
    testStore = await kind.start();
    suite.store = openCore(testStore.connect(), 'gr');
  });
  afterAll(() => testStore.stop());
  return suite;
}
