import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { Redis, type RedisOptions } from 'ioredis';
import { reconnect } from './client.ts';

/** User, password and TLS of the connections to Sentinels. */
export type SentinelAccess = Pick<RedisOptions, 'username' | 'password' | 'tls'>;

const RETRY_MS = 250;

/** A connection that breaks while a handshake without ready check waits for replies never returns (redis/ioredis issue 2099). */
const HANDSHAKE = { enableReadyCheck: false, disableClientInfo: true, autoResubscribe: false } as const;

/**
 * Closes a connection as soon as a Sentinel announces another master, so that no command silently goes to the old master (redis/ioredis issue 1314).
 * ioredis's own `failoverDetector` also cuts a connection to the new master, which is a second outage. Watches every Sentinel, because any of them
 * may be the first to know.
 * @param name name of the master. The watch ends with the connection.
 * @param accessOf returns how to connect to the Sentinel on a host.
 */
export function watchSentinels(
  client: Redis,
  name: string,
  sentinels: readonly { readonly host: string; readonly port: number }[],
  accessOf: (host: string) => SentinelAccess,
): void {
  const watchers = sentinels.map(({ host, port }) => {
    const watcher = new Redis({ ...accessOf(host), host, port, ...HANDSHAKE, retryStrategy: () => RETRY_MS });
    watcher.on('error', () => {}); // A Sentinel may be down; the other Sentinels still report.
    watcher.on('ready', () => void watcher.subscribe('+switch-master').catch(() => {}));
    watcher.on('message', async (_channel: string, message: string) => {
      const [set, , , host = '', port] = message.split(' ');
      if (set !== name) return;
      const addresses = await addressesOf(host);
      const { remoteAddress = '', remotePort } = client.stream ?? {};
      const isThere = addresses.includes(remoteAddress) && String(remotePort) === port;
      // A connection that is being made asks the Sentinels anyway.
      if (!isThere) reconnect(client);
    });
    return watcher;
  });
  client.once('end', () => {
    for (const watcher of watchers) watcher.disconnect();
  });
}

/** Returns the addresses of a host, because a Sentinel names a master either by host or by address. An unknown name has no address. */
async function addressesOf(host: string): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host];
  return (await lookup(host, { all: true }).catch(() => [])).map(({ address }) => address);
}
