import request from 'supertest';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { expectDocumented, isDocumentedPath } from './api-document.ts';
import { startService, type TestService } from './service.ts';
import type { StoreKind, TestStore } from './stores.ts';

/** The service under test, filled in before the tests of a suite run. */
export interface Suite {
  testStore: TestStore;
  service: TestService;
  /** A key of the guild "guild", made anew for every test. */
  key: string;
  /** GET under /api/v1 with that key, or another; fails when the answer is not as the API document describes it. */
  get(path: string, key?: string): request.Test;
}

/** Runs a suite against one service on one store; every test starts with an empty store and one key. */
export function serviceSuite(
  kind: StoreKind,
  env: Record<string, string> = {},
  drawing?: Parameters<typeof startService>[2],
): Suite {
  const suite = {
    get: (path: string, key = suite.key) =>
      request(suite.service.url)
        .get(`/api/v1${path}`)
        .set('x-api-key', key)
        .expect(({ status, headers, text }) => {
          if (isDocumentedPath(path)) expectDocumented({ status, headers, text: text ?? '' }, path);
        }),
  } as Suite;
  beforeAll(async () => {
    suite.testStore = await kind.start();
    suite.service = await startService(suite.testStore, env, drawing);
  });
  afterAll(async () => {
    await suite.service.close();
    await suite.testStore.stop();
  });
  beforeEach(async () => {
    await suite.testStore.empty();
    ({ key: suite.key } = await suite.service.store.apiKeys.create('guild', 'test', null));
  });
  return suite;
}

/** Puts a guild on a plan, as `guild set` does. */
export async function setPlan({ service }: Suite, guild: string, plan: string): Promise<void> {
  await service.store.guildConfig.update(guild, { plan });
}
