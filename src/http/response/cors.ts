import type { Response } from 'express';
import { headerLines, headerList } from './headers.ts';

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

/** The CORS headers that an answer to a request from this origin carries, as lines. */
export type CorsPolicy = (origin: string | undefined) => string;

/** @param origins the origins that may read answers; "*" allows all. */
export function corsPolicy(origins: readonly string[]): CorsPolicy {
  const allow = (origin: string) =>
    headerLines('Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', EXPOSED);
  if (origins.includes('*')) {
    const everyone = allow('*');
    return () => everyone;
  }
  const byOrigin = new Map(origins.map((origin) => [origin, allow(origin)]));
  return (origin) => (origin === undefined ? '' : (byOrigin.get(origin) ?? ''));
}

/** Answers an OPTIONS request: without a key, and without counting it. */
export function answerOptions(res: Response): void {
  const { context } = res;
  res.writeHead(204, [
    ...headerList(context.cors),
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
    context.requestId,
  ]);
  res.end();
}
