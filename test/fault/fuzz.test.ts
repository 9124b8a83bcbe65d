import { Agent, request } from 'node:http';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { guildStatsSchema, leaderboardPageSchema, memberSchema } from '../../scripts/openapi/schemas.ts';
import { PROBLEMS } from '../../src/service/http/response/problem.ts';
import { recordFigure } from '../support/figures.ts';
import { rawExchange } from '../support/raw-http.ts';
import { startService, type TestService } from '../support/service.ts';
import { mockStore, type TestStore } from '../support/stores.ts';

/** FUZZ_RUNS=100000 is the full length. FUZZ_SEED repeats a run. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 1000);
const SEED = process.env.FUZZ_SEED === undefined ? {} : { seed: Number(process.env.FUZZ_SEED) };
/** Requests in flight at the same time. */
const BATCH = 10;

const GUILD = '123456789012345678';

/** Text that can break a parser: control characters, unicode, encodings, separators, Lua and Redis syntax. */
const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom(
    '%',
    '%00',
    '%zz',
    '%ff',
    '..',
    '../..',
    '%2e%2e%2f',
    '\u0000',
    '}{',
    '{x}',
    '*',
    "'",
    '"',
    '\\',
    '//',
  ),
  fc.constantFrom('__proto__', 'constructor', 'null', 'undefined', 'NaN', '-1', '1e3', '0x10', '٣', '9007199254740993'),
  fc.constantFrom("');redis.call('FLUSHALL')--", '\r\nFLUSHALL\r\n', '*1\r\n$8\r\nFLUSHALL\r\n', ':xp', 'a'.repeat(65)),
);
const sane = fc.constantFrom(GUILD, 'u1', 'u2', '1', '10', '100');
const text = fc.oneof({ weight: 2, arbitrary: nasty }, { weight: 1, arbitrary: sane });
const part = fc.oneof(
  text.map((it) => encodeURIComponent(Buffer.from(it).toString())),
  // Not encoded, without the characters that end a path or a request line.
  text.map((it) => it.replace(/[^\x21-\x7e]|[#?]/g, '')),
);
const path = fc.oneof(
  fc.constantFrom('leaderboard', 'stats', 'members/u1').map((it) => `/api/v1/servers/${GUILD}/${it}`),
  part.map((it) => `/api/v1/servers/${GUILD}/members/${it}`),
  fc.tuple(part, fc.constantFrom('leaderboard', 'stats')).map(([id, it]) => `/api/v1/servers/${id}/${it}`),
  fc.array(part, { maxLength: 6 }).map((parts) => `/${parts.join('/')}`),
  fc.constantFrom('/', '/livez', '/readyz', '//', '/api/v1', '/api/v1/servers', '/API/V1/servers/x/stats', '*'),
);
const query = fc
  .array(
    fc
      .tuple(fc.oneof(fc.constantFrom('limit', 'page', 'limit[]', 'page[a]', '__proto__[x]', 'x'), part), part)
      .map(([name, value]) => `${name}=${value}`),
    { maxLength: 5 },
  )
  .map((pairs) => (pairs.length > 0 ? `?${pairs.join('&')}` : ''));
const HEADERS = [
  'if-none-match',
  'origin',
  'x-forwarded-for',
  'accept',
  'accept-encoding',
  'range',
  'expect',
  'te',
  'x-x',
];
const headerValue = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }).map((it) => it.replace(/[^\x20-\x7e\x80-\xff]/g, '')),
  fc.constantFrom('*', '"a", W/"b"', 'bytes=0-1', '100-continue', 'null', 'gzip;q=NaN', 'a'.repeat(5000)),
);
const method = fc.constantFrom(
  'GET',
  'GET',
  'GET',
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'PURGE',
);
const attempt = fc.record({
  method,
  target: fc.tuple(path, query).map((both) => both.join('')),
  /** The valid key, none, or another text. */
  key: fc.oneof(fc.constantFrom('valid', 'valid', 'none'), headerValue),
  headers: fc.array(fc.tuple(fc.constantFrom(...HEADERS), headerValue), { maxLength: 4 }),
  body: fc.option(fc.string({ maxLength: 300 }), { nil: undefined }),
});
type Attempt = typeof attempt extends fc.Arbitrary<infer T> ? T : never;

