/**
 * The parts of an answer that are never the same twice, and what stands for them in a recording. This is the one place where
 * something is left out of the comparison; everything else is compared byte for byte, the order and case of headers included.
 *
 * | part | placeholder | checked instead |
 * |---|---|---|
 * | `Date` | `<date>` | the present time |
 * | `X-Request-Id`, `request_id` | `<id>` | its form; the same in head and body |
 * | `t` of `RateLimit`, `X-RateLimit-Reset`, `Retry-After` of 429 | `<seconds>`, `<epoch>` | within the window, and consistent |
 * | `N seconds` in the detail of 429 | `<seconds>` | the same number as `Retry-After` |
 * | `Content-Length` of a body with placeholders | length of the recorded body | the length of the body that came |
 * | body, `ETag` and `Content-Length` of documents (texts that may be reworded) | `<etag>`, `<length>` | the length |
 */

/** Paths of texts for people: their wording is no part of a recording. */
const DOCUMENT = /^\S+ (?:http:\/\/[^/ ]*)?\/(docs|docs\/\w+\.(?:css|js)|widget\.js|api\/v1\/openapi\.json)(\?\S*)? /;
const WINDOW_S = 3600;
const ID = /^X-Request-Id: ([0-9a-f]{12}-[0-9a-z]+)$/m;

export interface Answer {
  /** Status line and headers, CRLF after each, and the empty line. */
  readonly head: string;
  readonly body: Buffer;
}

/** Returns the answer with placeholders. @throws when a part that is replaced is not as it must be. */
export function withPlaceholders(request: string, answer: Answer): Answer {
  const { body } = answer;
  const length = Number(/^Content-Length: (\d+)\r$/m.exec(answer.head)?.[1] ?? 0);
  if (body.length > 0 && length !== body.length) throw new Error(`Content-Length ${length} of ${body.length} bytes`);
  const head = replaceTimes(answer.head);
  const isDocument = DOCUMENT.test(request) && /^HTTP\/1\.1 (200|304) /.test(head);
  const replaced = replaceIds(head, body, length);
  return isDocument ? { head: withoutTag(replaced.head), body: NOT_RECORDED } : replaced;
}

const NOT_RECORDED = Buffer.from('<not recorded>');

function withoutTag(head: string): string {
  return head
    .replace(/^ETag: "[\w-]{27}(-br|-gzip)?"(?=\r$)/m, 'ETag: <etag>')
    .replace(/^Content-Length: [1-9]\d*(?=\r$)/m, 'Content-Length: <length>');
}

function replaceTimes(head: string): string {
  const now = Date.now() / 1000;
  const date = /^Date: (\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT)\r$/m.exec(head)?.[1];
  if (date !== undefined) within('Date', Date.parse(date) / 1000, now - 60, now + 1);
  const left = /^RateLimit: "hourly";r=\d+;t=(\d+)\r$/m.exec(head)?.[1];
  if (left !== undefined) {
    within('t', Number(left), 0, WINDOW_S);
    const reset = Number(/^X-RateLimit-Reset: (\d+)\r$/m.exec(head)?.[1]);
    within('X-RateLimit-Reset', reset, now + Number(left) - 60, now + Number(left) + 2);
  }
  return head
    .replace(/^Date: .*(?=\r$)/m, 'Date: <date>')
    .replace(/^(RateLimit: "hourly";r=\d+;t=)\d+(?=\r$)/m, '$1<seconds>')
    .replace(/^X-RateLimit-Reset: \d+(?=\r$)/m, 'X-RateLimit-Reset: <epoch>');
}

function within(name: string, value: number, min: number, max: number): void {
  if (!(value >= min && value <= max)) throw new Error(`${name} is ${value}, not from ${min} to ${max}`);
}

/** A HEAD names the length of a body that does not come: what the placeholders change of it is known from the headers. */
function replaceIds(head: string, body: Buffer, length: number): Answer {
  const isProblem = /^Content-Type: application\/problem\+json\r$/m.test(head);
  const replaced: [from: string, to: string][] = [];
  const id = ID.exec(head.replaceAll('\r', ''))?.[1];
  if (id !== undefined) replaced.push([`"request_id":"${id}"`, '"request_id":"<id>"']);
  const seconds = head.startsWith('HTTP/1.1 429 ') ? /^Retry-After: (\d+)\r$/m.exec(head)?.[1] : undefined;
  if (seconds !== undefined) replaced.push([` ${seconds} seconds`, ' <seconds> seconds']);
  let text = body.toString('latin1');
  let difference = 0;
  for (const [from, to] of isProblem ? replaced : []) {
    if (text !== '' && text.split(from).length !== 2) throw new Error(`${from} does not stand once in ${text}`);
    text = text.replace(from, to);
    difference += to.length - from.length;
  }
  return {
    head: head
      .replace(/^(X-Request-Id: )[0-9a-f]{12}-[0-9a-z]+(?=\r$)/m, '$1<id>')
      .replace(/^(HTTP\/1\.1 429 (?:.*\r\n)*?Retry-After: )\d+(?=\r$)/m, '$1<seconds>')
      .replace(/^Content-Length: \d+(?=\r$)/m, `Content-Length: ${length + difference}`),
    body: Buffer.from(text, 'latin1'),
  };
}
