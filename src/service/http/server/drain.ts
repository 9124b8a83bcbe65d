import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { LimitedServer, Port } from './port.ts';

/** Time in which open connections may still bring a request once draining has begun. */
const GRACE_MS = 500;
/** Time between two looks at the connections that are still open. */
const LOOK_MS = 20;

/**
 * Closes the port, lets requests in flight finish, then closes the other connections. Settles within `timeoutMs` and cuts the connections that are
 * still busy then.
 * @param onPortClosed called when the port refuses connections. If a client were told earlier to connect again, its new connection could wait in
 * the kernel when the port closes, and would be reset.
 */
export async function drain(
  server: LimitedServer,
  port: Pick<Port, 'close'>,
  timeoutMs: number,
  onPortClosed = () => {},
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  await Promise.race([port.close(server), delay(timeoutMs, undefined, { ref: false })]);
  onPortClosed();
  await readPending();
  const idleUntil = Math.min(performance.now() + GRACE_MS, deadline);
  while (server.openConnections() > 0 && performance.now() < idleUntil) await delay(LOOK_MS);
  // A connection that has not sent a byte counts as busy, not as idle; Node's next check for slow connections ends it.
  server.headersTimeout = 1;
  for (;;) {
    await readPending();
    server.closeIdleConnections();
    if (server.openConnections() === 0) return;
    if (performance.now() >= deadline) return server.closeAllConnections();
    await delay(LOOK_MS);
  }
}

/**
 * Takes in the requests that wait in the kernel, because closing their connections would cut them. There can be many if the process was kept from
 * running. One turn of the event loop takes in all of them; after a short turn, hardly any new request can have arrived.
 */
async function readPending(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) {
    const start = performance.now();
    await nextTurn();
    if (turn > 0 && performance.now() - start < 1) return;
  }
}
