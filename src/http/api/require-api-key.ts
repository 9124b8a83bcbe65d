import type { NextFunction, Request, Response } from 'express';
import type { Authenticator } from '../../access/authenticator.ts';
import type { FailedAuthLimiter } from '../../access/failed-auth-limiter.ts';
import type { GuildBatch } from '../../reads/request-batcher.ts';
import type { TimeoutQueue } from '../../redis/timeouts.ts';
import { unauthorized } from '../response/problem.ts';
import type { RenderedBody } from '../response/rendered-body.ts';
import type { Operation } from './operations.ts';
import { type Deliver, Passage, tooMany } from './passage.ts';

/** What stands before every operation: whose key it is, and whether its guild has quota left. */
export class Gate {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly batch: GuildBatch<RenderedBody | null>,
    private readonly deadlines: TimeoutQueue,
    private readonly flood: FailedAuthLimiter,
    /** Called with what an operation wanted, once its request has passed. */
    private readonly deliver: Deliver,
  ) {}

  /**
   * Serves a request that must carry a valid key: counts it and reads what the operation wants in one round trip, then
   * delivers the view if the quota allows. A request that the operation refuses is counted all the same.
   * Every failure goes to `next`: missing_api_key, invalid_api_key, quota_exceeded (also for an address that sent too many
   * invalid keys), wrong_guild for a page that the key is not for, the operation's, StoreUnavailableError.
   */
  admit(req: Request, res: Response, next: NextFunction, operation: Operation): void {
    const key = req.headers['x-api-key'];
    if (typeof key !== 'string') {
      next(unauthorized('missing_api_key'));
      return;
    }
    const passage = new Passage(req, res, next, this.deliver);
    const identity = this.authenticator.getCached(key);
    if (identity) {
      passage.enter(identity, operation);
      this.batch.add(passage);
    } else {
      this.identify(key, passage, operation, req.ip ?? '');
    }
  }

  /**
   * Looks the key up first. That can take two commands beside those of the batch, each with a bound of its own, and a
   * Cluster client tries again after a failover: only a bound on the whole keeps the answer in time.
   */
  private identify(key: string, passage: Passage, operation: Operation, address: string): void {
    const heldBackMs = this.flood.isQuiet || this.authenticator.hasCached(key) ? 0 : this.flood.retryAfterMs(address);
    if (heldBackMs > 0) {
      passage.failed(tooManyInvalidKeys(heldBackMs), undefined);
      return;
    }
    passage.release = this.deadlines.add((error) => passage.failed(error, undefined));
    // Node joins a header that comes twice; the joined text has no key's form.
    this.authenticator.authenticate(key).then(
      (identity) => {
        if (identity) {
          passage.enter(identity, operation);
          this.batch.add(passage);
        } else {
          this.flood.recordFailure(address);
          passage.failed(unauthorized('invalid_api_key'), undefined);
        }
      },
      (error) => passage.failed(error, undefined),
    );
  }
}

function tooManyInvalidKeys(ms: number): Error {
  const seconds = Math.ceil(ms / 1000);
  return tooMany(
    `Too many requests with invalid keys came from this address. Try again in ${seconds} seconds.`,
    seconds,
  );
}
