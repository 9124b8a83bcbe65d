import type { NextFunction, Request, Response } from 'express';
import type { AuthFlood } from '../access/auth-flood.ts';
import type { Authenticator, Identity } from '../access/authenticator.ts';
import type { QuotaState } from '../access/quotas.ts';
import type { Want } from '../leaderboard/page-cache.ts';
import type { Deadlines } from './deadlines.ts';
import type { GuildBatch } from './guild-batch.ts';
import type { Operation } from './operations.ts';
import { Problem, unauthorized } from './problem.ts';
import type { View } from './view.ts';

/** A request on its way through the gate. */
interface Passage {
  readonly req: Request;
  readonly res: Response;
  readonly operation: Operation;
  readonly deliver: (view: View | null) => void;
  /** Ends the passage with a failure. */
  readonly next: NextFunction;
}

/** What stands before every operation: whose key it is, and whether its guild has quota left. */
export class Gate {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly batch: GuildBatch<View | null>,
    private readonly deadlines: Deadlines,
    private readonly flood: AuthFlood,
  ) {}

  /**
   * Serves a request that must carry a valid key: counts it and reads what the operation wants in one round trip, then
   * delivers the view if the quota allows. A request that the operation refuses is counted all the same.
   * Every failure goes to `next`: missing_api_key, invalid_api_key, quota_exceeded (also for an address that sent too many
   * invalid keys), wrong_guild for a page that the key is not for, the operation's, StoreUnavailableError.
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
    const passage = { req, res, operation, deliver, next };
    const identity = this.authenticator.recall(key);
    if (identity) this.enter(passage, identity);
    else this.identify(passage, key);
  }

  /**
   * Looks the key up first. That can take two commands beside those of the batch, each with a bound of its own, and a
   * Cluster client tries again after a failover: only a bound on the whole keeps the answer in time.
   */
  private identify(passage: Passage, key: string): void {
    const { req, next } = passage;
    const heldBackMs = this.flood.isQuiet || this.authenticator.hasSeen(key) ? 0 : this.flood.heldBackMs(req.ip ?? '');
    if (heldBackMs > 0) {
      next(tooManyInvalidKeys(heldBackMs));
      return;
    }
    let open = true;
    const once = (settle: () => void): void => {
      if (!open) return;
      open = false;
      release();
      settle();
    };
    const release = this.deadlines.hold((error) => once(() => next(error)));
    const bounded: Passage = {
      ...passage,
      deliver: (view) => once(() => deliverOrFail(passage, view)),
      next: (error) => once(() => next(error)),
    };
    // Node joins a header that comes twice; the joined text has no key's form.
    this.authenticator.identify(key).then((identity) => {
      if (identity) this.enter(bounded, identity);
      else {
        this.flood.failed(req.ip ?? '');
        bounded.next(unauthorized('invalid_api_key'));
      }
    }, bounded.next);
  }

  private enter({ req, res, operation, deliver, next }: Passage, identity: Identity): void {
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
        deliverOrFail({ deliver, next }, view as View | null);
      },
      failed(error, quota) {
        exchange.quota = quota;
        next(quota && !quota.allowed ? quotaExceeded(quota) : error);
      },
    });
  }
}

function deliverOrFail({ deliver, next }: Pick<Passage, 'deliver' | 'next'>, view: View | null): void {
  try {
    deliver(view);
  } catch (error) {
    next(error);
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
  return tooMany(`The quota of ${limit} requests per hour is used up. It is renewed in ${seconds} seconds.`, seconds);
}

function tooManyInvalidKeys(ms: number): Problem {
  const seconds = Math.ceil(ms / 1000);
  return tooMany(
    `Too many requests with invalid keys came from this address. Try again in ${seconds} seconds.`,
    seconds,
  );
}

function tooMany(detail: string, retryAfterS: number): Problem {
  return new Problem('quota_exceeded', detail, { headers: ['Retry-After', String(retryAfterS)] });
}
