import { setTimeout as delay } from 'node:timers/promises';
import { messageOf, redisCodeOf } from '../errors.ts';
import { isCluster, nodesOf, type RedisClient } from './client.ts';
import { describeRedis } from './connection.ts';
import { connectionRefusal, mayHaveSpoken } from './connection-refusal.ts';
import { explainStart, isRefusal } from './failures.ts';
import type { RedisConfig } from './redis-config.ts';

const RETRY_MS = 50;
/** Time after which a server that closes connections at once is asked again what it says. It may have served in between. */
const LOOK_MS = 1000;
/** If the wait for the connection takes longer, the log says so. */
const QUIET_MS = 500;
/** Time limit of a command to a node that may not answer. */
const NODE_LIMIT_MS = 500;

/**
 * Errors that only follow from an earlier error, which has the cause: the errors of an interrupted handshake, and of a Cluster whose nodes all
 * failed.
 */
const EFFECT = /^(Stream isn't writeable|Reached the max retries|Failed to refresh slots cache)/;

/** The message of Redis while it reads its data from disk. */
export const LOADING = 'LOADING Redis is loading the dataset in memory';

/**
 * Waits until Redis answers a PING. While Redis says that it loads its data, it waits as long as that takes.
 * @param onWait called when that takes longer than half a second, with the last error; and again when Redis is found to be loading.
 * @param readRefusal returns what the server says to a connection that only reads; asked each second, while connections are closed at once.
 * @throws the last error of the connection after `timeoutMs`, with `overTls` of ConnectionError; or at once when Redis refuses the
 * credentials or the database, when a certificate is refused, or when the client is closed.
 */
export async function waitUntilReady(
  client: RedisClient,
  timeoutMs: number,
  onWait: (error: Error) => void,
  readRefusal: () => Promise<string | undefined> = async () => undefined,
): Promise<void> {
  const start = performance.now();
  let deadline = start + timeoutMs;
  let lastError: Error | undefined;
  let lookAt = start;
  let hasGreeting = false;
  let wasClosed = false;
  const noteClose = () => {
    wasClosed = true;
  };
  // Without a connection, a command only fails as "not writeable"; the connection's own error has the reason.
  const watch = (error: Error) => {
    const isEffect = EFFECT.test(error.message);
    if (!lastError || !(isEffect || isRefusal(lastError) || (hasGreeting && mayHaveSpoken(error)))) lastError = error;
  };
  client.on('error', watch);
  // A Cluster does not report the errors of its nodes as its own.
  client.on('node error', watch);
  client.on('close', noteClose);
  client.on('-node', noteClose);
  try {
    for (let reported: 'no' | 'away' | 'loading' = 'no'; ; ) {
      try {
        await client.ping();
        if (client.isCluster) await openNodes(client);
        return;
      } catch (error) {
        // A Redis that cannot save to its disk refuses PING and writes, and serves everything else.
        if (redisCodeOf(messageOf(error)) === 'MISCONF') return;
        // Until a first connection was closed, a command fails only because there is no connection yet.
        if (wasClosed && performance.now() >= lookAt && mayHaveSpoken(lastError ?? error)) {
          const said = await readRefusal();
          lookAt = performance.now() + LOOK_MS;
          hasGreeting = said !== undefined;
          if (said !== undefined) lastError = new Error(said);
        }
        const failure = lastError ?? (error as Error);
        const loading = !isRefusal(failure) && (await isLoading(client));
        const reason = loading ? new Error(LOADING) : Object.assign(failure, { overTls: usesTls(client) });
        if (loading) deadline = performance.now() + timeoutMs;
        // The owner has closed the client.
        const isClosed = client.status === 'end';
        if (isClosed || isRefusal(reason) || performance.now() + RETRY_MS > deadline) throw reason;
        const isNews = loading ? reported !== 'loading' : reported === 'no';
        if (isNews && performance.now() - start > QUIET_MS) {
          onWait(reason);
          reported = loading ? 'loading' : 'away';
        }
      }
      await delay(RETRY_MS);
    }
  } finally {
    client.off('error', watch);
    client.off('node error', watch);
    client.off('close', noteClose);
    client.off('-node', noteClose);
  }
}

/** Waits like {@link waitUntilReady}, 30 seconds unless `timeoutMs` is given. @throws Error that names the Redis, the reason and the fix. */
export async function reachStore(
  client: RedisClient,
  redis: RedisConfig,
  onWait: (error: Error) => void,
  timeoutMs = 30_000,
): Promise<void> {
  await waitUntilReady(client, timeoutMs, onWait, () => connectionRefusal(redis, client)).catch((error: Error) => {
    throw new Error(explainStart(redis.mode, describeRedis(redis), error));
  });
}

function usesTls(client: RedisClient): boolean {
  const { tls } = isCluster(client) ? (client.options.redisOptions ?? {}) : client.options;
  return tls !== undefined;
}

/** Opens the connections to a Cluster. ioredis opens a connection at its first command, and refuses further commands until the connection is open. */
async function openNodes(client: RedisClient): Promise<void> {
  const pings = nodesOf(client, 'master').map((node) => node.ping());
  await Promise.race([Promise.allSettled(pings), delay(NODE_LIMIT_MS)]);
}

/** Returns whether Redis loads its data, or a node of the Cluster does. ioredis then keeps the connection, but sends no commands. */
export async function isLoading(client: RedisClient): Promise<boolean> {
  const connected = nodesOf(client, 'all').filter(({ status }) => status === 'connect');
  // Redis answers INFO while it loads. Something else may listen there, and say nothing.
  const silence = delay(NODE_LIMIT_MS).then(() => '');
  const replies = await Promise.allSettled(connected.map((node) => Promise.race([node.info('persistence'), silence])));
  return replies.some((reply) => reply.status === 'fulfilled' && /^(async_)?loading:1/m.test(reply.value));
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
