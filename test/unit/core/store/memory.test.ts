import { expect, it, vi } from 'vitest';
import type { RedisClient } from '../../../../src/core/store/client.ts';
import { memoryReader } from '../../../../src/core/store/memory.ts';

const info = (used: number, limit: number) => `used_memory:${used}\r\nmaxmemory:${limit}\r\n`;

function clusterOf(...replies: (string | Error)[]) {
  const ask = vi.fn(async (reply: string | Error) => {
    if (reply instanceof Error) throw reply;
    return reply;
  });
  const nodes = replies.map((reply) => ({ info: () => ask(reply) }));
  return { client: { isCluster: true, nodes: () => nodes } as unknown as RedisClient, ask };
}

it('the memory is that of the fullest master', async () => {
  const { client } = clusterOf(info(50, 100), info(80, 100), info(900, 0), new Error('NOPERM'));
  expect(await memoryReader(client, () => 0)()).toEqual({ used: 80, limit: 100 });
});

it('the limit of a Redis without maxmemory is the memory of its machine', async () => {
  const reply = `${info(50, 0)}total_system_memory:1000\r\n`;
  expect(await memoryReader(clusterOf(reply).client, () => 0)()).toEqual({ used: 50, limit: 1000 });
});

it('the memory of a Redis that tells neither maxmemory nor its machine has no limit', async () => {
  expect(await memoryReader(clusterOf(info(50, 0)).client, () => 0)()).toEqual({ used: 50, limit: undefined });
});

it('a Redis that does not allow INFO tells no memory', async () => {
  expect(await memoryReader(clusterOf(new Error('NOPERM')).client, () => 0)()).toBeUndefined();
});

it('many readers ask Redis once in 15 seconds', async () => {
  const { client, ask } = clusterOf(info(50, 100));
  let now = 0;
  const read = memoryReader(client, () => now);
  await Promise.all([read(), read()]);
  now = 14_999;
  await read();
  expect(ask).toHaveBeenCalledTimes(1);
  now = 15_000;
  await read();
  expect(ask).toHaveBeenCalledTimes(2);
});
