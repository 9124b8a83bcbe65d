import { once } from 'node:events';
import type { Server, ServerOptions } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { Problem } from '../response/problem.ts';

/** Bounds on what a slow client can hold. A request here is a few hundred bytes: ten seconds to send it are plenty. */
export const serverOptions = {
  headersTimeout: 10_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1000,
  // Refused by the application, which has an answer to it.
  requireHostHeader: false,
} satisfies ServerOptions;

/** How long open connections may still bring a request once draining has begun. */
const GRACE_MS = 500;

/**
 * Starts listening.
 * @param setting the variable to name when the address cannot be had.
 */
export async function listenOn(server: Server, host: string, port: number, setting: string): Promise<void> {
  server.on('clientError', answerBadRequest);
  // Nothing here reads a body, so a client that asks before sending one gets its answer without sending it.
  server.on('checkContinue', (req, res) => server.emit('request', req, res));
  // Node would answer 417 with nothing in it; an expectation that nobody knows may as well be passed over.
  server.on('checkExpectation', (req, res) => server.emit('request', req, res));
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new Error(`Cannot listen on ${host} port ${port}: ${(error as Error).message}. Choose another ${setting}.`);
  }
}

/**
 * Stops accepting, lets requests in flight finish and connections in use say their last, then closes what is left.
 * Settles within `timeoutMs`, cutting what is still busy then.
 */
export async function drain(server: Server, timeoutMs: number): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  await takeInWhatWaits();
  // http.Server's own close() ends idle connections at once, also one whose next request is on the wire.
  NetServer.prototype.close.call(server);
  const deadline = performance.now() + timeoutMs;
  await Promise.race([closed, delay(Math.min(GRACE_MS, timeoutMs))]);
  // A connection that has not sent a byte counts as busy, not as idle; Node's next check for slow ones ends it.
  server.headersTimeout = 1;
  for (;;) {
    await takeInWhatWaits();
    server.closeIdleConnections();
    const done = await Promise.race([closed.then(() => true), delay(20, false)]);
    if (done) return;
    if (performance.now() >= deadline) return server.closeAllConnections();
  }
}

/**
 * What the kernel has taken in and the process has not seen yet is cut by closing: connections not accepted by closing the
 * listening socket, requests not read by closing a connection that seems idle. When the process was kept from running, that
 * is a lot. A turn of the event loop takes in all that waits: after a short turn, hardly anything can have come since.
 */
async function takeInWhatWaits(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) {
    const start = performance.now();
    await nextTurn();
    if (turn > 0 && performance.now() - start < 1) return;
  }
}

interface ParseError extends NodeJS.ErrnoException {
  /** What was being read when it failed. */
  readonly rawPacket?: Buffer;
}

/** Node could not read the request: answer as everything else is answered, and close. */
function answerBadRequest(error: ParseError, socket: import('node:stream').Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, detail] = BAD_REQUESTS[error.code ?? ''] ?? ['400 Bad Request', 'The request is not valid HTTP/1.1.'];
  const problem = new Problem('invalid_request', detail);
  const body = JSON.stringify({
    ...JSON.parse(problem.body('none')),
    status: Number(status.slice(0, 3)),
    title: status.slice(4),
  });
  const isHead = error.rawPacket?.toString('latin1', 0, 5) === 'HEAD ';
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Cache-Control: no-store\r\nConnection: close\r\n\r\n${isHead ? '' : body}`,
  );
}

const BAD_REQUESTS: Record<string, [status: string, detail: string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The request line and headers are longer than 16 KiB.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive.'],
};

/** Where a listening server is, such as http://127.0.0.1:8080. */
export function urlOf(server: Server): string {
  const { address, port, family } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
