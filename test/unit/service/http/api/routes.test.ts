import request from 'supertest';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { KEY_LOOK_UPS } from '../../../../../src/core/access/address-limiter.ts';
import { generateKey } from '../../../../../src/core/access/key-format.ts';
import { PATIENT } from '../../../../support/wait.ts';
import { type TestApi, testApi } from '../test-api.ts';

const { burst: BURST, intervalMs: INTERVAL_MS } = KEY_LOOK_UPS;

let api: TestApi;

beforeEach(async () => {
  api = await testApi();
});
afterEach(() => {
  vi.restoreAllMocks();
});

const get = (url: string, headers: Record<string, string> = {}, key: string | undefined = api.key) =>
  request(api.app)
    .get(url)
    .set({ ...(key && { 'x-api-key': key }), ...headers });

describe('the three operations', () => {
  beforeEach(async () => {
    await api.writer.recordMany('guild', [
      { userId: 'a', set: 300, username: 'Ann', dailyStreak: 2, lastDailyClaim: '2026-01-15T01:00:00Z' },
      { userId: 'b', set: 100 },
    ]);
  });

  it.each([
    [
      'leaderboard',
      {
        data: [
          { rank: 1, user_id: 'a', username: 'Ann', level: 2, xp: 300 },
          { rank: 2, user_id: 'b', username: 'b', level: 1, xp: 100 },
        ],
        total: 2,
        page: 1,
      },
    ],
    [
      'leaderboard?limit=1&page=2',
      { data: [{ rank: 2, user_id: 'b', username: 'b', level: 1, xp: 100 }], total: 2, page: 2 },
    ],
    [
      'members/a',
      {
        user_id: 'a',
        username: 'Ann',
        level: 2,
        xp: 300,
        rank: 1,
        daily_streak: 2,
        last_daily_claim: '2026-01-15T01:00:00.000Z',
      },
    ],
    ['stats', { total_members: 2, total_xp: 400, average_level: 2, xp_curve: 'standard', xp_multiplier: 1 }],
  ])('%s is answered alike the first time, again and after a write of nothing new', async (rest, body) => {
    const first = await get(api.path(rest)).expect(200, body);
    const again = await get(api.path(rest)).expect(200, body);
    await api.writer.record('guild', { userId: 'b', set: 100 });
    const later = await get(api.path(rest)).expect(200, body);
    expect(again.headers.etag).toBe(first.headers.etag);
    expect(later.headers.etag).toBe(first.headers.etag);
    await request(api.app).head(api.path(rest)).set('x-api-key', api.key).expect(200, {});
  });

  it('an operation shows a write at once', async () => {
    for (const xp of [400, 500, 600]) {
      await api.writer.record('guild', { userId: 'b', set: xp });
      expect((await get(api.path('leaderboard'))).body.data[0]).toMatchObject({ user_id: 'b', xp });
      expect((await get(api.path('members/b'))).body).toMatchObject({ xp, rank: 1 });
      expect((await get(api.path('stats'))).body).toMatchObject({ total_xp: 300 + xp });
    }
  });

  it('each operation is counted and logged under the pattern of its route', async () => {
    for (const rest of ['leaderboard', 'leaderboard', 'members/a', 'members/nobody', 'stats'])
      await get(api.path(rest));
    expect(api.answers).toEqual([
      ['/servers/:guild_id/leaderboard', 200],
      ['/servers/:guild_id/leaderboard', 200],
      ['/servers/:guild_id/members/:user_id', 200],
      ['/servers/:guild_id/members/:user_id', 404],
      ['/servers/:guild_id/stats', 200],
    ]);
    expect(await api.counted()).toBe(5);
  });

  it('no operation gets the response of another operation, whether they come together or in turn, or for guilds with similar names', async () => {
    await api.writer.record('guild', { userId: 'memberx', set: 7 });
    await api.writer.record('guildmember', { userId: 'x', set: 9 });
    const other = (await api.apiKeys.create('guildmember', 'test', null)).key;
    const asked: [path: string, key: string][] = [
      ...['leaderboard?page=1&limit=11', 'leaderboard?page=11&limit=1', 'stats', 'members/memberx', 'members/a'].map(
        (rest): [string, string] => [api.path(rest), api.key],
      ),
      ...['members/x', 'stats'].map((rest): [string, string] => [`/api/v1/servers/guildmember/${rest}`, other]),
    ];
    const alone = [];
    for (const [path, key] of asked) alone.push((await get(path, {}, key).expect(200)).text);
    expect(new Set(alone).size).toBe(asked.length);
    for (let round = 0; round < 2; round++) {
      const together = await Promise.all(asked.map(([path, key]) => get(path, {}, key)));
      expect(together.map(({ text }) => text)).toEqual(alone);
    }
  });

  it('no operation gets a cached response of another guild at the same revision', async () => {
    const rests = {
      guild: ['members/memberx', 'stats', 'leaderboard'],
      guildmember: ['members/x', 'stats', 'leaderboard'],
    };
    await api.writer.record('guild', { userId: 'memberx', set: 7 });
    await api.writer.record('guildmember', { userId: 'x', set: 9 });
    const other = (await api.apiKeys.create('guildmember', 'test', null)).key;
    for (const guild of Object.keys(rests)) await api.client.hset(`gr:{${guild}}:stats`, 'rev', '5');
    for (const rest of rests.guild) await get(api.path(rest)).expect(200);
    const [member, stats, page] = await Promise.all(
      rests.guildmember.map((rest) => get(`/api/v1/servers/guildmember/${rest}`, {}, other).expect(200)),
    );
    expect(member?.body).toMatchObject({ user_id: 'x', xp: 9 });
    expect(stats?.body).toMatchObject({ total_members: 1, total_xp: 9 });
    expect(page?.body).toMatchObject({ total: 1, data: [{ user_id: 'x' }] });
  });

  it('an operation counts as in flight until it is answered, even when it fails', async () => {
    const activity = { inFlight: 0, isClosing: false };
    const { app, key, path, client } = await testApi({ parts: { activity } });
    const evalsha = client.evalsha.bind(client) as (...call: unknown[]) => Promise<unknown>;
    let release = () => {};
    const reply = new Promise<void>((resolve) => {
      release = resolve;
    });
    vi.spyOn(client, 'evalsha').mockImplementation((async (...call: unknown[]) => {
      await reply;
      return evalsha(...call);
    }) as never);
    const answers = Promise.all(
      ['stats', 'members/nobody'].map((rest) => request(app).get(path(rest)).set('x-api-key', key)),
    );
    await vi.waitFor(() => expect(activity.inFlight).toBe(2), PATIENT);
    release();
    expect((await answers).map(({ status }) => status)).toEqual([200, 404]);
    expect(activity.inFlight).toBe(0);
  });

  it('a known address answers GET and HEAD alone, and other methods get 405', async () => {
    for (const [method, status] of [
      ['get', 200],
      ['get', 200],
      ['head', 200],
      ['post', 405],
      ['delete', 405],
    ] as const) {
      await request(api.app)[method](api.path('stats')).set('x-api-key', api.key).expect(status);
    }
  });

  it('an operation sends one Redis command, and so do all requests of a moment together', async () => {
    await get(api.path('leaderboard'));
    api.commands.length = 0;
    await get(api.path('leaderboard'));
    expect(api.commands).toEqual(['batch']);
    // The look-up of their key ends for all of them in one moment.
    api.commands.length = 0;
    const rests = ['leaderboard', 'leaderboard?limit=1', 'members/a', 'stats'];
    const identity = await api.authenticator.authenticate(api.key);
    let endLookUp = () => {};
    const lookUp = new Promise<typeof identity>((resolve) => {
      endLookUp = () => resolve(identity);
    });
    api.authenticator.invalidateAll();
    const authenticate = vi.spyOn(api.authenticator, 'authenticate').mockReturnValue(lookUp);
    const answers = Promise.all(rests.map((rest) => get(api.path(rest))));
    await vi.waitFor(() => expect(authenticate).toHaveBeenCalledTimes(rests.length), PATIENT);
    endLookUp();
    expect((await answers).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(api.commands).toEqual(['batch']);
  });

  it.each(['post', 'put', 'delete', 'patch'] as const)(
    '%s gets 405, and counts when it carries a key',
    async (method) => {
      for (const rest of ['leaderboard', 'members/a', 'stats']) {
        const { body, headers } = await request(api.app)[method](api.path(rest)).expect(405);
        expect(body).toMatchObject({
          code: 'method_not_allowed',
          detail: 'This resource is read-only: use GET, HEAD or OPTIONS.',
        });
        expect(headers.allow).toBe('GET, HEAD, OPTIONS');
      }
      expect(await api.counted()).toBe(0);
      await request(api.app)[method](api.path('stats')).set('x-api-key', api.key).expect(405);
      expect(await api.counted()).toBe(1);
      expect(api.answers.at(-1)).toEqual(['/servers/:guild_id/stats', 405]);
    },
  );
});

describe('the order of refusals', () => {
  it('refusals come as 401, 429, 403, 400 and 404, in this order, each for a request with all later faults', async () => {
    api = await testApi({ quota: 3 });
    const bad = '/api/v1/servers/other/members/%20';
    const code = async (url: string, key?: string) => (await get(url, {}, key ?? api.key)).body.code;
    expect(await code(bad, 'gr_wrong')).toBe('invalid_api_key');
    expect(await code(bad)).toBe('wrong_guild');
    expect(await code(api.path('members/%20'))).toBe('invalid_request');
    expect(await code(api.path('members/nobody'))).toBe('member_not_found');
    expect(await code(bad)).toBe('quota_exceeded');
    expect(await code('/none')).toBe('quota_exceeded');
    expect((await request(api.app).post(api.path('stats')).set('x-api-key', api.key)).body.code).toBe('quota_exceeded');
  });

  it('a key of another guild gets 403 and learns no fault of the address', async () => {
    const foreign = (await api.apiKeys.create('other', 'test', null)).key;
    for (const rest of ['stats', 'leaderboard?limit=0', 'members/%20', 'stats']) {
      const { body } = await get(api.path(rest), {}, foreign).expect(403);
      expect(body).toMatchObject({ code: 'wrong_guild', detail: 'This API key belongs to another server.' });
    }
    // The guild's own request has made the address known by now.
    await get(api.path('stats')).expect(200);
    await get(api.path('stats'), {}, foreign).expect(403);
    expect(await api.counted('other')).toBe(5);
    expect(await api.counted()).toBe(1);
  });

  it('a malformed guild id gets 400 before the guild of the key is compared', async () => {
    const { body } = await get('/api/v1/servers/%20/stats').expect(400);
    expect(body.errors).toEqual([{ parameter: 'guild_id', detail: 'must be 1 to 64 of A-Z a-z 0-9 _ - .' }]);
  });

  it('a wrong address gets the same refusal each time', async () => {
    for (let i = 0; i < 3; i++) {
      const { body } = await get(api.path('leaderboard?limit=0&page=0')).expect(400);
      expect(body.errors.map(({ parameter }: { parameter: string }) => parameter)).toEqual(['limit', 'page']);
    }
  });

  it.each([
    [1, 1],
    [1000, 1],
    [1001, 2],
    [3_600_000, 3600],
  ])('with %d ms left, the 429 of a used-up quota says that it is renewed in %d s', async (resetMs, seconds) => {
    api = await testApi({ quota: 1 });
    await get(api.path('stats')).expect(200);
    vi.spyOn(api.client, 'evalsha').mockResolvedValue([`2\n${resetMs}`, '']);
    const { body, headers } = await get(api.path('stats')).expect(429);
    expect(headers['retry-after']).toBe(String(seconds));
    expect(body.detail).toBe(`The quota of 1 requests per hour is used up. It is renewed in ${seconds} seconds.`);
    expect(headers.ratelimit).toBe(`"hourly";r=0;t=${seconds}`);
  });
});

describe('an address', () => {
  it('an address means the same however it is written', async () => {
    await api.writer.recordMany('guild', [
      { userId: '12', set: 5 },
      { userId: 'a-b', set: 4 },
    ]);
    for (const url of [
      api.path('members/a-b'),
      api.path('members/%61-b'),
      api.path('members/a%2Db'),
      api.path('members/a-b?'),
      api.path('members/a-b?x=1'),
    ]) {
      for (let i = 0; i < 2; i++) expect((await get(url).expect(200)).body.user_id).toBe('a-b');
    }
  });

  it('an address of any length is answered alike, first and again', async () => {
    const padded = (length: number) => {
      const path = api.path('leaderboard?x=');
      return path + 'x'.repeat(length - path.length);
    };
    for (const length of [199, 200, 201, 4000]) {
      for (let i = 0; i < 2; i++) expect((await get(padded(length)).expect(200)).body.page).toBe(1);
    }
  });

  it('an address takes parameters as Express reads them', async () => {
    await api.writer.record('guild', { userId: 'a', set: 5 });
    for (const [query, page] of [
      ['page=%32', 2],
      ['page=2&limit=01', 2],
      ['p%61ge=2', 2],
      ['page=2&page[x]=3', 2],
    ] as const) {
      for (let i = 0; i < 2; i++)
        expect((await get(api.path(`leaderboard?${query}`)).expect(200)).body.page).toBe(page);
    }
    for (const query of ['page=2&page=2', 'page=+2', 'page=2%20', 'page=', 'page', 'page=1e1']) {
      for (let i = 0; i < 2; i++) await get(api.path(`leaderboard?${query}`)).expect(400);
    }
  });
});

describe('a key', () => {
  it('a request without a key gets 401, which names the header', async () => {
    const { body, headers } = await request(api.app).get(api.path('stats')).expect(401);
    expect(body).toMatchObject({
      code: 'missing_api_key',
      detail: 'Send a valid API key of this server in the x-api-key header.',
    });
    expect(headers['www-authenticate']).toBe('ApiKey realm="guildrank"');
    expect(headers).not.toHaveProperty('ratelimit');
  });

  it('a malformed, unknown or revoked key gets the same 401', async () => {
    const { record, key } = await api.apiKeys.create('guild', 'other', null);
    await api.apiKeys.revoke('guild', record.id);
    const bodies = [];
    for (const wrong of ['gr_wrong', generateKey(), key]) {
      const { body } = await get(api.path('stats'), {}, wrong).expect(401);
      bodies.push({ ...body, request_id: '' });
    }
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
    expect(await api.counted()).toBe(0);
  });

  it.each([
    [{ origin: 'https://a.example' }, 200],
    [{ origin: 'https://b.example' }, 403],
    [{ origin: 'https://b.example', 'sec-fetch-site': 'same-origin' }, 403],
    [{ 'sec-fetch-site': 'same-origin', host: 'a.example' }, 200],
    [{ 'sec-fetch-site': 'same-origin', host: 'a.example:8080' }, 403],
    [{ 'sec-fetch-site': 'same-origin', host: 'b.example' }, 403],
    [{ 'sec-fetch-site': 'same-origin', host: 'example' }, 403],
    [{ 'sec-fetch-site': 'same-origin', host: 'b.example', 'x-forwarded-host': 'a.example' }, 403],
    [{ 'sec-fetch-site': 'same-site', host: 'a.example' }, 403],
    [{ 'sec-fetch-site': 'none', host: 'a.example' }, 403],
    [{ host: 'a.example' }, 403],
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{}, 403],
  ])(
    'a key that is limited to an origin gets, for %j, %d before other refusals, and the request counts',
    async (headers, status) => {
      const { key } = await api.apiKeys.create('guild', 'page', null, ['https://a.example']);
      for (let i = 0; i < 2; i++) await get(api.path('stats'), headers as Record<string, string>, key).expect(status);
      const wrong = await get(api.path('members/%20'), headers as Record<string, string>, key);
      expect(wrong.body.code).toBe(status === 200 ? 'invalid_request' : 'wrong_guild');
      if (status === 403) {
        expect(wrong.body.detail).toBe('This API key works only in pages of the websites that it was made for.');
      }
      expect(await api.counted()).toBe(3);
    },
  );
});

