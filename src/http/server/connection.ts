import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** The requests of one client connection, as ConnectionLimits counts them. */
export interface Connection {
  /** Requests without a complete answer. */
  unanswered: number;
  /** The request that arrived last. */
  latest: IncomingMessage | undefined;
  /** The response that is being sent. */
  current: ServerResponse | undefined;
  /** Whether an answer was taken since the last check. */
  progress: boolean;
  checksWithoutProgress: number;
  /** To be called when all requests are answered. The connection takes no more of them. */
  afterAnswers: (() => void) | undefined;
  isCut: boolean;
}

/** Returns the record of a connection without requests. */
export function newConnection(): Connection {
  return {
    unanswered: 0,
    latest: undefined,
    current: undefined,
    progress: false,
    checksWithoutProgress: 0,
    afterAnswers: undefined,
    isCut: false,
  };
}

/**
 * Lets the requests of a destroyed connection be collected. Node does so when the connection has closed, which is after it has read from
 * all others: thousands can have brought a thousand requests each by then.
 */
export function releaseRequests(socket: Duplex, connection: Connection): void {
  // Node makes an error for each request, whose stack costs more than all else.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    socket.emit('close', false);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
  socket.removeAllListeners();
  // Node would detach it once more when the write that was cut has failed.
  connection.current?.removeAllListeners('finish').detachSocket(socket as Socket);
}
