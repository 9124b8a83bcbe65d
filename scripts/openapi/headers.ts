/** The headers of answers, as OpenAPI header objects. src/service/http/response makes their names and values. */

interface HeaderObject {
  readonly description: string;
  readonly required: boolean;
  readonly schema: Record<string, unknown>;
  readonly example: string | number;
}

const text = (description: string, pattern: string, example: string): HeaderObject => ({
  description,
  required: true,
  schema: { type: 'string', pattern },
  example,
});

const count = (description: string, minimum: number, example: number): HeaderObject => ({
  description,
  required: true,
  schema: { type: 'integer', format: 'int64', minimum },
  example,
});

export const HEADERS = {
  'X-Request-Id': text(
    'Names this request in the logs of the service',
    '^[A-Za-z0-9_.:=+/-]{1,128}$',
    '9f86d081884c-1a',
  ),
  'RateLimit-Policy': text(
    '`q` requests in a window of `w` seconds: the quota that all keys of the server share, or the cap of the key if that leaves less',
    '^"hourly";q=[0-9]+;w=3600$',
    '"hourly";q=1000;w=3600',
  ),
  RateLimit: text(
    'What is left: `r` requests until the window ends in `t` seconds',
    '^"hourly";r=[0-9]+;t=[0-9]+$',
    '"hourly";r=994;t=2710',
  ),
  'X-RateLimit-Limit': count('Requests per window', 1, 1000),
  'X-RateLimit-Remaining': count('Requests left in this window', 0, 994),
  'X-RateLimit-Reset': count('When the window ends, in seconds since 1970-01-01 UTC', 1, 1768481999),
  ETag: text(
    'Names this content; send it back in If-None-Match',
    '^"[A-Za-z0-9_-]+"$',
    '"2jmj7l5rSw0yVb_vlWAYkK_YBwk"',
  ),
  'Cache-Control': text(
    '`private, no-cache` (or `private, max-age=N`, when the service is set up so) on data, `no-store` on problems',
    '^(private, no-cache|private, max-age=[0-9]+|no-store)$',
    'private, no-cache',
  ),
  Vary: text('Request headers that the answer depends on', '^x-api-key(, Origin)?(, Accept-Encoding)?$', 'x-api-key'),
  'Retry-After': count('Seconds to wait before the next request', 1, 1284),
  'WWW-Authenticate': text('The scheme to authenticate with', '^ApiKey realm="guildrank"$', 'ApiKey realm="guildrank"'),
  Allow: text('The methods of this resource', '^GET, HEAD, OPTIONS$', 'GET, HEAD, OPTIONS'),
} as const satisfies Record<string, HeaderObject>;

/** The name of a header that responses can have. */
export type HeaderName = keyof typeof HEADERS;

const ON_ALL: readonly HeaderName[] = ['X-Request-Id', 'Cache-Control', 'Vary'];
const QUOTA: readonly HeaderName[] = [
  'RateLimit-Policy',
  'RateLimit',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
];

/**
 * Returns the `headers` of a response.
 * @param quota whether the answer shows the quota: always, never, or only when the request carried a valid key and was counted.
 */
export function responseHeaders(quota: 'always' | 'never' | 'if counted', further: readonly HeaderName[]): object {
  const reference = (name: HeaderName): [string, object] => [name, { $ref: `#/components/headers/${name}` }];
  const optional = (name: HeaderName): [string, object] => {
    const header = HEADERS[name];
    const description = `${header.description}. Only when the request was counted`;
    return [name, { ...header, description, required: false }];
  };
  const headers = [...ON_ALL, ...further].map(reference);
  if (quota === 'always') headers.push(...QUOTA.map(reference));
  if (quota === 'if counted') headers.push(...QUOTA.map(optional));
  return Object.fromEntries(headers);
}
