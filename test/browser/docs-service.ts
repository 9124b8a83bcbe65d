import { startService } from '../support/service.ts';
import { mockStore } from '../support/stores.ts';

/** The service with a guild of three members, for the page /docs. */
export interface DocsService {
  readonly url: string;
  /** A valid API key of the guild `guild`. */
  readonly key: string;
  /** Makes the quota of the guild full again: tests do not use up each other's. */
  renewQuota(): Promise<unknown>;
  close(): Promise<void>;
}

/** Starts the service. Two members have the highest XP, one of them with markup in the name. */
export async function startDocsService(): Promise<DocsService> {
  const testStore = await mockStore.start();
  const service = await startService(testStore);
  const { key } = await service.store.apiKeys.create('guild', 'test', null);
  await service.store.writer.recordMany('guild', [
    { userId: 'ada', set: Number.MAX_SAFE_INTEGER },
    { userId: 'grace', set: Number.MAX_SAFE_INTEGER, username: '<b>Grace</b>' },
    { userId: 'linus', set: 2 },
  ]);
  return {
    url: service.url,
    key,
    renewQuota: () => testStore.client.del('gr:quota:{guild}'),
    close: async () => {
      await service.close();
      await testStore.stop();
    },
  };
}