describe('a request with any content', () => {
  let testStore: TestStore;
  let service: TestService;
  let key: string;
  const agent = new Agent({ keepAlive: true, maxSockets: BATCH });

  beforeAll(async () => {
    testStore = await mockStore.start();
    // Each request comes from a different address: otherwise the limit on invalid keys would refuse most before the key is checked.
    service = await startService(testStore, { PLAN_QUOTAS: 'free=100000000', LOG_LEVEL: 'warn', TRUST_PROXY: '1' });
    ({ key } = await service.store.apiKeys.create(GUILD, 'test', null));
    await service.store.writer.recordMany(GUILD, [
      { userId: 'u1', set: 5, username: '\u0000"\\\u2028 \u{1f600} </script>' },
      { userId: 'u2', set: 9_007_199_254_740_991 },
    ]);
  });
  afterAll(async () => {
    agent.destroy();
    await service.close();
    await testStore.stop();
  });

  it(`each of ${RUNS} requests with any content gets an answer of a known kind and no 5xx`, async () => {
    const seen = new Map<number, number>();
    const property = fc.asyncProperty(fc.array(attempt, { minLength: BATCH, maxLength: BATCH }), async (attempts) => {
      await Promise.all(
        attempts.map(async (it) => {
          const answer = await send(agent, service.url, it, key);
          judge(it, answer);
          seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
        }),
      );
    });
    await fc.assert(property, { numRuns: Math.ceil(RUNS / BATCH), ...SEED });
    expect([...seen.keys()]).toEqual(expect.arrayContaining([200, 400, 401, 403, 404, 405]));
    recordFigure('fuzzed requests', { times: RUNS, ...Object.fromEntries(seen) });
  }, 1_800_000);

  it(`each of ${Math.ceil(RUNS / 10)} texts that are not HTTP gets a readable answer or a closed connection`, async () => {
    const { port } = new URL(service.url);
    const line = fc.oneof(
      fc.constantFrom('GET / HTTP/1.1', 'GET /livez HTTP/1.1', 'GET /livez HTTP/9.9', 'GET', 'Host: x', 'Host: y', ''),
      fc.constantFrom('Content-Length: 5', 'Content-Length: -1', 'Transfer-Encoding: chunked', 'Transfer-Encoding: x'),
      fc.constantFrom('x-api-key: a', 'x-api-key: b', ' folded', ':', 'a b: c', 'Connection: upgrade', 'Upgrade: h2c'),
      fc.string({ unit: 'binary', maxLength: 60 }),
    );
    const message = fc
      .tuple(fc.array(line, { maxLength: 8 }), fc.constantFrom('\r\n', '\n', '\r', ''))
      .map(([lines, end]) => `${lines.join(end)}\r\n\r\n`);
    const property = fc.asyncProperty(message, async (it) => {
      const answers = await rawExchange(Number(port), Buffer.from(it, 'latin1'));
      for (const { status } of answers) expect(status).toBeLessThan(500);
      for (const { status, body } of answers) if (body !== '') expect(kindOf(status, body), body).toBe('known');
    });
    await fc.assert(property, { numRuns: Math.ceil(RUNS / 10), ...SEED });
    expect((await fetch(`${service.url}/livez`)).status).toBe(200);
  }, 1_800_000);

  it('a request whose URL or header has 100 kB gets 431, and the next client is served', async () => {
    const { port } = new URL(service.url);
    const long = 'x'.repeat(100_000);
    for (const sent of [
      `GET /${long} HTTP/1.1\r\nHost: x\r\n\r\n`,
      `GET /api/v1/servers/${GUILD}/stats?${long} HTTP/1.1\r\nHost: x\r\n\r\n`,
      `GET / HTTP/1.1\r\nHost: x\r\nx-api-key: ${long}\r\n\r\n`,
    ]) {
      const [answer] = await rawExchange(Number(port), Buffer.from(sent));
      expect(answer?.status).toBe(431);
      expect(JSON.parse(answer?.body ?? '')).toMatchObject({ status: 431, code: 'invalid_request' });
    }
    expect((await fetch(`${service.url}/livez`)).status).toBe(200);
  });

  it('a request with two keys gets 401, even if both are valid', async () => {
    const { port } = new URL(service.url);
    const sent = `GET /api/v1/servers/${GUILD}/stats HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Forwarded-For: 192.0.2.1\r\nx-api-key: ${key}\r\nx-api-key: ${key}\r\n\r\n`;
    const [answer] = await rawExchange(Number(port), Buffer.from(sent));
    expect(answer?.status).toBe(401);
  });
});

const random255 = (): number => Math.floor(Math.random() * 256);

interface Received {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

function send(agent: Agent, url: string, { method, target, key: kind, headers, body }: Attempt, key: string) {
  const all: Record<string, string | string[]> = {};
  for (const [name, value] of headers) all[name] = name in all ? [all[name] ?? '', value].flat() : value;
  // Node's client sends the body of a HEAD without its length: the server would read it as a second request.
  if (body !== undefined) all['content-length'] = String(Buffer.byteLength(body));
  all['x-forwarded-for'] ??= `10.${random255()}.${random255()}.${random255()}`;
  if (kind !== 'none') all['x-api-key'] = kind === 'valid' ? key : kind;
  return new Promise<Received>((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const req = request({ agent, hostname, port, method, path: target || '/', headers: all }, (res) => {
      let text = '';
      res.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      res.on('end', () =>
        resolve({ status: res.statusCode ?? 0, type: res.headers['content-type'] ?? '', body: text }),
      );
      res.on('error', reject);
    });
    req.on('error', reject);
    req.end(body);
  });
}

function judge({ method, target }: Attempt, { status, type, body }: Received): void {
  const what = `${method} ${target}: ${status} ${type} ${body.slice(0, 500)}`;
  expect(status, what).toBeLessThan(500);
  if (method === 'HEAD' || status === 204 || status === 304) {
    expect(body, what).toBe('');
    return;
  }
  // No browser calls the health paths across origins, so they do not answer OPTIONS with 204.
  if (method === 'OPTIONS' && /^\/(livez|readyz)/.test(target)) return;
  expect(type, what).toMatch(status === 200 ? /^application\/json/ : /^application\/problem\+json$/);
  expect(kindOf(status, body), what).toBe('known');
}

/** Returns whether a body is one of the three documents, a health answer, or a known problem with its status. */
function kindOf(status: number, body: string): 'known' | 'unknown' {
  const value = JSON.parse(body) as { code?: keyof typeof PROBLEMS; status?: number | string };
  if (status === 200) {
    const fits = [leaderboardPageSchema, memberSchema, guildStatsSchema].some(
      (shape) => shape.strict().safeParse(value).success,
    );
    return fits || value.status === 'ok' ? 'known' : 'unknown';
  }
  const problem = value.code && PROBLEMS[value.code];
  // A request that Node cannot read is an invalid request with status 408 or 431.
  const fits = problem && value.status === status && (problem.status === status || [408, 431].includes(status));
  return fits ? 'known' : 'unknown';
}
