import type { RequestHandler } from 'express';

/** Headers formatted once and sent many times, in the two forms in which Node takes them. */
export interface HeaderBlock {
  /** Name, value, name, value, ... */
  readonly list: readonly string[];
  /** One "Name: value" line each, with its line break. */
  readonly lines: string;
}

/** Formats headers from a flat list: name, value, ... No value holds a line break. */
export function headerBlock(...list: readonly string[]): HeaderBlock {
  const parts: string[] = [];
  for (const [index, text] of list.entries()) parts.push(text, index % 2 === 0 ? ': ' : '\r\n');
  // Joined, because V8 keeps a text made by adding as a tree and walks it at each write (docs/adr/0011).
  return { list, lines: parts.join('') };
}

/** Joins blocks of headers into one block. */
export function joinBlocks(...blocks: readonly HeaderBlock[]): HeaderBlock {
  return headerBlock(...blocks.flatMap(({ list }) => list));
}

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
/**
 * Any header may be sent, because no request carries credentials of the browser: tracing, analytics and fetch wrappers add headers of their own.
 * The star leaves Authorization out, and old browsers do not know the star.
 */
const ALLOWED_HEADERS = 'x-api-key, if-none-match, authorization, *';
const PREFLIGHT_SECONDS = '7200';

/** The CORS headers of responses, by the Origin of the request. */
export interface CorsPolicy {
  /** For the origins that are listed. */
  readonly byOrigin: ReadonlyMap<string | undefined, HeaderBlock>;
  /** The headers for every other origin, and for requests without an origin. */
  readonly otherwise: HeaderBlock;
  /** Whether the headers depend on the origin, as soon as origins are listed. */
  readonly varies: boolean;
}

/** @param origins the origins that may read responses; "*" allows all. */
export function corsPolicy(origins: readonly string[]): CorsPolicy {
  const allow = (origin: string) =>
    headerBlock('Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', EXPOSED);
  if (origins.includes('*')) return { byOrigin: new Map(), otherwise: allow('*'), varies: false };
  const byOrigin = new Map(origins.map((origin) => [origin, allow(origin)]));
  return { byOrigin, otherwise: headerBlock(), varies: true };
}

/**
 * Answers every OPTIONS request: without a key, and without counting it against a quota.
 * @param isForAllSites returns whether all origins may read a path, whatever the policy says.
 * @param onRequest called for each.
 */
export function answerPreflight(
  { byOrigin, otherwise }: CorsPolicy,
  isForAllSites: (path: string) => boolean,
  onRequest: () => void,
): RequestHandler {
  const { otherwise: allowAll } = corsPolicy(['*']);
  return (req, res, next) => {
    if (req.method !== 'OPTIONS') return next();
    onRequest();
    res.writeHead(204, [
      ...(isForAllSites(req.path) ? allowAll : (byOrigin.get(req.headers.origin) ?? otherwise)).list,
      'Access-Control-Allow-Methods',
      ALLOWED_METHODS,
      'Access-Control-Allow-Headers',
      ALLOWED_HEADERS,
      'Access-Control-Max-Age',
      PREFLIGHT_SECONDS,
      'Allow',
      ALLOWED_METHODS,
      'Vary',
      'Origin',
      'X-Request-Id',
      res.context.requestId,
    ]);
    res.end();
  };
}
