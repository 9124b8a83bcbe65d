import type { Redis } from 'ioredis';
import { isCluster, type RedisClient } from './client.ts';

const CONNECTION_TICK_MS = 100;
const CONNECT_TICKS = 5;

/**
 * Closes the socket of a connection that takes longer than half a second to be made, or that is silent for `limitMs` although data was
 * sent. Until a connection closes, the commands that were given up on stay in its queue. This replaces ioredis's `connectTimeout` and
 * `socketTimeout`, and counts ticks, for the reason that timeouts.ts explains.
 */
export function watchSilence(client: Redis, limitMs: number): void {
  const silentTicks = Math.ceil(limitMs / CONNECTION_TICK_MS);
  /** Bytes that were sent when the last reply came. */
  let answeredBytes = 0;
  let waited = 0;
  client.on('connect', () => {
    const { stream } = client;
    answeredBytes = 0;
    waited = 0;
    stream.on('data', () => {
      answeredBytes = stream.bytesWritten;
      waited = 0;
    });
  });
  const tick = (): void => {
    const { stream } = client;
    if (!stream || stream.destroyed) {
      waited = 0;
      return;
    }
    const isWaiting = stream.connecting || stream.bytesWritten !== answeredBytes;
    waited = isWaiting ? waited + 1 : 0;
    if (waited <= (stream.connecting ? CONNECT_TICKS : silentTicks)) return;
    stream.destroy(new Error(stream.connecting ? 'connect ETIMEDOUT' : `Redis was silent for ${limitMs} ms`));
  };
  const timer = setInterval(tick, CONNECTION_TICK_MS).unref();
  client.once('end', () => clearInterval(timer));
}

/**
 * Closes each connection on which more than `maxBytes` arrive, because a peer that sends without end would fill the memory.
 * @param onExceeded called with the reason each time.
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
