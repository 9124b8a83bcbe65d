import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { type RedisOptions, type SentinelConnectionOptions, SentinelConnector } from 'ioredis';
import type { TlsConfig } from '../config/redis.ts';

/** The TLS of connections, with the name of the host in the handshake. */

/**
 * Returns the option `tls` with the name of the host, unless a name is set: a host that serves many by one address refuses a handshake without
 * the name, and Node sends none by itself. An IP address is no name.
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

/** The method of ioredis that connects to one Sentinel, which its types hide. */
interface ConnectsToSentinels {
  connectToSentinel: (endpoint: { readonly host: string }, options?: RedisOptions) => unknown;
}

/** Asks Sentinels over TLS for the master, each with the name of its own host in the handshake. */
export class NamingSentinelConnector extends SentinelConnector {
  constructor(options: unknown) {
    super(options as SentinelConnectionOptions);
    const hidden = this as unknown as ConnectsToSentinels;
    const connect = hidden.connectToSentinel.bind(this);
    hidden.connectToSentinel = (endpoint, further) =>
      connect(endpoint, { ...further, ...namedTls(this.options.sentinelTLS, endpoint.host) });
  }
}