describe('a key that is limited to several origins', () => {
  it.each([
    ['a.example', 200],
    ['b.example', 200],
    ['b.example:8080', 403],
    ['c.example', 200],
    ['d.example', 403],
  ])('a key with several origins gets, in a page of %s itself, the status %d', async (host, status) => {
    const origins = ['https://a.example', 'http://b.example', 'https://c.example'];
    const { key } = await api.apiKeys.create('guild', 'page', null, origins);
    await get(api.path('stats'), { 'sec-fetch-site': 'same-origin', host }, key).expect(status);
  });
});

describe('an address that sent too many invalid keys', () => {
  it('an address with too many invalid keys gets 429 for unseen keys until the limit has room, and is told when', async () => {
    for (let sent = 0; sent < BURST; sent += 50) {
      await Promise.all(Array.from({ length: 50 }, () => get(api.path('stats'), {}, generateKey()).expect(401)));
    }
    const find = vi.spyOn(api.apiKeys, 'find');
    const { body, headers } = await get(api.path('stats'), {}, generateKey()).expect(429);
    expect(body).toMatchObject({
      code: 'quota_exceeded',
      detail: 'Too many requests with invalid keys came from this address. Try again in 1 seconds.',
    });
    expect(headers['retry-after']).toBe('1');
    expect(headers).not.toHaveProperty('ratelimit');
    expect(find).not.toHaveBeenCalled();
    api.now = INTERVAL_MS;
    await get(api.path('stats'), {}, generateKey()).expect(401);
    expect(find).toHaveBeenCalledTimes(1);
  });
});

