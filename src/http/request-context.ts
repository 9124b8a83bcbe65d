import type { Identity } from '../access/authenticator.ts';
import type { QuotaState } from '../access/quotas.ts';

/** What is known of one request while it is served. */
export interface RequestContext {
  readonly requestId: string;
  /** Milliseconds on a clock that never goes back. */
  readonly startedAt: number;
  /** Pattern of the route that serves it, for logs and metrics; never the path itself. */
  route: string;
  /** CORS headers of the answer, as lines. */
  cors: string;
  /** Whose valid key it carries. */
  identity: Identity | undefined;
  /** What it left of the quota. */
  quota: QuotaState | undefined;
}

declare global {
  namespace Express {
    interface Response {
      context: RequestContext;
    }
  }
}
