import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';

/** Time in which open connections may still bring a request once draining has begun. */
const GRACE_MS = 500;
/** In a turn of the event loop this short, hardly any connection can come unseen. A busy process has none: it takes one of the first. */
const SHORT_TURN_MS = 0.1;
const SHORT_TURN_TRIES = 300;
/** More turns than connections that the kernel lets wait by default. */
const MOST_TURNS = 5000;

/**
 * Stops accepting connections, lets requests in flight finish, then closes the rest. Settles within `timeoutMs` and cuts the
 * connections that are still busy then.
 * @param accept takes in connections that wait outside of this process.
 */
export async function drain(
  server: Server,
  timeoutMs: number,
  onPortClosed = () => {},
  accept?: () => Promise<void>,
): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  if (accept) await Promise.race([acceptAll(server, accept), delay(timeoutMs, undefined, { ref: false })]);
  await acceptPending(server);
  // http.Server's own close() ends idle connections at once, also one whose next request is on the wire.
  NetServer.prototype.close.call(server);
  // Not before: a client that is told to come back would wait in the kernel when the port closes.
  onPortClosed();
  const deadline = performance.now() + timeoutMs;
  await Promise.race([closed, delay(Math.min(GRACE_MS, timeoutMs))]);
  // A connection that has not sent a byte counts as busy, not as idle; Node's next check for slow ones ends it.
  server.headersTimeout = 1;
  for (;;) {
    await readPending();
    server.closeIdleConnections();
    const done = await Promise.race([closed.then(() => true), delay(20, false)]);
    if (done) return;
    if (performance.now() >= deadline) return server.closeAllConnections();
  }
}

/**
 * Accepts the connections that wait in the kernel, because closing the port resets them. A turn of the event loop accepts one (libuv 1.45 and
 * later), so turns follow until two accept none and the last one was short.
 */
export async function acceptPending(server: NetServer): Promise<void> {
  let turnsWithout = 0;
  const onConnection = () => {
    turnsWithout = 0;
  };
  server.on('connection', onConnection);
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    turnsWithout++;
    const begun = performance.now();
    await nextTurn();
    const isShort = performance.now() - begun < SHORT_TURN_MS || turn > SHORT_TURN_TRIES;
    if (turnsWithout > 1 && isShort) break;
  }
  server.off('connection', onConnection);
}

/**
 * Takes in the connections and requests that wait in the kernel, because closing cuts them. After the process was kept from running
 * there can be many. One turn of the event loop takes in all that waits; after a short turn, hardly any can have come since.
 */
export async function readPending(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) {
    const start = performance.now();
    await nextTurn();
    if (turn > 0 && performance.now() - start < 1) return;
  }
}

/** Calls `accept` until no connection comes of it. */
async function acceptAll(server: Server, accept: () => Promise<void>): Promise<void> {
  let came = 0;
  const count = () => came++;
  server.on('connection', count);
  for (let before = -1; before < came; ) {
    before = came;
    await accept();
  }
  server.off('connection', count);
}
