import { createHash } from 'node:crypto';
import { type Answer, withPlaceholders } from './placeholders.ts';
import type { Received } from './wire.ts';

/** Bodies of more bytes are recorded by their SHA-256. */
const WHOLE_BODY = 2500;

/** Lines that many answers share, in this order: a recording names them by a word of its own. */
const SHARED: Readonly<Record<string, readonly string[]>> = {
  '@safety': [
    'X-Content-Type-Options: nosniff',
    "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'",
    'X-Frame-Options: DENY',
    'Referrer-Policy: no-referrer',
    'Cross-Origin-Resource-Policy: cross-origin',
  ],
  '@cors': [
    'Access-Control-Allow-Origin: *',
    'Access-Control-Expose-Headers: ETag, RateLimit, RateLimit-Policy, X-RateLimit-Limit, X-RateLimit-Remaining, ' +
      'X-RateLimit-Reset, Retry-After, X-Request-Id',
  ],
  '@preflight': [
    'Access-Control-Allow-Methods: GET, HEAD, OPTIONS',
    'Access-Control-Allow-Headers: x-api-key, if-none-match, authorization, *',
    'Access-Control-Max-Age: 7200',
    'Allow: GET, HEAD, OPTIONS',
    'Vary: Origin',
    'X-Request-Id: <id>',
  ],
  '@page': [
    'Cache-Control: no-cache',
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src " +
      "data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
    'X-Frame-Options: DENY',
    'Referrer-Policy: no-referrer',
  ],
  '@first-of-10000': [
    'RateLimit-Policy: "hourly";q=10000;w=3600',
    'X-RateLimit-Limit: 10000',
    'RateLimit: "hourly";r=9999;t=<seconds>',
    'X-RateLimit-Remaining: 9999',
    'X-RateLimit-Reset: <epoch>',
  ],
  '@keep-alive': ['Date: <date>', 'Connection: keep-alive', 'Keep-Alive: timeout=65'],
  '@close': ['Date: <date>', 'Connection: close'],
};

/** Returns requests and answers of one connection as text: ">" before what was sent, "<" before what came. */
export function transcript(requests: readonly string[], received: Received): string {
  const lines: string[] = [];
  let sent = 0;
  let isFinal = true;
  for (const { start, body, end } of received.heads) {
    const request = requests[sent] ?? '';
    if (isFinal) lines.push(...marked('>', visible(request.trimEnd())));
    const answer = {
      head: received.bytes.toString('latin1', start, body),
      body: received.bytes.subarray(body, end),
    };
    lines.push(...marked('<', rendered(withPlaceholders(request, answer))));
    isFinal = !/^HTTP\/1\.1 1/.test(answer.head);
    if (isFinal) sent++;
  }
  for (const request of requests.slice(sent)) lines.push(...marked('>', visible(request.trimEnd())), '< (no answer)');
  const rest = received.bytes.subarray(received.heads.at(-1)?.end ?? 0);
  if (rest.length > 0) lines.push(...marked('<', `(then) ${visible(rest.toString('latin1'))}`));
  return lines.join('\n');
}

function marked(mark: string, text: string): string[] {
  return text.split('\n').map((line) => (line === '' ? mark : `${mark} ${line}`));
}

function rendered({ head, body }: Answer): string {
  let text = visible(head).slice(0, -1);
  for (const [word, lines] of Object.entries(SHARED)) text = text.replace(`\n${lines.join('\n')}\n`, `\n${word}\n`);
  return body.length === 0 ? text : `${text}\n${renderedBody(body)}`;
}

function renderedBody(body: Buffer): string {
  if (body.length > WHOLE_BODY)
    return `(${body.length} bytes, SHA-256 ${createHash('sha256').update(body).digest('hex')})`;
  const text = body.toString('utf8');
  return Buffer.from(text).equals(body)
    ? escaped(text, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu)
    : visible(body.toString('latin1'));
}

/** Returns bytes, one in each character, as text: CRLF as a line break, what cannot be seen escaped, long runs counted. */
function visible(latin1: string): string {
  return latin1
    .split('\r\n')
    .map((line) => escaped(line, /[^\x20-\x7e]/g).replace(/(.)\1{60,}/g, (run, one) => `${one}{${run.length} times}`))
    .join('\n');
}

function escaped(text: string, characters: RegExp): string {
  return text.replace(characters, (one) => `<U+${(one.codePointAt(0) as number).toString(16).padStart(4, '0')}>`);
}
