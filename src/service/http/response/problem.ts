import type { QuotaState } from '../../../core/access/quotas.ts';
import { StoreUnavailableError } from '../../../core/errors.ts';

/** One bad parameter of a request. */
export interface ParameterError {
  readonly parameter: string;
  readonly detail: string;
}

const kind = (status: number, title: string, type: string) => ({
  status,
  title,
  type: `urn:guildrank:problem:${type}`,
});

/** The closed set of problem codes. Both 401 codes share all other fields, so that a body shows nothing about a key. */
export const PROBLEMS = {
  missing_api_key: kind(401, 'Unauthorized', 'unauthorized'),
  invalid_api_key: kind(401, 'Unauthorized', 'unauthorized'),
  wrong_guild: kind(403, 'Forbidden', 'wrong-guild'),
  invalid_request: kind(400, 'Bad Request', 'invalid-request'),
  member_not_found: kind(404, 'Not Found', 'member-not-found'),
  not_found: kind(404, 'Not Found', 'not-found'),
  method_not_allowed: kind(405, 'Method Not Allowed', 'method-not-allowed'),
  quota_exceeded: kind(429, 'Too Many Requests', 'quota-exceeded'),
  store_unavailable: kind(503, 'Service Unavailable', 'store-unavailable'),
  internal: kind(500, 'Internal Server Error', 'internal'),
} as const;

/** The code of a problem, which clients read. */
export type ProblemCode = keyof typeof PROBLEMS;

/** An RFC 9457 problem, sent as the response. Its detail goes to the client, so it holds no stack, key or address. */
export class Problem extends Error {
  constructor(
    readonly code: ProblemCode,
    readonly detail: string,
    readonly extra: {
      readonly errors?: readonly ParameterError[];
      /** Headers as a flat list: name, value, ... */
      readonly headers?: readonly string[];
      /** The error that caused the problem, for the log only. */
      readonly cause?: unknown;
    } = {},
  ) {
    super(detail, { cause: extra.cause });
  }

  /** The HTTP status of the response. */
  get status(): number {
    return PROBLEMS[this.code].status;
  }

  /** The message of the store's failure that caused the problem; undefined for another cause. For the log only, because it can contain an address. */
  get reason(): string | undefined {
    const { cause } = this.extra;
    return cause instanceof StoreUnavailableError ? cause.reason : undefined;
  }

  /** The kind of the store's failure that caused the problem; undefined for another cause. */
  get storeFailure(): string | undefined {
    const { cause } = this.extra;
    return cause instanceof StoreUnavailableError ? cause.code : undefined;
  }

  /** Returns the body as JSON text. */
  body(requestId: string): string {
    const { status, title, type } = PROBLEMS[this.code];
    const { errors } = this.extra;
    return JSON.stringify({ type, title, status, detail: this.detail, code: this.code, request_id: requestId, errors });
  }
}

const UNAUTHORIZED_DETAIL = 'Send a valid API key of this server in the x-api-key header.';

/**
 * Returns the 401 of a request without a valid API key, with WWW-Authenticate. The body is the same for a missing and for an invalid key, except its
 * code.
 */
export function unauthorized(code: 'missing_api_key' | 'invalid_api_key'): Problem {
  return new Problem(code, UNAUTHORIZED_DETAIL, { headers: ['WWW-Authenticate', 'ApiKey realm="guildrank"'] });
}

/** Returns the 405 of a request that is neither GET, HEAD nor OPTIONS, with Allow. */
export function methodNotAllowed(): Problem {
  return new Problem('method_not_allowed', 'This resource is read-only: use GET, HEAD or OPTIONS.', {
    headers: ['Allow', 'GET, HEAD, OPTIONS'],
  });
}

/** Returns the 400 of a request with bad parameters. The detail names every parameter, as `errors` of the body does. */
export function invalidRequest(errors: readonly ParameterError[]): Problem {
  const detail = errors.map(({ parameter, detail }) => `${parameter} ${detail}`).join('; ');
  return new Problem('invalid_request', `${detail}.`, { errors });
}

/** Returns the 404 of a read of a user who is not in the ranking. */
export function memberNotFound(): Problem {
  return new Problem('member_not_found', 'This server has no member with that user_id in its ranking.');
}

/** Returns the 429 of a request above the quota of the guild or the cap of its API key, with Retry-After in whole seconds, at least 1. */
export function quotaExceeded({ limit, resetMs, ofKey }: QuotaState): Problem {
  const seconds = Math.max(1, Math.ceil(resetMs / 1000));
  const which = ofKey ? `cap of this API key, ${limit} requests per hour,` : `quota of ${limit} requests per hour`;
  const detail = `The ${which} is used up. It is renewed in ${seconds} seconds.`;
  return tooManyRequests(detail, seconds);
}

/** Returns a 429 with Retry-After. @param retryAfterS whole seconds after which the client may try again. */
export function tooManyRequests(detail: string, retryAfterS: number): Problem {
  return new Problem('quota_exceeded', detail, { headers: ['Retry-After', String(retryAfterS)] });
}

/** Returns the problem that a thrown value becomes. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof StoreUnavailableError) {
    return new Problem('store_unavailable', 'The store did not answer in time. Try again shortly.', {
      headers: ['Retry-After', '1'],
      cause: error,
    });
  }
  // Express's router throws this for a path that is not valid percent-encoding.
  if (error instanceof URIError)
    return invalidRequest([{ parameter: 'path', detail: 'must be valid percent-encoding' }]);
  return new Problem('internal', 'The request failed for a reason on our side.', { cause: error });
}
