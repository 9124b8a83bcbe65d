import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { parseDashboardConfig } from '../../src/config/dashboard.ts';
import { ConfigError } from '../../src/core/errors.ts';
import { startTestDashboard, type TestDashboard, Visitor } from '../support/dashboard.ts';
import { needs } from '../support/needs.ts';
import { PATIENT } from '../support/wait.ts';

describe('the dashboard while Redis hangs', needs('redis-server'), () => {
  let dashboard: TestDashboard;
  beforeAll(async () => {
    dashboard = await startTestDashboard({ REDIS_TIMEOUT_MS: '2000' });
  });
  afterAll(() => dashboard.close());

  it('a request while Redis hangs gets 503 with a page, does nothing by halves, and works again afterwards', async () => {
    const owner = await dashboard.signIn('g');
    const link = await dashboard.link('g');
    const _token = await owner.tokenOf('/guilds/g');
    const late = new Visitor(dashboard);
    const early = Array.from({ length: 9 }, () => new Visitor(dashboard));
    const form = { _token, name: 'x', lifetime: 'until revoked', origins: '' };

    dashboard.redis.process.kill('SIGSTOP');
    try {
      const answers = await Promise.all([
        owner.get('/guilds/g'),
        owner.post('/guilds/g/keys', form),
        owner.post('/guilds/g/settings/multiplier', { _token, multiplier: '3' }),
        owner.get('/guilds/g/settings/access'),
        late.signIn(link),
        // With it all attempts that an address has.
        ...early.map((visitor) => visitor.signIn(link)),
      ]);
      for (const { status, headers, text } of answers) {
        expect([status, headers.get('retry-after')]).toEqual([503, '5']);
        expect(text).toContain('The database does not answer.');
        expect(text).not.toMatch(/127\.0\.0\.1:\d+|ioredis|node_modules/);
      }
      // A form comes back with its input, but for its secrets.
      expect(answers.map(({ text }) => /Your input.*?<dl>\n?(.*?)<\/dl>/s.exec(text)?.[1]?.trim())).toEqual([
        undefined,
        '<dt>name</dt><dd><bdi>x</bdi></dd><dt>lifetime</dt><dd><bdi>until revoked</bdi></dd>',
        '<dt>multiplier</dt><dd><bdi>3</bdi></dd>',
        ...Array(11).fill(undefined),
      ]);
      await vi.waitFor(async () => expect((await owner.get('/readyz')).status).toBe(503), PATIENT);
      expect((await owner.get('/livez')).status).toBe(200);
      expect((await new Visitor(dashboard).get('/sign-in/x')).status).toBe(410);
    } finally {
      dashboard.redis.process.kill('SIGCONT');
    }

    await vi.waitFor(async () => expect((await owner.get('/readyz')).status).toBe(200), PATIENT);
    expect(await dashboard.store.apiKeys.list('g')).toEqual([]);
    expect(await dashboard.store.client.hlen('gr:{g}:config')).toBe(0);
    expect((await owner.get('/guilds/g')).status).toBe(200);
    expect((await late.signIn(link)).status).toBe(303);
    expect((await owner.post('/guilds/g/keys', form)).status).toBe(303);
  });
});

it('the dashboard waits for a slow Redis as long as REDIS_TIMEOUT_MS says', needs('redis-server'), async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const dashboard = await startTestDashboard({ REDIS_TIMEOUT_MS: '10000' });
  onTestFinished(() => dashboard.close());
  const owner = await dashboard.signIn('g');
  const evalsha = Redis.prototype.evalsha as (...args: unknown[]) => Promise<unknown>;
  const spy = vi.spyOn(Redis.prototype, 'evalsha');
  onTestFinished(() => spy.mockRestore());
  for (const [waitMs, status] of [
    [8000, 200],
    [12_000, 503],
  ] as const) {
    spy.mockImplementationOnce(async function (this: Redis, ...args: unknown[]) {
      // The limit begins when the script has been sent.
      await null;
      vi.advanceTimersByTime(waitMs);
      return evalsha.apply(this, args);
    });
    expect((await owner.get('/guilds/g/members')).status).toBe(status);
  }
});

