import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, type TestContext, vi } from 'vitest';
import { type RunningChild, startChild } from '../../scripts/dev/child-process.ts';
import { type EmbeddedRedis, freePort, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { sharedChromium, startSite } from '../../tools/browser.ts';
import { guildOn, type TestGuild } from '../support/guild.ts';
import { type Answer, startLoad } from '../support/load.ts';
import { needs } from '../support/needs.ts';
import { repository } from '../support/run-command.ts';
import { startService, type TestService } from '../support/service.ts';
import { storeOn } from '../support/stores.ts';
import { ALL_VARIANTS } from '../support/variants.ts';
import { PATIENT } from '../support/wait.ts';
import { nginx, nginxConfiguration } from './nginx.ts';

const EXAMPLE_ID = '81384788765712384';
const BASE = `/api/v1/servers/${EXAMPLE_ID}`;
const PAGE = `${BASE}/leaderboard`;
const STATS = `${BASE}/stats`;

interface ProxyParts {
  readonly service: string;
  readonly keyFile: string;
  readonly folder: string;
  /** The web page that may use the proxy. */
  readonly origin: string;
  /** How many times as soon an answer expires, and as often the service may be asked. */
  readonly hurry: number;
}

/** Replaces numbers that a text must have. */
function replaceNumbers(text: string, numbers: readonly (readonly [from: RegExp, to: number])[]): string {
  return numbers.reduce((changed, [from, to]) => {
    expect(changed).toMatch(from);
    return changed.replace(from, (_, before: string, after: string) => before + to + after);
  }, text);
}

/** Starts a proxy of deploy/proxy for a service and an API key, on a free port. */
type Start = (parts: ProxyParts) => Promise<{
  readonly port: number;
  readonly child: RunningChild;
}>;

const startNginx: Start = async ({ service, keyFile, folder, origin, hurry }) => {
  const [port, inner] = [await freePort(), await freePort()];
  const included = join(folder, 'key.conf');
  writeFileSync(included, `proxy_set_header x-api-key ${readFileSync(keyFile, 'utf8')};`);
  const config = readFileSync(join(repository, 'deploy/proxy/nginx.conf'), 'utf8')
    .replaceAll('8070', String(port))
    .replaceAll('8091', String(inner))
    .replaceAll('127.0.0.1:8080', new URL(service).host)
    .replaceAll('/etc/nginx/guildrank-key.conf', included)
    .replaceAll('/var/cache/nginx-guildrank', join(folder, 'cache'))
    .replace('# https://www.example.com ', `${origin} `);
  const hurried = replaceNumbers(config, [
    [/^( +stats +)30(;)$/m, 30 / hurry],
    [/^( +default +)15(;)$/m, 15 / hurry],
    [/(zone=guildrank_watched:64k rate=)6(r\/m)/, 6 * hurry],
  ]);
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, nginxConfiguration(hurried, folder));
  return { port, child: startChild(nginx as string, ['-c', file]) };
};

const startNode: Start = async ({ service, keyFile, folder, origin, hurry }) => {
  const port = await freePort();
  const program = join(folder, 'proxy.mjs');
  const source = readFileSync(join(repository, 'deploy/proxy/proxy.mjs'), 'utf8');
  const lifetimes = [
    [/(\? )30_000( :)/, 30_000 / hurry],
    [/(: )15_000(\);)/, 15_000 / hurry],
    [/(watched = limit\()6(, 3\))/, 6 * hurry],
    // A busy machine can answer late.
    [/(TIMEOUT_MS = )2000(;)/, 10_000],
  ] as const;
  writeFileSync(program, replaceNumbers(source, lifetimes));
  const env = { PORT: String(port), GUILDRANK_URL: service, GUILD_ID: EXAMPLE_ID, API_KEY_FILE: keyFile };
  const child = startChild(process.execPath, [program], {
    env: { PATH: process.env.PATH, ALLOWED_ORIGIN: origin, ...env },
  });
  return { port, child };
};

const PROXIES = [
  { name: 'nginx', start: startNginx, missing: needs('nginx', 'redis-server') },
  { name: 'Node', start: startNode, missing: needs('redis-server') },
];

interface Backend {
  readonly redis: EmbeddedRedis;
  readonly guild: TestGuild;
  readonly service: TestService;
}

