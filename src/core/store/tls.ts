import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { RedisOptions } from 'ioredis';
import type { TlsConfig } from './redis-config.ts';

/** The TLS of connections, with the name of the host in the handshake. */

/**
 * Returns the option `tls` with the name of the host, unless a name is set. A host that serves many customers at one address refuses a handshake
 * without the name, and Node sends no name by itself. An IP address is not a name.
 */
export function namedTls(tls: ConnectionOptions | undefined, host: string | undefined): Pick<RedisOptions, 'tls'> {
  if (!tls) return {};
  return { tls: host && !tls.servername && isIP(host) === 0 ? { ...tls, servername: host } : tls };
}

/** Returns the options of node:tls. An option that is not set keeps Node's default. */
export function tlsOptions({ verify, ...tls }: TlsConfig): ConnectionOptions {
  const given = Object.fromEntries(Object.entries(tls).filter(([, value]) => value !== ''));
  return verify ? given : { ...given, rejectUnauthorized: false };
}

/** Returns the master that a Sentinel names as `host:port`, with its name for the handshake: ioredis connects with all of these options. */
export function namedMaster(address: string) {
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon);
  return { host, port: Number(address.slice(colon + 1)), ...(isIP(host) === 0 && { servername: host }) };
}
