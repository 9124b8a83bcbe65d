import type { Request } from 'express';
import type { Authenticator, Identity } from '../../access/authenticator.ts';
import type { FailedAuthLimiter } from '../../access/failed-auth-limiter.ts';
import { Problem, tooManyRequests, unauthorized } from '../response/problem.ts';

/**
 * Looks an API key up. Two round trips.
 * @param address the client's IP address.
 * @throws Problem quota_exceeded for an address that sent too many invalid keys; invalid_api_key.
 * @throws StoreUnavailableError
 */
export async function requireApiKey(
  key: string,
  address: string | undefined,
  authenticator: Authenticator,
  limiter: FailedAuthLimiter,
): Promise<Identity> {
  // A key that was valid once is never rejected for what others at its address send.
  const isLimited = authenticator.isUnseen(key);
  const retryAfterMs = isLimited ? limiter.take(address) : 0;
  if (retryAfterMs > 0) throw tooManyInvalidKeys(retryAfterMs);
  let identity: Identity | null | undefined;
  try {
    // Node joins a header that comes twice to a text that is no well-formed key.
    identity = await authenticator.authenticate(key);
  } finally {
    // Undefined: Redis did not reply, which is not the client's failure.
    if (isLimited && identity !== null) limiter.giveBack(address);
  }
  if (!identity) throw unauthorized('invalid_api_key');
  return identity;
}

/**
 * Checks that a key that is limited to origins may be used where the request comes from. Browsers name the page's origin, except within
 * one origin: the page then has the host that it asks.
 * @throws Problem wrong_guild
 */
export function requireOrigin(req: Request, { origins }: Identity): void {
  const { origin } = req.headers;
  const allowed =
    origin === undefined
      ? req.headers['sec-fetch-site'] === 'same-origin' && origins.some((each) => hostOf(each) === req.host)
      : origins.includes(origin);
  // The set of codes is closed: like a key on another server, this is a key in a place that it is not for.
  if (!allowed)
    throw new Problem('wrong_guild', 'This API key works only in pages of the websites that it was made for.');
}

/** Returns host and port. The scheme is left out, because a proxy that ends TLS can hide it. */
function hostOf(origin: string): string {
  return origin.replace(/^https?:\/\//, '');
}

function tooManyInvalidKeys(ms: number): Problem {
  const seconds = Math.ceil(ms / 1000);
  return tooManyRequests(
    `Too many requests with invalid keys came from this address. Try again in ${seconds} seconds.`,
    seconds,
  );
}
