import type { Request, Response } from 'express';
import type { Authenticator, Identity } from '../access/authenticator.ts';
import type { Quotas } from '../access/quotas.ts';
import type { Deadlines } from './deadlines.ts';
import { Gate } from './gate.ts';

/**
 * A gate that answers in time, whatever Redis does. One request takes up to four commands in two or three steps, each may
 * wait behind a pipeline, and a Cluster client tries again after a failover: every step keeps its own bound and together
 * they pass 300 ms. Only the whole can be bounded as a whole.
 */
export class PromptGate extends Gate {
  constructor(
    authenticator: Authenticator,
    quotas: Quotas,
    private readonly deadlines: Deadlines,
  ) {
    super(authenticator, quotas);
  }

  /** @throws StoreUnavailableError also when the time is up; the request may or may not have been counted, at most once. */
  override pass<T>(req: Request, res: Response, operation: (identity: Identity) => Promise<T>): Promise<T> {
    return this.deadlines.hold(super.pass(req, res, operation));
  }
}
