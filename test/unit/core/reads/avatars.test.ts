import { expect, it, vi } from 'vitest';
import { readAvatars } from '../../../../src/core/reads/avatars.ts';
import type { RedisClient } from '../../../../src/core/store/client.ts';
import { RedisKeys } from '../../../../src/core/store/redis-keys.ts';
import { describeStores } from '../../../support/stores.ts';

const HASH = '0123456789abcdef0123456789abcdef';
const redisKeys = new RedisKeys('gr');

describeStores('the avatars of members', (kind) => {
  it('avatars are read by the ids of members, without members who have none and values that are no hash', async () => {
    const { client, stop } = await kind.start();
    try {
      await client.hset('gr:{g}:avatars', { a: HASH, b: `a_${HASH}`, c: 'picture.png' });
      const read = (...userIds: string[]) => readAvatars({ client, redisKeys }, 'g', userIds);
      expect([...(await read('c', 'a', 'nobody', 'b'))]).toEqual([
        ['a', HASH],
        ['b', `a_${HASH}`],
      ]);
      expect(await read('nobody')).toEqual(new Map());
    } finally {
      await stop();
    }
  });
});

it('the avatars of no members are read without a round trip', async () => {
  const hmget = vi.fn();
  expect(await readAvatars({ client: { hmget } as unknown as RedisClient, redisKeys }, 'g', [])).toEqual(new Map());
  expect(hmget).not.toHaveBeenCalled();
});
