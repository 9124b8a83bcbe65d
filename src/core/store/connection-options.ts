import { reconnectOnReplica } from './reconnect.ts';

/** Options of ioredis that keep what the kit promises. */
export interface ConnectionOptions {
  /** Nothing that was sent is sent again: XP would be added twice. */
  readonly autoResendUnfulfilledCommands: false;
  /** A call fails when the connection breaks, instead of waiting for 20 attempts. */
  readonly maxRetriesPerRequest: 0;
  /** Milliseconds without a byte of a reply that is due, after which the connection is made anew: a server can die without closing it. */
  readonly socketTimeout: number;
  /** Leaves a server that has become a replica, once a second at most. */
  readonly reconnectOnError: (error: Error) => boolean;
}

/** Far more than a call of the kit takes. A command of the bot that waits for something, such as BLPOP, needs a connection of its own. */
const SILENCE_MS = 5000;

/**
 * Returns the options with which a bot opens its connection: `new Redis(url, connectionOptions())`. With them, no call is done twice, and a bot
 * finds the new master when the address of Redis leads to another server, also when the old one died without a word.
 */
export function connectionOptions(): ConnectionOptions {
  return {
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    socketTimeout: SILENCE_MS,
    reconnectOnError: reconnectOnReplica(),
  };
}
