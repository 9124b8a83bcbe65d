import { setTimeout as delay } from 'node:timers/promises';
import type { RedisClient } from './scripts.ts';

const RETRY_MS = 50;
/** A longer wait for the connection is worth a line in the log. */
const QUIET_MS = 500;

/**
 * Waits until Redis answers a PING.
 * @param onWait called once when that takes longer than half a second, with the last error.
 * @throws the last error of the connection after `timeoutMs`, or at once when Redis refuses the credentials.
 */
export async function waitUntilReady(
  client: RedisClient,
  timeoutMs: number,
  onWait: (error: Error) => void,
): Promise<void> {
  const start = performance.now();
  const deadline = start + timeoutMs;
  let lastError: Error | undefined;
  // Without a connection, a command only fails as "not writeable"; the connection's own error has the reason.
  const watch = (error: Error) => {
    if (!lastError || !isRefusal(lastError)) lastError = error;
  };
  client.on('error', watch);
  // A Cluster does not report the errors of its nodes as its own.
  client.on('node error', watch);
  try {
    for (let reported = false; ; ) {
      try {
        await client.ping();
        return;
      } catch (error) {
        const reason = lastError ?? (error as Error);
        if (isRefusal(reason) || performance.now() + RETRY_MS > deadline) throw reason;
        if (!reported && performance.now() - start > QUIET_MS) {
          onWait(reason);
          reported = true;
        }
      }
      await delay(RETRY_MS);
    }
  } finally {
    client.off('error', watch);
    client.off('node error', watch);
  }
}

/**
 * Subscribes to a channel. Calls `onMessage` for each message, and `onGap` when messages may have been missed.
 * @returns a function that tells whether messages arrive now.
 */
export function listen(
  subscriber: RedisClient,
  channel: string,
  onMessage: (message: string) => void,
  onGap: () => void,
): () => boolean {
  let isSubscribed = false;
  const subscribe = (): void => {
    subscriber.subscribe(channel).then(
      () => {
        isSubscribed = true;
        onGap();
      },
      () => {
        // The connection broke again; the next "ready" subscribes anew.
      },
    );
  };
  subscriber.on('close', () => {
    isSubscribed = false;
  });
  subscriber.on('message', (_channel: string, message: string) => onMessage(message));
  subscriber.on('ready', subscribe);
  if (subscriber.status === 'ready') subscribe();
  return () => isSubscribed;
}

/** Returns whether Redis refused the credentials, so that a retry cannot help. */
export function isRefusal(error: Error): boolean {
  return /^(NOAUTH|WRONGPASS|NOPERM)\b|ERR invalid password|ERR Client sent AUTH/.test(error.message);
}
