import type { RequestHandler } from 'express';

const ALLOWED_METHODS = 'GET, HEAD, OPTIONS';
const EXPOSED = [
  'ETag',
  'RateLimit',
  'RateLimit-Policy',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'X-Request-Id',
].join(', ');
const PREFLIGHT_SECONDS = '7200';
const NONE: readonly string[] = [];

/**
 * CORS for the configured origins; "*" allows all. Answers every OPTIONS itself, without a key and without counting it.
 */
export function cors(origins: readonly string[]): RequestHandler {
  const any = origins.includes('*');
  const allow = (origin: string) => ['Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', EXPOSED];
  const forAny = allow('*');
  const byOrigin = new Map(origins.map((origin) => [origin, allow(origin)]));

  return (req, res, next) => {
    const { exchange } = res;
    exchange.cors = any ? forAny : (byOrigin.get(req.headers.origin ?? '') ?? NONE);
    if (req.method !== 'OPTIONS') return next();
    res.writeHead(204, [
      ...exchange.cors,
      'Access-Control-Allow-Methods',
      ALLOWED_METHODS,
      'Access-Control-Allow-Headers',
      'x-api-key, if-none-match',
      'Access-Control-Max-Age',
      PREFLIGHT_SECONDS,
      'Allow',
      ALLOWED_METHODS,
      'Vary',
      'Origin',
      'X-Request-Id',
      exchange.requestId,
    ]);
    res.end();
  };
}
