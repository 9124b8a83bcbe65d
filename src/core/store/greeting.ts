import { connect as connectTcp, type NetConnectOpts } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { RedisOptions } from 'ioredis';
import { messageOf } from '../errors.ts';
import type { RedisClient } from './client.ts';
import { addressesOf, peerOf } from './connection.ts';
import type { RedisConfig } from './redis-config.ts';

/** A server that refuses a connection says so at once. */
const WAIT_MS = 500;
const MAX_BYTES = 1000;
/** Characters of an error that are told. */
const MAX_SHOWN = 300;
/** Servers that are asked, at the same time. */
const MAX_ADDRESSES = 8;

/** How a connection fails if the server said why and then closed it. ioredis writes first, and so loses what the server said. */
const CLOSED_AT_ONCE: readonly RegExp[] = [
  /\b(EPIPE|ECONNRESET)\b/,
  /Connection is closed/,
  /Stream isn't writeable/,
  /max retries per request/,
  /Command aborted/,
  /Command queue state error/,
  /slots cache/,
  /Cluster isn't ready/,
  // Any other last error of the Sentinels is itself the reason.
  /sentinels are unreachable(?!.*Last error: (?!Connection is closed))/,
];

/** Returns whether a server may have said why it closed the connection that failed with this error. */
export function mayHaveSpoken(error: unknown): boolean {
  const message = messageOf(error);
  return CLOSED_AT_ONCE.some((pattern) => pattern.test(message));
}

/**
 * Opens connections and only reads, to learn what a server says when it refuses every connection because it is full or in protected mode. It
 * asks the server to which `client` was connected last, such as the master that Sentinels name, and the addresses of the configuration. It
 * takes half a second at most.
 * @returns the first error, such as "ERR max number of clients reached"; undefined when no server says an error.
 */
export async function greetingOf(config: RedisConfig, client?: RedisClient): Promise<string | undefined> {
  const peer = client && peerOf(client);
  const addresses = [...(peer ? [peer] : []), ...addressesOf(config)].slice(0, MAX_ADDRESSES);
  const asked = addresses.map(async (address) => {
    const error = await errorFrom(address);
    if (error === undefined) throw new Error('it says no error');
    return error;
  });
  return Promise.any(asked).catch(() => undefined);
}

function errorFrom({ tls, ...options }: RedisOptions): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = tls ? connectTls({ ...(options as NetConnectOpts), ...tls }) : connectTcp(options as NetConnectOpts);
    let text = '';
    const end = (): void => {
      clearTimeout(timer);
      socket.destroy();
      // Only the first sentence is kept: the sentences of the protected mode fill a page.
      const [, error] = /^-(.+?)(?:\. |[\r\n]|$)/.exec(text) ?? [];
      resolve(error?.slice(0, MAX_SHOWN));
    };
    const timer = setTimeout(end, WAIT_MS);
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if (text.includes('\n') || text.length > MAX_BYTES) end();
    });
    socket.on('error', end);
    socket.on('close', end);
  });
}
