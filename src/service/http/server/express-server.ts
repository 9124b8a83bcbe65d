import { createServer, type IncomingMessage, type ServerOptions, type ServerResponse } from 'node:http';
import type { Express, Request, Response } from 'express';
import { answerBadRequest, answerBadTarget, answerConnect, type ParseError } from './bad-request.ts';
import { ConnectionLimits, type CutReason } from './connection-limits.ts';
import { drain } from './drain.ts';
import { MAX_ADMIN_CONNECTIONS, serverOptions } from './listener.ts';
import { messageClasses } from './message-classes.ts';
import { type LimitedServer, ownPort } from './port.ts';

/** Called for all connections and requests that do not reach the application. */
export interface ServerObserver {
  /** A connection was refused or cut. */
  onCut(reason: CutReason): void;
  /** A request was answered with this status before it reached the application. */
  onUnreadable(status: number): void;
}

/** A listener for operators. It answers even when strangers hold all connections of the public listener. */
export interface AdminListener {
  /** Starts to listen. @returns the address; undefined when the port is 0. @throws Error when the port is taken. */
  open(): Promise<string | undefined>;
  /** Drains the listener as {@link drain} does. */
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
 * Creates an HTTP server for an Express application. It may have routers, and no mounted sub-application: that brings prototypes of its own
 * (message-classes.ts).
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
  const handle = (req: IncomingMessage, res: ServerResponse): void => {
    const path = pathOf(req.url ?? '');
    if (path === undefined) {
      observer.onUnreadable(answerBadTarget(res));
      return;
    }
    req.url = path;
    // Handles an error of the last layer of the application, because Express's own handler would send the stack.
    app(req as Request, res as Response, () => res.destroy());
  };
  const classes = messageClasses(app, (socket) => limits.end(socket));
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