describe('changes of the dashboard of which Redis refuses a part', needs('redis-server'), () => {
  let dashboard: TestDashboard;
  beforeAll(async () => {
    dashboard = await startTestDashboard();
  });
  afterAll(() => dashboard.close());
  /** Lets Redis refuse something to all users while `work` runs. */
  const refused = async <T>(rules: readonly string[], work: () => Promise<T>): Promise<T> => {
    const { client } = dashboard.store;
    await client.call('ACL', 'SETUSER', 'default', ...rules);
    try {
      return await work();
    } finally {
      await client.call('ACL', 'SETUSER', 'default', 'allkeys', 'allcommands');
    }
  };

  it('a key whose record Redis refuses is neither made nor rotated', async () => {
    const owner = await dashboard.signIn('g');
    const _token = await owner.tokenOf('/guilds/g');
    const { record } = await dashboard.store.apiKeys.create('g', 'old', null);
    const rules = ['resetkeys', '~gr:{*', '%R~gr:key:*', '~gr:session*', '~gr:quota:*'];
    const answers = await refused(rules, async () => [
      await owner.post('/guilds/g/keys', { _token, name: 'x', lifetime: 'until revoked', origins: '' }),
      await owner.post(`/guilds/g/keys/${record.id}/rotate`, { _token, overlap: 'not at all' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([503, 503]);
    expect(await dashboard.store.apiKeys.list('g')).toEqual([record]);
  });

  it('a sign-out of the operators that Redis refuses in part is in the log of the process', async () => {
    const operator = await dashboard.signIn(null, 'boss');
    const _token = await operator.tokenOf('/operator');
    const { status } = await refused(['-set'], () => operator.post('/operator/sign-out', { _token }));
    expect([status, (await operator.get('/operator')).status]).toEqual([503, 401]);
    expect(dashboard.logText()).toMatch(/"who":"operator boss, [^}]*"what":"Ended all sessions of operators"/);
  });

  it('a sign-in whose entry Redis refuses gets 503 and opens no session', async () => {
    const visitor = new Visitor(dashboard);
    const link = await dashboard.link('h');
    const { status, headers } = await refused(['-xadd'], () => visitor.signIn(link));
    expect([status, headers.get('set-cookie')]).toEqual([503, null]);
    expect(await dashboard.store.client.xlen('gr:{h}:audit:security')).toBe(0);
    expect((await visitor.signIn(link)).status).toBe(303);
    expect(await dashboard.store.client.xlen('gr:{h}:audit:security')).toBe(1);
  });
});

it('a guild whose data cannot be read keeps nobody from the list of all guilds', needs('redis-server'), async () => {
  const dashboard = await startTestDashboard();
  onTestFinished(dashboard.close);
  await dashboard.store.writer.record('good', { userId: 'a', set: 5 });
  await dashboard.store.client.set('gr:{poison}:xp', 'x');
  await dashboard.store.client.hset('gr:{later}:stats', 'model', '9');
  await dashboard.store.client.hset('gr:{later}:config', 'plan', 'pro');
  const operator = await dashboard.signIn(null);
  const { status, text } = await operator.get('/operator');
  expect(status).toBe(200);
  expect(text).toContain('href="/guilds/good"');
  expect(
    text.match(
      /<bdi>(poison|later)<\/bdi><\/th><td colspan="5"><b class="bad">The data of this server cannot be read/g,
    ),
  ).toHaveLength(2);
  expect(text).toContain('<code>npm run -s doctor</code> names the Redis key');
});

describe('the settings of the dashboard', () => {
  it('the dashboard reports all wrong settings at once, each by its name', () => {
    const env = { DASHBOARD_PORT: 'x', DASHBOARD_URL: 'http://dash.example.com', REDIS_URL: 'nonsense' };
    const error = (() => {
      try {
        return parseDashboardConfig(env);
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toBeInstanceOf(ConfigError);
    const names = (error as ConfigError).problems.map((problem) => problem.split(' ')[0]);
    expect(names.sort()).toEqual(['DASHBOARD_PORT', 'DASHBOARD_URL', 'REDIS_URL']);
  });

  it.each([
    ['https://dash.example.com/', 'https://dash.example.com'],
    ['http://localhost:8090', 'http://localhost:8090'],
    ['http://[::1]:8090', 'http://[::1]:8090'],
    ['', 'http://127.0.0.1:8090'],
  ])('DASHBOARD_URL may be "%s"', (given, url) => {
    expect(parseDashboardConfig({ DASHBOARD_URL: given }).dashboardUrl).toBe(url);
  });

  it.each(['dash.example.com', 'https://dash.example.com/path', 'http://192.0.2.1:8090', 'ftp://x'])(
    'DASHBOARD_URL may not be %s',
    (given) => {
      expect(() => parseDashboardConfig({ DASHBOARD_URL: given })).toThrow('DASHBOARD_URL must be an address such as');
    },
  );
});