describe('a store that fails', () => {
  const down = () => Promise.reject(new Error('down'));

  it('a request gets 503 without a count when the store fails at the look-up of its key', async () => {
    vi.spyOn(api.client, 'hgetall').mockImplementation(down as never);
    const { body, headers } = await get(api.path('stats')).expect(503);
    expect(body).toMatchObject({ code: 'store_unavailable' });
    expect(headers['retry-after']).toBe('1');
    expect(headers).not.toHaveProperty('ratelimit');
    expect(api.reported).toMatchObject([{ reason: 'down' }]);
  });

  it('a request gets 503 when the store fails at the count, whatever else is wrong with the request', async () => {
    await get(api.path('stats')).expect(200);
    vi.spyOn(api.client, 'evalsha').mockImplementation(down);
    for (const url of [api.path('stats'), api.path('members/%20'), '/api/v1/servers/other/stats', '/none']) {
      const { body, headers } = await get(url).expect(503);
      expect(body.code).toBe('store_unavailable');
      expect(headers).not.toHaveProperty('ratelimit');
    }
  });

  it('a request gets 503 with the quota when the store fails at the read, and 429 when the quota is used up', async () => {
    api = await testApi({ quota: 2 });
    await api.client.set('gr:{guild}:xp', 'not a sorted set');
    for (const remaining of ['1', '0']) {
      const { headers } = await get(api.path('leaderboard')).expect(503);
      expect(headers['x-ratelimit-remaining']).toBe(remaining);
    }
    await get(api.path('leaderboard')).expect(429);
    expect(api.reported).toHaveLength(2);
  });

  it('a look-up that takes too long gets 503, and its late reply changes nothing', async () => {
    api = await testApi({ lookUpLimitMs: 20 });
    let answer: (fields: Record<string, string>) => void = () => {};
    vi.spyOn(api.client, 'hgetall').mockReturnValueOnce(
      new Promise((resolve) => {
        answer = resolve;
      }) as never,
    );
    await get(api.path('stats')).expect(503);
    expect(api.reported).toMatchObject([{ reason: 'no reply within 20 ms' }]);
    answer({});
    await get(api.path('stats')).expect(200);
  });
});

