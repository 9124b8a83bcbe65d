import { createServer, IncomingMessage, type ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { Express, Request, Response } from 'express';
import { answerBadRequest, answerBadTarget, answerConnect, type ParseError } from './bad-request.ts';
import { ConnectionLimits, type CutReason } from './connection-limits.ts';
import { drain } from './drain.ts';
import { MAX_ADMIN_CONNECTIONS, serverOptions } from './listener.ts';
import { type LimitedServer, ownPort } from './port.ts';

/** Is told of all that does not reach the application. */
export interface ServerObserver {
  /** A connection was refused or cut. */
  onCut(reason: CutReason): void;
  /** A request was answered with this status before it reached the application. */
  onUnreadable(status: number): void;
}

/** A listener for operators, beside a public one whose connections strangers can take. */
export interface AdminListener {
  /** Starts to listen. @returns the address; undefined when the port is 0. @throws Error when the port is taken. */
  open(): Promise<string | undefined>;
  /** Drains it as {@link drain} does. */
  close(timeoutMs: number): Promise<void>;
}

/** Creates a listener on ADMIN_HOST. @param setting the variable of the port, for errors. */
export function adminListener(
  app: Express,
  host: string,
  port: number,
  setting: string,
  observer: ServerObserver,
): AdminListener {
  if (port === 0) return { open: async () => undefined, close: async () => {} };
  const server = createExpressServer(app, serverOptions, MAX_ADMIN_CONNECTIONS, observer);
  const own = ownPort(host, port, setting, 'ADMIN_HOST');
  return { open: () => own.open(server), close: (timeoutMs) => drain(server, own, timeoutMs) };
}

/**
 * Creates an HTTP server for an Express application. Express replaces the prototype of every request and response
 * (expressjs/express issue 5998). On Node 20 and 22 that makes V8 drop its fast paths for the object: 70 % of the throughput. Here the
 * server creates both with prototypes that already are the application's, so the replacement changes nothing.
 *
 * ES classes, because a Reflect.construct wrapper is slower than the stock server. Routers only, because a mounted sub-application
 * brings prototypes of its own.
 * @param maxConnections further connections are closed at once.
 * @param readsBodies whether the application reads bodies, whose senders may take long.
 */
export function createExpressServer(
  app: Express,
  options: ServerOptions,
  maxConnections: number,
  observer: ServerObserver,
  readsBodies = false,
): LimitedServer {
  class AppRequest extends IncomingMessage {}
  class AppResponse extends ServerResponse<AppRequest> {
    override detachSocket(socket: Socket): void {
      super.detachSocket(socket);
      limits.end(socket);
    }
  }
  if (LACKS_EMPTY_REQUESTS_OPTION) skipEmptyBodies(AppRequest.prototype);
  adopt(AppRequest.prototype, app, 'request');
  adopt(AppResponse.prototype, app, 'response');
  const handle = (req: IncomingMessage, res: ServerResponse): void => {
    const path = pathOf(req.url ?? '');
    if (path === undefined) {
      observer.onUnreadable(answerBadTarget(res));
      return;
    }
    req.url = path;
    // With a last handler given, Express makes none for each request.
    app(req as Request, res as Response, () => res.destroy());
  };
  const classes = { IncomingMessage: AppRequest, ServerResponse: AppResponse };
  const server = createServer({ ...options, ...classes }, (req, res) => limits.serve(req, res, handle));
  const limits = new ConnectionLimits(server, maxConnections, observer.onCut, readsBodies);

  // The service reads no body, so a client that asks before sending one gets its response without sending it.
  server.on('checkContinue', (req, res) => server.emit('request', req, res));
  // Node answers 417 without a body; an unknown expectation may be ignored as well (RFC 9110 section 10.1.1).
  server.on('checkExpectation', (req, res) => server.emit('request', req, res));
  server.on('clientError', (error: ParseError, socket) => {
    const isOver = error.code === 'ECONNRESET' || (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && !socket.writable);
    if (isOver) socket.destroy();
    // More came after a request that closes the connection: it is not read.
    else if (error.code === 'HPE_CLOSED_CONNECTION') return;
    else limits.endAfterResponses(socket, () => observer.onUnreadable(answerBadRequest(error, socket)));
  });
  server.on('connect', (_req, socket) => {
    // Node has taken its own listeners off.
    socket.on('error', () => socket.destroy()).resume();
    limits.endAfterResponses(socket, () => observer.onUnreadable(answerConnect(socket)));
  });
  return Object.assign(server, { openConnections: () => limits.open });
}

/** Whether this line of Node lacks the option `optimizeEmptyRequests` (listener.ts), which 24.12 brought. */
const LACKS_EMPTY_REQUESTS_OPTION = Number.parseInt(process.versions.node, 10) < 24;

/**
 * Stops the stream events of requests without a body, as Node's option does (hot path, see ADR 11). Nothing here may wait for the end of
 * such a body.
 */
function skipEmptyBodies(prototype: IncomingMessage): void {
  const { push, resume } = prototype;
  prototype.push = function (this: IncomingMessage, chunk: unknown, encoding?: BufferEncoding) {
    return hasBody(this) && push.call(this, chunk, encoding);
  };
  prototype.resume = function (this: IncomingMessage) {
    return hasBody(this) ? resume.call(this) : this;
  };
  // Node's parser keeps a request, with its response, until it has ended: on an idle connection for as long as that stays open.
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

/** Puts Express's methods between the class's prototype and Node's, and makes the class's prototype the application's. */
function adopt<Role extends 'request' | 'response'>(prototype: object, app: Express, role: Role): void {
  app[role] = Object.setPrototypeOf(prototype, app[role]);
}

/** Scheme and authority of a target in absolute form: RFC 9112 section 3.2.2. */
const ABSOLUTE_FORM = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/**
 * Returns path and query of a request's target, or undefined if it is malformed. Express would parse an absolute form with `url.parse`,
 * which throws, or prints a warning with the whole address on stderr.
 */
function pathOf(target: string): string | undefined {
  if (target.startsWith('/') || target === '*') return target;
  if (!ABSOLUTE_FORM.test(target) || !URL.canParse(target)) return undefined;
  const path = target.replace(ABSOLUTE_FORM, '');
  return path.startsWith('/') ? path : `/${path}`;
}
