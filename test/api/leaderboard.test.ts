import request from 'supertest';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startService, type TestService } from '../helpers/service.ts';
import { storeKinds, type TestStore } from '../helpers/stores.ts';

describe.each(storeKinds)('GET /servers/{guild_id}/leaderboard on $name', (kind) => {
  let testStore: TestStore;
  let service: TestService;
  let key: string;

  beforeAll(async () => {
    testStore = await kind.start();
    service = await startService(testStore);
  });
  afterAll(async () => {
    await service.close();
    await testStore.stop();
  });
  beforeEach(async () => {
    await testStore.empty();
    ({ key } = await service.store.apiKeys.create('guild', 'test', null));
    await service.store.writer.recordMany('guild', [
      { userId: '9', set: 255, profile: { username: 'Nine' } },
      { userId: '100', set: 255 },
      { userId: '10', set: 255, profile: { level: 40 } },
      { userId: '7', set: 4675 },
      { userId: '1', set: 0 },
    ]);
  });
  const get = (path: string) => request(service.url).get(`/api/v1${path}`).set('x-api-key', key);

  it('orders by XP, then by user id in descending byte order, and counts everyone', async () => {
    const { body } = await get('/servers/guild/leaderboard').expect(200);
    expect(body).toEqual({
      data: [
        { rank: 1, user_id: '7', username: '7', level: 10, xp: 4675 },
        { rank: 2, user_id: '9', username: 'Nine', level: 2, xp: 255 },
        { rank: 3, user_id: '100', username: '100', level: 2, xp: 255 },
        { rank: 4, user_id: '10', username: '10', level: 40, xp: 255 },
        { rank: 5, user_id: '1', username: '1', level: 0, xp: 0 },
      ],
      total: 5,
      page: 1,
    });
  });
});
