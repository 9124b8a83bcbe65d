import type { Redis } from 'ioredis';
import { isCluster, type RedisClient } from './client.ts';

/**
 * Closes each connection on which more than `maxBytes` come: something that sends without end would fill the memory.
 * @param onExceeded is told the reason each time.
 */
export function limitReplies(client: RedisClient, maxBytes: number, onExceeded: (error: Error) => void): void {
  if (isCluster(client)) client.on('+node', (node: Redis) => limitConnection(node, maxBytes, onExceeded));
  else limitConnection(client, maxBytes, onExceeded);
}

function limitConnection(client: Redis, maxBytes: number, onExceeded: (error: Error) => void): void {
  client.on('connect', () => {
    const { stream } = client;
    let bytes = 0;
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBytes) return;
      const error = new Error(`Redis sent more than ${maxBytes} bytes in reply`);
      stream.destroy(error);
      onExceeded(error);
    });
  });
}
