import { reconnectOnReplica } from './reconnect.ts';

/** Options of ioredis that keep what the kit promises. */
export interface ConnectionOptions {
  /** Nothing that was sent is sent again: XP would be added twice. */
  readonly autoResendUnfulfilledCommands: false;
  /** A call fails when the connection breaks, instead of waiting for 20 attempts. */
  readonly maxRetriesPerRequest: 0;
  /** Leaves a server that has become a replica, once a second at most. */
  readonly reconnectOnError: (error: Error) => boolean;
}

/**
 * Returns the options with which a bot opens its connection: `new Redis(url, connectionOptions())`. With them, no call is done twice, and a bot
 * finds the new master when the address of Redis leads to another server.
 */
export function connectionOptions(): ConnectionOptions {
  return {
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    reconnectOnError: reconnectOnReplica(),
  };
}