describe('If-None-Match', () => {
  const tagged = async (header: (etag: string) => string) => {
    const { headers } = await get(api.path('stats')).expect(200);
    return get(api.path('stats'), { 'if-none-match': header(headers.etag as string) });
  };

  it.each([
    ['the tag', (tag: string) => tag],
    ['the weak tag', (tag: string) => `W/${tag}`],
    ['any tag', () => '*'],
    ['a list with it', (tag: string) => `"x", ${tag}`],
    ['a list without spaces', (tag: string) => `"x",W/${tag} , "y"`],
  ])('If-None-Match with %s gets 304 without a body', async (_what, header) => {
    const { status, text, headers } = await tagged(header);
    expect({ status, text }).toEqual({ status: 304, text: '' });
    expect(headers).toMatchObject({ 'cache-control': 'private, no-cache', vary: 'x-api-key' });
    expect(headers).not.toHaveProperty('content-type');
    expect(await api.counted()).toBe(2);
  });

  it.each([
    ['nothing', () => ''],
    ['another tag', () => '"x"'],
    ['the tag without quotes', (tag: string) => tag.slice(1, -1)],
    ['a list of others', () => '"x", "y"'],
    ['W/ within the quotes', (tag: string) => `"W/${tag.slice(1)}`],
    ['something before it', (tag: string) => `x${tag}`],
    ['something behind it', (tag: string) => `${tag}x`],
  ])('If-None-Match with %s gets 200', async (_what, header) => {
    expect((await tagged(header)).status).toBe(200);
  });

  it('If-None-Match gets 304 even when the client also sends Cache-Control: no-cache', async () => {
    const { headers } = await get(api.path('stats')).expect(200);
    const conditional = { 'if-none-match': headers.etag as string, 'cache-control': 'no-cache' };
    await get(api.path('stats'), conditional).expect(304);
  });
});

describe('an answer with data', () => {
  it('a 200 carries exactly the documented headers', async () => {
    const { headers } = await get(api.path('stats')).expect(200);
    expect(headers).toEqual({
      'ratelimit-policy': '"hourly";q=100;w=3600',
      'x-ratelimit-limit': '100',
      ratelimit: '"hourly";r=99;t=3600',
      'x-ratelimit-remaining': '99',
      'x-ratelimit-reset': String(Date.parse('2026-01-15T13:00:00Z') / 1000),
      'x-request-id': 'r-1',
      etag: expect.stringMatching(/^"[\w-]{27}"$/),
      'content-type': 'application/json; charset=utf-8',
      'content-length': '90',
      'cache-control': 'private, no-cache',
      vary: 'x-api-key',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'cross-origin',
      'access-control-allow-origin': '*',
      'access-control-expose-headers': expect.any(String),
      date: expect.any(String),
      connection: 'close',
    });
  });

  it('a 200 says how long a browser may reuse it', async () => {
    api = await testApi({ cacheMaxAgeS: 30 });
    const { headers } = await get(api.path('stats')).expect(200);
    expect(headers['cache-control']).toBe('private, max-age=30');
    expect((await get('/none')).headers['cache-control']).toBe('no-store');
  });
});
