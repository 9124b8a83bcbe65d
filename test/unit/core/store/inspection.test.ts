import { expect, it } from 'vitest';
import type { RedisClient } from '../../../../src/core/store/client.ts';
import { inspectStore } from '../../../../src/core/store/inspection.ts';

const node = (info: string) => ({ info: async () => info, time: async () => [1, 2] });
const inspect = (info: string) => inspectStore(node(info) as unknown as RedisClient);

it.each([
  ['redis_version:7.0.15\r\nmaxmemory_policy:noeviction\r\n', []],
  ['redis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.0.1\r\n', []],
  ['redis_version:10.0.1\r\n', []],
  ['redis_version:6.2.14\r\n', ['Redis 6.2.14 is not supported: use Redis 7.0 or later, or Valkey']],
  ['', []],
])('the inspection says of the INFO %j: %j', async (info, findings) => {
  expect(await inspect(info)).toEqual(findings);
});

it('the inspection asks every master of a Cluster, and says the same only once', async () => {
  const nodes = () => [node('redis_version:5.0.0\r\n'), node('redis_version:5.0.0\r\n')];
  expect(await inspectStore({ isCluster: true, nodes } as unknown as RedisClient)).toHaveLength(1);
});

it('the inspection says nothing where INFO and TIME are not allowed', async () => {
  const refuse = async () => {
    throw new Error('NOPERM');
  };
  expect(await inspectStore({ info: refuse, time: refuse } as unknown as RedisClient)).toEqual([]);
});