interface Running extends Backend {
  readonly url: string;
  get(path: string, init?: RequestInit): Promise<{ status: number; headers: Headers; text: string }>;
  /** Returns the requests that the quota of the guild was charged with. */
  cost(): Promise<number>;
}

/** Starts Redis and the service. @param onEnd takes what ends them, the last first. */
async function startBackend(onEnd: (end: () => Promise<void> | void) => void): Promise<Backend> {
  const redis = await startEmbeddedRedis();
  onEnd(redis.stop);
  const guild = await guildOn(redis.url, EXAMPLE_ID);
  onEnd(guild.close);
  const store = storeOn(redis);
  onEnd(store.disconnect);
  const service = await startService(store, guild.env);
  onEnd(() => service.close());
  return { redis, guild, service };
}

/** Starts a proxy of a backend, of one of its own unless given. It ends with the test, which names its context: others run beside it. */
async function run(
  start: Start,
  { onTestFinished }: TestContext,
  shared?: Backend,
  { origin = 'https://www.example.com', hurry = 1 } = {},
): Promise<Running> {
  const { redis, guild, service } = shared ?? (await startBackend(onTestFinished));
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-proxy-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const keyFile = join(folder, 'key');
  writeFileSync(keyFile, guild.key);
  const { port, child } = await start({ service: service.url, keyFile, folder, origin, hurry });
  onTestFinished(child.stop);
  const url = `http://127.0.0.1:${port}`;
  // No path of the guild, so that nothing is requested from the service.
  await vi.waitFor(async () => expect((await fetch(url)).status, child.output()).toBe(404), PATIENT);
  return {
    ...{ redis, guild, service, url },
    get: async (path, init = {}) => {
      const response = await fetch(url + path, init).catch((error: Error) => {
        throw new Error(`${path}: ${error.cause}; the proxy said: ${child.output()}`, { cause: error });
      });
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
    cost: async () => Number(await guild.store.client.get(`gr:quota:{${EXAMPLE_ID}}`)),
  };
}

/** Visitors of whom each looks once a second, for how many seconds, and how long the service is then away. `npm run test:long` has more. */
const VISITORS = Number(process.env.PROXY_VISITORS ?? 100);
const BUSY_S = Number(process.env.PROXY_BUSY_S ?? 4);
const OUTAGE_S = Number(process.env.PROXY_OUTAGE_S ?? 5);
/** Answers of the proxies expire fifteen times as soon, in whole seconds. The long tier has the proxies as they are. */
const hurry = Number(process.env.PROXY_HURRY ?? 15);

const failures = (answers: readonly Answer[]) =>
  answers.flatMap(({ status, path, error }) => (status === 200 ? [] : [{ status, path, error }]));

describe('for a busy page', needs('redis-server'), () => {
  let backend: Backend;
  const ends: (() => Promise<void> | void)[] = [];
  beforeAll(async () => {
    backend = await startBackend((end) => ends.unshift(end));
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });
  beforeEach(async () => {
    await backend.guild.store.client.flushall();
    await backend.guild.refill();
  });

  for (const { name, start, missing } of PROXIES)
    describe(`the proxy of ${name}`, missing, () => {
      it('answers the three reads of its guild as the service does, and shows the key to nobody', async (context) => {
        const { guild, service, get } = await run(start, context, backend);
        for (const userId of ['stats', 'leaderboard']) await guild.store.writer.record(EXAMPLE_ID, { userId, set: 5 });
        const reads = [
          ...[PAGE, `${PAGE}?page=2`, `${PAGE}?limit=50&page=1`, STATS],
          ...['u7', 'stats', 'leaderboard', 'nobody'].map((userId) => `${BASE}/members/${userId}`),
        ];
        for (const path of reads) {
          const own = await fetch(service.url + path, { headers: guild.headers });
          const { status, text, headers } = await get(path, { headers: { 'x-api-key': 'gr_of_a_visitor' } });
          expect(status, path).toBe(own.status);
          const withoutId = ({ request_id, ...rest }: Record<string, unknown>) => rest;
          expect(withoutId(JSON.parse(text)), path).toEqual(withoutId(JSON.parse(await own.text())));
          const shown = [...headers].flat().join('\n');
          expect(shown + text).not.toContain(guild.key);
          expect(shown).not.toMatch(/ratelimit|x-request-id|x-api-key|private/i);
          if (status !== 200) continue;
          const etag = headers.get('etag') as string;
          expect((await get(path, { headers: { 'if-none-match': etag } })).status).toBe(304);
        }
      });

      it('passes nothing but these reads, and sends the service only the two parameters that it knows', async (context) => {
        const { get, cost } = await run(start, context, backend);
        const others = [
          '/',
          '/docs',
          '/livez',
          '/metrics',
          '/api/v1/openapi.json',
          BASE,
          `${BASE}/`,
          `${BASE}/members/`,
        ];
        const strange = [
          '/api/v1/servers/1/stats',
          `${BASE}/members/a/b`,
          `${BASE}/members/a%2fb`,
          `${BASE}/members/..%2fstats/x`,
        ];
        for (const path of [...others, ...strange]) expect((await get(path)).status, path).toBe(404);
        for (const query of ['limit=0', 'limit=101', 'page=0', 'page=x', 'limit=1%26page=2']) {
          expect((await get(`${PAGE}?${query}`)).status, query).toBe(400);
        }
        for (const method of ['POST', 'PUT', 'DELETE']) expect((await get(STATS, { method })).status).toBe(405);
        expect(await cost()).toBe(0);
        for (const query of ['', '?', '?limit=10', '?page=1&limit=10', '?x=1', '?x=2&page=1']) {
          expect((await get(PAGE + query)).status, query).toBe(200);
        }
        expect((await get(PAGE, { method: 'HEAD' })).status).toBe(200);
        expect(await cost()).toBe(1);
      });

      it('lets a web page of another origin use it without a key, and compresses large answers', async (context) => {
        const { get } = await run(start, context, backend);
        const origin = { origin: 'https://www.example.com' };
        const cors = { 'access-control-allow-origin': origin.origin, 'access-control-allow-headers': 'if-none-match' };
        const preflight = await get(STATS, { method: 'OPTIONS', headers: origin });
        expect(preflight.status).toBe(204);
        expect(Object.fromEntries(preflight.headers)).toMatchObject(cors);
        const { headers } = await get(`${PAGE}?limit=50`, { headers: { ...origin, 'accept-encoding': 'gzip' } });
        expect(Object.fromEntries(headers)).toMatchObject({ ...cors, 'content-encoding': 'gzip' });
        expect(headers.get('vary')).toMatch(/accept-encoding/i);
      });

      // Both proxies send the same headers, as the test above shows.
      if (ALL_VARIANTS || name === 'nginx')
        it('serves the widget of a web page that holds no key', needs('chromium'), async (context) => {
          const site = await startSite();
          context.onTestFinished(site.close);
          const { origin } = new URL(site.url);
          const { service, url, cost } = await run(start, context, backend, { origin });
          const page = await (await sharedChromium()).newPage();
          context.onTestFinished(() => page.close());
          const keys: (string | undefined)[] = [];
          const messages: string[] = [];
          page.on('request', (request) => keys.push(request.headers()['x-api-key']));
          page.on('console', (message) => messages.push(message.text()));
          site.html = `<!doctype html><title>site</title><link rel="icon" href="data:,"><script src="${service.url}/widget.js" defer></script>
      <guild-leaderboard base-url="${url}" guild="${EXAMPLE_ID}"></guild-leaderboard>`;
          for (let visit = 0; visit < 3; visit++) {
            await page.goto(site.url);
            await page.getByText('u49').first().waitFor();
          }
          expect(messages).toEqual([]);
          expect(keys.filter((key) => key !== undefined)).toEqual([]);
          expect(await cost()).toBe(2);
        });

      it('asks the service for at most 10 look-ups a minute more than its reserve, whatever visitors do', async (context) => {
        const { get, cost } = await run(start, context, backend);
        const statuses = new Map<number, number>();
        for (let page = 2; page < 200; page++) {
          const { status, headers } = await get(`${PAGE}?page=${page}`);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          if (status === 429) expect(headers.get('retry-after')).toBe('10');
        }
        // A slow run may be allowed a few more.
        expect(statuses.get(200)).toBeGreaterThanOrEqual(11);
        expect(statuses.get(200)).toBeLessThan(20);
        expect(await cost()).toBe(statuses.get(200));
        // The first page and the totals have an allowance of their own.
        for (const path of [PAGE, STATS]) expect((await get(path)).status).toBe(200);
      });
    });
});

for (const { name, start, missing } of PROXIES)
  describe.concurrent(`the proxy of ${name}, over lifetimes of answers`, missing, () => {
    it('repeats the last answer, marked, while Redis is away, recovers, and says 503 where it has none', async (context) => {
      const { redis, guild, service, get } = await run(start, context, undefined, { hurry });
      const before = await get(PAGE);
      expect(before.status).toBe(200);
      redis.process.kill('SIGSTOP');
      const stale = await vi.waitFor(
        async () => {
          const answer = await get(PAGE);
          expect(answer.headers.get('x-cache-status')).toBe('STALE');
          return answer;
        },
        { timeout: 40_000, interval: 100 },
      );
      expect(stale).toMatchObject({ status: 200, text: before.text });
      redis.process.kill('SIGCONT');
      await guild.store.writer.record(EXAMPLE_ID, { userId: 'u0', set: 999_999 });
      await vi.waitFor(async () => expect((await get(PAGE)).text).toContain('999999'), {
        timeout: 40_000,
        interval: 100,
      });
      await service.close();
      const { status, headers, text } = await get(STATS);
      expect([status, headers.get('retry-after')]).toEqual([503, '5']);
      expect(JSON.parse(text)).toMatchObject({ code: 'store_unavailable' });
    });

    if (!ALL_VARIANTS && name !== 'nginx') return;

    it(`asks at most ${6 * hurry} times a minute for ${VISITORS} visitors that look once a second, who notice no outage of ${OUTAGE_S} s`, {
      timeout: 200_000 + 2000 * BUSY_S,
    }, async (context) => {
      const { service, url, cost } = await run(start, context, undefined, { hurry });
      // Four of five requests of a widget are for the page.
      const load = startLoad(url, { rate: VISITORS, paths: [PAGE, PAGE, PAGE, PAGE, STATS] });
      context.onTestFinished(() => void load.stop());
      await vi.waitFor(() => expect(load.answers.length).toBeGreaterThan(VISITORS * BUSY_S), {
        timeout: 100_000 + 2000 * BUSY_S,
        interval: 100,
      });
      const answers = await load.stop();
      expect(failures(answers)).toEqual([]);
      const seconds = (Math.max(...answers.map(({ sentAt }) => sentAt)) - (answers[0] as Answer).sentAt) / 1000;
      const requests = () => service.log.filter(({ msg }) => msg === 'request');
      await vi.waitFor(async () => expect(requests()).toHaveLength(await cost()), PATIENT);
      const asked = requests().map(({ time }) => Date.parse(time as string));
      const perMinute = asked.map((from) => asked.filter((at) => at >= from && at < from + 59_900 / hurry).length);
      expect(Math.max(...perMinute)).toBeLessThanOrEqual(6);
      process.stderr.write(`${answers.length} requests in ${seconds.toFixed(1)} s cost the guild ${await cost()}\n`);
      for (const [route, lifetime] of [
        ['/servers/:guild_id/leaderboard', 15 / hurry],
        ['/servers/:guild_id/stats', 30 / hurry],
      ] as const) {
        const times = requests().flatMap((line) => (line.route === route ? [Date.parse(line.time as string)] : []));
        expect(times.length).toBeGreaterThanOrEqual(lifetime === 15 / hurry ? 2 : 1);
        expect(times.length).toBeLessThanOrEqual(1 + Math.floor(seconds / lifetime));
        // Requests so far apart are at most 60 / 15 and 60 / 30 in each minute. The log has the time of the end of each.
        for (const [i, time] of times.slice(1).entries()) {
          expect(time - (times[i] as number)).toBeGreaterThan(lifetime * 1000 - 100);
        }
      }

      await service.close();
      const outage = startLoad(url, { rate: 20, paths: [PAGE, STATS] });
      context.onTestFinished(() => void outage.stop());
      await vi.waitFor(() => expect(outage.answers.length).toBeGreaterThan(20 * OUTAGE_S), {
        timeout: 100_000,
        interval: 100,
      });
      const during = await outage.stop();
      expect(failures(during)).toEqual([]);
      const last = during.slice(-20).map(({ headers }) => headers['x-cache-status']);
      expect(last.filter((state) => state !== 'STALE' && state !== 'UPDATING')).toEqual([]);
    });
  });
