import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

/** Whether this Node lacks the option `optimizeEmptyRequests`, which Node 24.12 brought and listener.ts sets. */
const LACKS_OPTION = Number.parseInt(process.versions.node, 10) < 24;

/**
 * Makes requests without a body send no stream events on Node 20 and 22, as an option of later versions of Node does (hot path, see ADR 11). Nothing
 * may wait for the end of such a request.
 * @param prototype of a class of requests of this service, not of Node's own class.
 */
export function skipEmptyBodies(prototype: IncomingMessage): void {
  if (!LACKS_OPTION) return;
  const { push, resume } = prototype;
  prototype.push = function (this: IncomingMessage, chunk: unknown, encoding?: BufferEncoding) {
    return hasBody(this) && push.call(this, chunk, encoding);
  };
  prototype.resume = function (this: IncomingMessage) {
    return hasBody(this) ? resume.call(this) : this;
  };
  // Node keeps a request and its response in memory until the request has ended: without this, as long as an idle connection stays open.
  const ended = Object.getOwnPropertyDescriptor(Readable.prototype, 'readableEnded')?.get;
  Object.defineProperty(prototype, 'readableEnded', {
    get(this: IncomingMessage) {
      return !hasBody(this) || ended?.call(this);
    },
  });
}

/** Returns whether a request has a body, which may be empty: RFC 9112 section 6. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}
