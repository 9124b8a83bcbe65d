import type { Redis } from 'ioredis';
import { isCluster, type RedisClient } from './redis-client.ts';

/** Closes each connection on which more than `maxBytes` come: something that sends without end would fill the memory. */
export function limitReplies(client: RedisClient, maxBytes: number): void {
  if (isCluster(client)) client.on('+node', (node: Redis) => limitConnection(node, maxBytes));
  else limitConnection(client, maxBytes);
}

function limitConnection(client: Redis, maxBytes: number): void {
  client.on('connect', () => {
    const { stream } = client;
    let bytes = 0;
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) stream.destroy(new Error(`Redis sent more than ${maxBytes} bytes in reply`));
    });
  });
}
