import { randomBytes } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import type { Identity } from '../access/authenticator.ts';
import type { QuotaState } from '../access/quotas.ts';
import type { ForwardedIds } from './forwarded-ids.ts';
import type { Problem } from './response/problem.ts';

/** The facts about one request while it is served. */
export interface RequestContext {
  readonly requestId: string;
  /** Id of the trace that a trusted proxy began. */
  readonly traceId: string | undefined;
  /** Milliseconds on a clock that never goes back. */
  readonly startedAt: number;
  /** Pattern of the route that serves it, for logs and metrics; never the path itself. */
  route: string;
  /** Identity of the valid key that it carries. */
  identity: Identity | undefined;
  /** State of the guild's quota after it. */
  quota: QuotaState | undefined;
  /** The problem that is its answer. */
  problem: Problem | undefined;
}

declare global {
  namespace Express {
    interface Response {
      context: RequestContext;
    }
  }
}

export interface RequestContextParts {
  /** Milliseconds on a clock that never goes back. */
  readonly now: () => number;
  readonly requestId: () => string;
  /** Returns whether the process is about to end: each answer then closes its connection. */
  readonly isDraining: () => boolean;
  /** Reads the ids that a trusted proxy sent; undefined when no proxy is trusted. */
  readonly forwardedIds?: ((req: Request) => ForwardedIds) | undefined;
}

/** The first layer: gives each request its context. */
export function openContext({ now, requestId, isDraining, forwardedIds }: RequestContextParts): RequestHandler {
  return (req, res, next) => {
    const forwarded = forwardedIds?.(req);
    const context: RequestContext = {
      requestId: forwarded?.requestId ?? requestId(),
      traceId: forwarded?.traceId,
      startedAt: now(),
      route: 'unmatched',
      identity: undefined,
      quota: undefined,
      problem: undefined,
    };
    res.context = context;
    if (isDraining()) res.shouldKeepAlive = false;
    next();
  };
}

/** Creates ids that are unique across processes and cheap within one: a random prefix and a counter. */
export function requestIds(): () => string {
  const prefix = randomBytes(6).toString('hex');
  let count = 0;
  return () => `${prefix}-${(++count).toString(36)}`;
}
