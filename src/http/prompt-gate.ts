import type { Request, Response } from 'express';
import type { AuthFlood } from '../access/auth-flood.ts';
import type { Authenticator, Identity } from '../access/authenticator.ts';
import type { Quotas } from '../access/quotas.ts';
import type { Deadlines } from './deadlines.ts';
import { Gate } from './gate.ts';
import { Problem } from './problem.ts';

/**
 * A gate that answers in time, whatever Redis does, and does not let made-up keys through to Redis in any number.
 *
 * One request takes up to four commands in two or three steps, each may wait behind a pipeline, and a Cluster client tries
 * again after a failover: every step keeps its own bound and together they pass 300 ms. Only the whole can be bounded.
 */
export class PromptGate extends Gate {
  constructor(
    private readonly known: Authenticator,
    quotas: Quotas,
    private readonly deadlines: Deadlines,
    private readonly flood: AuthFlood,
  ) {
    super(known, quotas);
  }

  /**
   * @throws Problem quota_exceeded also when the address has sent too many invalid keys and this one has not been valid lately;
   * StoreUnavailableError also when the time is up: the request may or may not have been counted, at most once.
   */
  override pass<T>(req: Request, res: Response, operation: (identity: Identity) => Promise<T>): Promise<T> {
    const refusal = this.flood.isQuiet ? undefined : this.refusal(req);
    if (refusal) return Promise.reject(refusal);
    const passed = this.deadlines.hold(super.pass(req, res, operation));
    passed.catch((error: unknown) => {
      if (error instanceof Problem && error.code === 'invalid_api_key') this.flood.failed(req.ip ?? '');
    });
    return passed;
  }

  private refusal(req: Request): Problem | undefined {
    const key = req.headers['x-api-key'];
    // Without a key there is nothing to look up, and 401 tells more.
    if (key === undefined) return undefined;
    const ms = this.flood.heldBackMs(req.ip ?? '');
    if (ms === 0 || this.known.hasSeen(key as string)) return undefined;
    const seconds = String(Math.ceil(ms / 1000));
    const detail = `Too many requests with invalid keys came from this address. Try again in ${seconds} seconds.`;
    return new Problem('quota_exceeded', detail, { headers: ['Retry-After', seconds] });
  }
}
