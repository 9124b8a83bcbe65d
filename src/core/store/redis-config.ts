/** How to reach Redis. src/config reads it from the environment. */

/** The TLS of connections to Redis and to Sentinels. An empty text = unset. */
export interface TlsConfig {
  /** Certificates of the authorities to trust, instead of the authorities that Node trusts. */
  readonly ca: string;
  /** Certificate and key of this client. */
  readonly cert: string;
  readonly key: string;
  /** Name that the certificate of the server must have, instead of the host of its address. */
  readonly servername: string;
  /** Whether the certificate of the server is checked. Without, another server can pose as Redis. */
  readonly verify: boolean;
}

/** The connection to Redis. */
export interface RedisConfig {
  /** Host, credentials, database and TLS. With Sentinel or Cluster the host is not used. */
  readonly url: string;
  readonly mode: 'standalone' | 'sentinel' | 'cluster';
  readonly nodes: readonly { readonly host: string; readonly port: number }[];
  readonly sentinelName: string;
  /** How to connect to the Sentinels themselves. An empty text = unset. */
  readonly sentinels: { readonly username: string; readonly password: string; readonly tls: boolean };
  readonly tls: TlsConfig;
  /** Time limit of one command, in milliseconds. */
  readonly timeoutMs: number;
  /** Time between two probes of a Redis that nobody asks anything, in milliseconds. */
  readonly probeMs: number;
}
