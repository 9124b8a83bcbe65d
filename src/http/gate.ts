import type { NextFunction, Request, Response } from 'express';
import type { Authenticator, Identity } from '../access/authenticator.ts';
import type { QuotaState } from '../access/quotas.ts';
import type { Want } from '../leaderboard/page-cache.ts';
import type { GuildBatch } from './guild-batch.ts';
import type { Operation } from './operations.ts';
import { Problem, unauthorized } from './problem.ts';
import type { View } from './view.ts';

/** What stands before every operation: whose key it is, and whether its guild has quota left. */
export class Gate {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly batch: GuildBatch<View | null>,
  ) {}

  /**
   * Serves a request that must carry a valid key: counts it and reads what the operation wants in one round trip, then
   * delivers the view if the quota allows. A request that the operation refuses is counted all the same.
   * Every failure goes to `next`: missing_api_key, invalid_api_key, quota_exceeded, wrong_guild for a page that the key is not
   * for, the operation's, StoreUnavailableError.
   */
  admit(
    req: Request,
    res: Response,
    next: NextFunction,
    operation: Operation,
    deliver: (view: View | null) => void,
  ): void {
    const key = req.headers['x-api-key'];
    if (typeof key !== 'string') {
      next(unauthorized('missing_api_key'));
      return;
    }
    const identity = this.authenticator.recall(key);
    if (identity) {
      this.enter(identity, req, res, next, operation, deliver);
      return;
    }
    // Node joins a header that comes twice; the joined text has no key's form.
    this.authenticator.identify(key).then((found) => {
      if (found) this.enter(found, req, res, next, operation, deliver);
      else next(unauthorized('invalid_api_key'));
    }, next);
  }

  private enter(
    identity: Identity,
    req: Request,
    res: Response,
    next: NextFunction,
    operation: Operation,
    deliver: (view: View | null) => void,
  ): void {
    const { exchange } = res;
    exchange.identity = identity;
    let want: Want<View | null> | undefined;
    let refusal: unknown;
    try {
      if (!mayUse(req, identity)) throw wrongOrigin();
      want = operation(req, identity);
    } catch (error) {
      refusal = error;
    }
    this.batch.add({
      identity,
      want,
      done(quota, view) {
        exchange.quota = quota;
        if (!quota.allowed) return next(quotaExceeded(quota));
        if (refusal !== undefined) return next(refusal);
        try {
          deliver(view as View | null);
        } catch (error) {
          next(error);
        }
      },
      failed(error, quota) {
        exchange.quota = quota;
        next(quota && !quota.allowed ? quotaExceeded(quota) : error);
      },
    });
  }
}

/** Whether the key may be used where the request comes from. Browsers name the page's origin, except within one origin. */
function mayUse({ headers }: Request, { origins }: Identity): boolean {
  if (origins.length === 0) return true;
  if (headers.origin === undefined) return headers['sec-fetch-site'] === 'same-origin';
  return origins.includes(headers.origin);
}

/** The set of codes is closed: like a key on another server, this is a key in a place that it is not for. */
function wrongOrigin(): Problem {
  return new Problem('wrong_guild', 'This API key works only in pages of the websites that it was made for.');
}

function quotaExceeded({ limit, resetMs }: QuotaState): Problem {
  const seconds = Math.max(1, Math.ceil(resetMs / 1000));
  return new Problem(
    'quota_exceeded',
    `The quota of ${limit} requests per hour is used up. It is renewed in ${seconds} seconds.`,
    { headers: ['Retry-After', String(seconds)] },
  );
}
