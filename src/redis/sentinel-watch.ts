import { Redis } from 'ioredis';

const RETRY_MS = 250;

/**
 * Lets a connection go as soon as a Sentinel says that another master has taken over, so that no command goes on to the old
 * one in silence. ioredis's own detector also cuts a connection that already is with the new master: a second outage a
 * second after the first. It watches every Sentinel, because the first to know may be any of them.
 * @param name of the master set. The watch ends with the connection.
 */
export function watchSentinels(
  client: Redis,
  name: string,
  sentinels: readonly { readonly host: string; readonly port: number }[],
): void {
  const watchers = sentinels.map(({ host, port }) => {
    const watcher = new Redis({ host, port, enableReadyCheck: false, retryStrategy: () => RETRY_MS });
    watcher.on('error', () => {}); // A Sentinel may be away: the others speak.
    watcher.on('ready', () => void watcher.subscribe('+switch-master').catch(() => {}));
    watcher.on('message', (_channel: string, message: string) => {
      const [set, , , host, port] = message.split(' ');
      // While it connects it asks the Sentinels anyway, and ioredis takes an interruption of that for the end.
      const isUp = client.status === 'connect' || client.status === 'ready';
      if (set !== name || !isUp || isWith(client, host, port)) return;
      client.disconnect(true);
    });
    return watcher;
  });
  client.once('end', () => {
    for (const watcher of watchers) watcher.disconnect();
  });
}

function isWith(client: Redis, host: string | undefined, port: string | undefined): boolean {
  const { remoteAddress, remotePort } = client.stream ?? {};
  return remoteAddress === host && String(remotePort) === port;
}
