import { expect, it, vi } from 'vitest';
import { readAvatars } from '../../../../src/core/reads/avatars.ts';
import type { RedisClient } from '../../../../src/core/store/client.ts';
import { RedisKeys } from '../../../../src/core/store/redis-keys.ts';
import { describeStores } from '../../../support/stores.ts';

const HASH = '0123456789abcdef0123456789abcdef';
const redisKeys = new RedisKeys('gr');

describeStores('a read of avatars', (kind) => {
  it('a read of avatars returns hashes by user id, and leaves out a missing avatar and a value that is no hash', async () => {
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

it('a read of avatars makes no round trip for an empty list', async () => {
  const hmget = vi.fn();
  expect(await readAvatars({ client: { hmget } as unknown as RedisClient, redisKeys }, 'g', [])).toEqual(new Map());
  expect(hmget).not.toHaveBeenCalled();
});
