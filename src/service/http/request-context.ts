import { randomBytes } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import type { Identity } from '../../core/access/authenticator.ts';
import type { QuotaState } from '../../core/access/quotas.ts';
import type { Problem } from './response/problem.ts';

/** The facts about one request while it is served. */
export interface RequestContext {
  readonly requestId: string;
  /** The header `traceparent` of a trusted proxy. */
  readonly traceParent: string | undefined;
  /** The trace of the request: from a trusted proxy, or begun by the service. */
  traceId: string | undefined;
  /** Milliseconds on a clock that never goes back. */
  readonly startedAt: number;
  /** Pattern of the route that serves the request, for logs and metrics. It is never the path itself. */
  route: string;
  /** Identity of the valid key that it carries. */
  identity: Identity | undefined;
  /** State of the guild's quota after the request. */
  quota: QuotaState | undefined;
  /** The problem that is the response to the request. */
  problem: Problem | undefined;
}

declare global {
  namespace Express {
    interface Response {
      context: RequestContext;
    }
  }
}

/** The parts of the service that the contexts of requests use. */
export interface RequestContextParts {
  /** Milliseconds on a clock that never goes back. */
  readonly now: () => number;
  readonly requestId: () => string;
  readonly activity: Activity;
  /** Returns whether a peer is a proxy of the operator, as Express's "trust proxy fn"; undefined when no proxy is trusted. */
  readonly isTrusted?: ((address: string, hop: number) => boolean) | undefined;
}

/** The state of a process that serves. */
export interface Activity {
  /** Requests with an API key that are being answered. */
  inFlight: number;
  /** Whether the process is about to end: each response then closes its connection. */
  isClosing: boolean;
}

/** The first layer: gives each request its context. */
export function openContext({ now, requestId, activity, isTrusted }: RequestContextParts): RequestHandler {
  return (req, res, next) => {
    const forwarded = isTrusted?.(req.socket.remoteAddress ?? '', 0) ? forwardedIds(req) : undefined;
    res.context = {
      requestId: forwarded?.requestId ?? requestId(),
      traceParent: forwarded?.traceParent,
      traceId: forwarded?.traceParent?.split('-')[1],
      startedAt: now(),
      route: 'unmatched',
      identity: undefined,
      quota: undefined,
      problem: undefined,
    };
    if (activity.isClosing) res.shouldKeepAlive = false;
    next();
  };
}

/** Creates ids that are unique across processes and cheap within one: a random prefix and a counter. */
export function requestIds(): () => string {
  const prefix = randomBytes(6).toString('hex');
  let count = 0;
  return () => `${prefix}-${(++count).toString(36)}`;
}

/** A request id must not begin like an API key, so that no key is logged. */
const REQUEST_ID = /^(?!.*gr_)[\w.:=+/-]{1,128}$/;
const TRACE_PARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-|$)/;

/** Returns X-Request-Id and `traceparent` (W3C Trace Context), without malformed values. */
function forwardedIds({ headers: { 'x-request-id': requestId, traceparent } }: Request) {
  return {
    requestId: typeof requestId === 'string' && REQUEST_ID.test(requestId) ? requestId : undefined,
    traceParent: typeof traceparent === 'string' && TRACE_PARENT.test(traceparent) ? traceparent : undefined,
  };
}
