import { Redis, type RedisOptions } from 'ioredis';

/** User, password and TLS of the connections to Sentinels. */
export type SentinelAccess = Pick<RedisOptions, 'username' | 'password' | 'tls'>;

const RETRY_MS = 250;

/** A connection that breaks while a handshake without ready check waits for replies never returns (redis/ioredis issue 2099). */
const HANDSHAKE = { enableReadyCheck: false, disableClientInfo: true } as const;

/**
 * Closes a connection as soon as a Sentinel announces another master, so that no command goes to the old one in silence
 * (redis/ioredis issue 1314). ioredis's own `failoverDetector` also cuts a connection to the new master, which is a second outage. Watches
 * every Sentinel, because any of them may be the first to know.
 * @param name name of the master. The watch ends with the connection.
 */
export function watchSentinels(
  client: Redis,
  name: string,
  sentinels: readonly { readonly host: string; readonly port: number }[],
  access: SentinelAccess,
): void {
  const watchers = sentinels.map(({ host, port }) => {
    const watcher = new Redis({ ...access, host, port, ...HANDSHAKE, retryStrategy: () => RETRY_MS });
    watcher.on('error', () => {}); // A Sentinel may be down: the others report.
    watcher.on('ready', () => void watcher.subscribe('+switch-master').catch(() => {}));
    watcher.on('message', (_channel: string, message: string) => {
      const [set, , , host, port] = message.split(' ');
      // A connection that is being made asks the Sentinels anyway, and ioredis takes an interruption of that for the end.
      const isUp = client.status === 'connect' || client.status === 'ready';
      if (set !== name || !isUp || isConnectedTo(client, host, port)) return;
      client.disconnect(true);
    });
    return watcher;
  });
  client.once('end', () => {
    for (const watcher of watchers) watcher.disconnect();
  });
}

function isConnectedTo(client: Redis, host: string | undefined, port: string | undefined): boolean {
  const { remoteAddress, remotePort } = client.stream ?? {};
  return remoteAddress === host && String(remotePort) === port;
}
