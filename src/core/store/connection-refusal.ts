import { connect as connectTcp, type NetConnectOpts } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { RedisOptions } from 'ioredis';
import { messageOf } from '../errors.ts';
import type { RedisClient } from './client.ts';
import { addressesOf, peerOf } from './connection.ts';
import { ALERT, OTHER_PROGRAM } from './connection-mistakes.ts';
import type { RedisConfig } from './redis-config.ts';

/** Time for all that a server says to one connection. */
const WAIT_MS = 500;
/** A full server says so at once. Other servers, such as a proxy, wait for a first command. */
const LISTEN_MS = 150;
const PING = '*1\r\n$4\r\nPING\r\n';
const MAX_BYTES = 1000;
/** Characters of an error that are told. */
const MAX_SHOWN = 300;
/** Servers that are asked, at the same time. */
const MAX_ADDRESSES = 8;

/** An alert of TLS begins with this byte. */
const TLS_ALERT = '\x15';
/** How each reply to a PING begins. */
const REPLY = /^[-+]/;
/** How a server answers that refuses nothing. */
const PONG = /^\+.*\n/;

/**
 * How a connection fails if the server said why and then closed it. ioredis writes first, and so loses what the server said; it also drops the
 * answer to its first command, CLIENT SETINFO.
 */
const CLOSED_AT_ONCE: readonly RegExp[] = [
  /\b(EPIPE|ECONNRESET)\b/,
  /Connection is closed/,
  /Stream isn't writeable/,
  /max retries per request/,
  /Command aborted/,
  /Command queue state error/,
  /slots cache/,
  /^Protocol error/,
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
 * Opens connections of its own, to learn what a server says when it refuses every connection: it is full, in protected mode, or no Redis at all. The
 * function only listens at first, and then sends a PING. It asks the server to which `client` was connected last, such as the master that Sentinels
 * name, and the addresses of the configuration. All this takes half a second at most.
 * @returns the first error with which a server closed the connection, such as "ERR max number of clients reached", or the kind of program that
 * answers instead of a Redis; undefined when no server says anything of the kind.
 */
export async function connectionRefusal(config: RedisConfig, client?: RedisClient): Promise<string | undefined> {
  const peer = client && peerOf(client);
  const addresses = [...(peer ? [peer] : []), ...addressesOf(config)].slice(0, MAX_ADDRESSES);
  const asked = addresses.map(async (address) => {
    const refusal = refusalIn(await textFrom(address));
    if (refusal === undefined) throw new Error('it refuses nothing');
    return refusal;
  });
  return Promise.any(asked).catch(() => undefined);
}

/** The text that a server sent on one connection, and whether the server closed the connection. */
interface Said {
  readonly text: string;
  /** Whether the server closed the connection. */
  readonly isClosed: boolean;
}

/**
 * Returns why a server refuses connections, by the text that it sent; undefined for a server that serves, such as a server that asks for a password.
 */
function refusalIn({ text, isClosed }: Said): string | undefined {
  if (text === '') return undefined;
  if (text.startsWith(TLS_ALERT)) return ALERT;
  const [line = ''] = text.split(/[\r\n]/, 1);
  if (!REPLY.test(text)) return `${OTHER_PROGRAM}: it says "${line.replace(/[^\x20-\x7e]/g, '?').slice(0, MAX_SHOWN)}"`;
  if (!isClosed) return undefined;
  // Only the first sentence is kept: the sentences of the protected mode fill a page.
  const [, error] = /^-(.+?)(?:\. |$)/.exec(line) ?? [];
  return error?.slice(0, MAX_SHOWN);
}

/** Returns what a server says on a new connection, until it closes the connection or half a second has passed. */
function textFrom({ tls, ...options }: RedisOptions): Promise<Said> {
  return new Promise((resolve) => {
    const socket = tls ? connectTls({ ...(options as NetConnectOpts), ...tls }) : connectTcp(options as NetConnectOpts);
    let text = '';
    const endWith = (isClosed: boolean) => (): void => {
      for (const timer of timers) clearTimeout(timer);
      socket.destroy();
      resolve({ text, isClosed });
    };
    const end = endWith(false);
    const close = endWith(true);
    const timers = [setTimeout(end, WAIT_MS)];
    socket.on(tls ? 'secureConnect' : 'connect', () => {
      timers.push(setTimeout(() => text === '' && socket.write(PING), LISTEN_MS));
    });
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if (text.length > MAX_BYTES || PONG.test(text)) end();
    });
    socket.on('error', close);
    socket.on('close', close);
  });
}
