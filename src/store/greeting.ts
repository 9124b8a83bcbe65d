import { connect as connectTcp, type NetConnectOpts } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { RedisConfig } from '../config/redis.ts';
import { messageOf } from '../errors.ts';
import { addressesOf } from './connection.ts';

/** A server that refuses a connection says so at once. */
const WAIT_MS = 500;
const MAX_BYTES = 1000;

/** How a connection fails on which the server said why, and then closed. ioredis writes first, and loses what the server said. */
const CLOSED_AT_ONCE = /\b(EPIPE|ECONNRESET)\b|Connection is closed|Stream isn't writeable/;

/** Returns whether a server may have said why it closed the connection that failed with this error. */
export function mayHaveSpoken(error: unknown): boolean {
  return CLOSED_AT_ONCE.test(messageOf(error));
}

/**
 * Opens a connection to the first address of Redis and only reads: what a server says that refuses every connection, because it is full or in
 * protected mode. Takes half a second at most.
 * @returns its error, such as "ERR max number of clients reached"; undefined when it says nothing, or no error.
 */
export function greetingOf(config: RedisConfig): Promise<string | undefined> {
  const [address] = addressesOf(config);
  if (!address) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const { tls, ...options } = address;
    const socket = tls ? connectTls({ ...options, ...tls }) : connectTcp(options as NetConnectOpts);
    let text = '';
    const end = (): void => {
      clearTimeout(timer);
      socket.destroy();
      const [, error] = /^-([^\r\n]+)/.exec(text) ?? [];
      resolve(error);
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
