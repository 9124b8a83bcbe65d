import { setTimeout as delay } from 'node:timers/promises';
import type { RedisClient } from './scripts.ts';

const RETRY_MS = 50;
/** Connecting takes a moment; only a longer wait is worth a line in the log. */
const QUIET_MS = 500;

/**
 * Waits until Redis answers a PING; tells `onWait` once when that takes longer than a moment.
 * @throws what the connection met last when it has not within `timeoutMs`, or at once when it refuses the credentials.
 */
export async function waitUntilReady(
  client: RedisClient,
  timeoutMs: number,
  onWait: (error: Error) => void,
): Promise<void> {
  const start = performance.now();
  const deadline = start + timeoutMs;
  let met: Error | undefined;
  // While there is no connection, commands only say "not writeable"; the connection's own error says why.
  const watch = (error: Error) => {
    if (!met || !isRefusal(met)) met = error;
  };
  client.on('error', watch);
  // What a Cluster's nodes answer is not among the Cluster's own errors.
  client.on('node error', watch);
  try {
    for (let told = false; ; ) {
      try {
        await client.ping();
        return;
      } catch (error) {
        const reason = met ?? (error as Error);
        if (isRefusal(reason) || performance.now() + RETRY_MS > deadline) throw reason;
        if (!told && performance.now() - start > QUIET_MS) {
          onWait(reason);
          told = true;
        }
      }
      await delay(RETRY_MS);
    }
  } finally {
    client.off('error', watch);
    client.off('node error', watch);
  }
}

interface OutageLogger {
  error(fields: object, message: string): void;
  info(fields: object, message: string): void;
}

/** Calls `onMessage` for every message on the channel, and `onGap` when messages may have been missed. */
export function listen(
  subscriber: RedisClient,
  channel: string,
  onMessage: (message: string) => void,
  onGap: () => void,
): void {
  const subscribe = (): void => {
    subscriber.subscribe(channel).then(onGap, () => {
      // The connection broke again; the next "ready" subscribes anew.
    });
  };
  subscriber.on('message', (_channel: string, message: string) => onMessage(message));
  subscriber.on('ready', subscribe);
  if (subscriber.status === 'ready') subscribe();
}

/** Whether Redis refused the credentials, so that asking again is no use. */
export function isRefusal(error: Error): boolean {
  return /^(NOAUTH|WRONGPASS|NOPERM)\b|ERR invalid password|ERR Client sent AUTH/.test(error.message);
}

/** Logs one line when Redis goes and one when it comes back, however often the connection is retried between. */
export function logOutages(client: RedisClient, logger: OutageLogger, where: string): void {
  let lost = false;
  client.on('error', (error: Error) => {
    if (!lost) logger.error({ reason: error.message || error.name }, `lost ${where}`);
    lost = true;
  });
  client.on('ready', () => {
    if (lost) logger.info({}, `back: ${where}`);
    lost = false;
  });
}
