import type { Request, Response } from 'express';
import type { Authenticator, Identity } from '../access/authenticator.ts';
import type { Quotas } from '../access/quotas.ts';
import { Problem, unauthorized } from './problem.ts';

/** What stands before every operation: whose key it is, and whether its guild has quota left. */
export class Gate {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly quotas: Quotas,
  ) {}

  /**
   * Serves a request with a valid key: counts it, runs the operation in the same tick, and gives its result if the quota
   * allows. An operation that throws is counted all the same.
   * @throws Problem missing_api_key, invalid_api_key, quota_exceeded, wrong_guild for a page that the key is not for, or what the operation throws; StoreUnavailableError.
   */
  async pass<T>(req: Request, res: Response, operation: (identity: Identity) => Promise<T>): Promise<T> {
    const key = req.headers['x-api-key'];
    if (key === undefined) throw unauthorized('missing_api_key');
    // Node joins a header that comes twice; the joined text has no key's form.
    const identity = this.authenticator.recall(key as string) ?? (await this.authenticator.identify(key as string));
    if (!identity) throw unauthorized('invalid_api_key');
    res.exchange.identity = identity;
    const result = mayUse(req, identity) ? operation(identity) : Promise.reject(wrongOrigin());
    // The quota's word comes first; until then the operation's failure must not count as unhandled.
    result.catch(() => {});
    const quota = await this.quotas.consume(identity.guildId, identity.plan);
    res.exchange.quota = quota;
    if (!quota.allowed) throw quotaExceeded(quota.limit, quota.resetMs);
    return result;
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

function quotaExceeded(limit: number, resetMs: number): Problem {
  const seconds = Math.max(1, Math.ceil(resetMs / 1000));
  return new Problem(
    'quota_exceeded',
    `The quota of ${limit} requests per hour is used up. It is renewed in ${seconds} seconds.`,
    {
      headers: ['Retry-After', String(seconds)],
    },
  );
}
