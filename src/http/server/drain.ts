import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';

/** Time in which open connections may still bring a request once draining has begun. */
const GRACE_MS = 500;

/**
 * Stops accepting connections, lets requests in flight finish, then closes the rest. Settles within `timeoutMs` and cuts the
 * connections that are still busy then.
 * @param accept takes in connections that wait outside of this process.
 */
export async function drain(server: Server, timeoutMs: number, accept?: () => Promise<void>): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  if (accept) await Promise.race([acceptAll(server, accept), delay(timeoutMs, undefined, { ref: false })]);
  await readPending();
  // http.Server's own close() ends idle connections at once, also one whose next request is on the wire.
  NetServer.prototype.close.call(server);
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
