import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { parseConfig } from '../../src/config/service.ts';
import { generateKey, hashKey } from '../../src/core/access/key-format.ts';
import { type Core, openCore } from '../../src/core/core.ts';
import { connect } from '../../src/core/store/connection.ts';
import { untilConnected } from '../support/connected.ts';
import { needs } from '../support/needs.ts';
import { LONG_REDIS_TIMEOUT, type ServiceProcess, SLOW_CLOCK, startServiceProcess } from '../support/process.ts';
import { startService, type TestService } from '../support/service.ts';
import { mockStore, type TestStore } from '../support/stores.ts';
import { PATIENT } from '../support/wait.ts';
import { permissionsOf } from './acl.ts';

const NASTY_IDS = ['*', '{g}', 'a}:xp', '..', 'a b', 'x:keys', 'x\r\nFLUSHALL', '\u0000', 'é', "');redis.call('X')--"];

describe('a key', () => {
  let testStore: TestStore;
  let service: TestService;
  let key: string;
  let keyId: string;
  beforeAll(async () => {
    testStore = await mockStore.start();
    service = await startService(testStore, { LOG_LEVEL: 'trace' });
    const created = await service.store.apiKeys.create('guild', 'test', null);
    key = created.key;
    keyId = created.record.id;
  });
  afterAll(async () => {
    await service.close();
    await testStore.stop();
  });
  const get = (path: string, headers: Record<string, string>) => fetch(`${service.url}${path}`, { headers });

  it('a missing, malformed, made-up, expired or revoked key gets 401 with the same body and headers', async () => {
    const expired = await service.store.apiKeys.create('guild', 'old', Date.parse('2020-01-01') - Date.now());
    const revoked = await service.store.apiKeys.create('guild', 'gone', null);
    await service.store.apiKeys.revoke('guild', revoked.record.id);
    const keys = [undefined, '', 'x', key.slice(0, -1), `${key}0`, generateKey(), expired.key, revoked.key];
    const answers = await Promise.all(
      keys.map(async (it) => {
        const answer = await get('/api/v1/servers/guild/stats', it === undefined ? {} : { 'x-api-key': it });
        const { request_id, code, ...body } = (await answer.json()) as Record<string, unknown>;
        expect(request_id).toBe(answer.headers.get('x-request-id'));
        expect(code).toBe(it === undefined ? 'missing_api_key' : 'invalid_api_key');
        const headers = Object.fromEntries(
          [...answer.headers].filter(([name]) => !/^(x-request-id|date|content-length)$/.test(name)),
        );
        return { status: answer.status, body, headers };
      }),
    );
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(answers[0]).toMatchObject({ status: 401, headers: { 'www-authenticate': 'ApiKey realm="guildrank"' } });
  });

  it('a key is never logged, and neither is its hash, wherever a request carries it', async () => {
    const other = generateKey();
    for (const [path, headers] of [
      ['/api/v1/servers/guild/stats', { 'x-api-key': key }],
      ['/api/v1/servers/other/stats', { 'x-api-key': key }],
      ['/api/v1/servers/guild/stats', { 'x-api-key': other }],
      [`/api/v1/servers/guild/members/${key}`, { 'x-api-key': key }],
      [`/api/v1/servers/${key}/stats?key=${key}`, { 'x-api-key': `${key} `, authorization: key, cookie: key }],
      [`/${key}%zz`, { 'x-api-key': key, 'x-request-id': key, 'user-agent': key, referer: key }],
    ] as const) {
      await get(path, headers as Record<string, string>);
    }
    await service.store.apiKeys.revoke('guild', keyId);
    expect(service.log.length).toBeGreaterThan(5);
    for (const it of [key, other]) {
      expect(service.logText()).not.toContain(it);
      expect(service.logText()).not.toContain(hashKey(it));
      expect(service.logText()).not.toContain(it.slice(3, 20));
    }
  });

  it('a key is required on every path under /api/v1/servers, and no answer names the server software', async () => {
    for (const path of ['leaderboard', 'members/1', 'stats']) {
      const answer = await get(`/api/v1/servers/guild/${path}`, {});
      expect(answer.status).toBe(401);
      expect(answer.headers.get('x-powered-by')).toBeNull();
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    }
  });
});

it('the admin listener is on loopback by default', () => {
  expect(parseConfig({}).adminHost).toBe('127.0.0.1');
  expect(parseConfig({}).trustProxy).toBe(0);
});

describe('with the least rights in Redis', needs('redis-server'), () => {
  let redis: EmbeddedRedis;
  let service: ServiceProcess;
  let store: Core;
  let key: string;
  const urlOf = (user: string) => `redis://${user}:pass@127.0.0.1:${redis.port}`;

  beforeAll(async () => {
    redis = await startEmbeddedRedis();
    const admin = new Redis(redis.url);
    await admin.call('ACL', 'SETUSER', 'service', 'on', '>pass', ...permissionsOf('guildrank'));
    await admin.call('ACL', 'SETUSER', 'bot', 'on', '>pass', ...permissionsOf('bot'));
    store = openCore(admin, 'gr');
    ({ key } = await store.apiKeys.create('guild', 'test', null));
    service = await startServiceProcess({ ...LONG_REDIS_TIMEOUT, REDIS_URL: urlOf('service') });
  });
  afterAll(async () => {
    store?.client.disconnect();
    await service?.stop();
    await redis?.stop();
  });
  const get = (path: string) => fetch(`${service.url}/api/v1/servers/guild/${path}`, { headers: { 'x-api-key': key } });

  it('with the least rights, the bot writes through the typed writer, and can read no key, raise no quota and change no plan', async () => {
    const client = connect(parseConfig({ ...LONG_REDIS_TIMEOUT, REDIS_URL: urlOf('bot') }).redis);
    try {
      await untilConnected(client);
      const { writer, counters } = openCore(client, 'gr');
      await writer.record('guild', { userId: '1', set: 300, username: 'One' });
      await writer.record('guild', { userId: '2', add: 5 });
      expect(await writer.remove('guild', ['2'])).toBe(1);
      expect((await counters.check('guild')).exact).toBe(true);
      for (const attempt of [
        () => client.hgetall('gr:{guild}:keys'),
        () => client.hgetall(store.redisKeys.apiKey(hashKey(key))),
        () => client.hset('gr:{guild}:config', 'plan', 'pro'),
        () => client.set('gr:quota:{guild}', '0'),
        () => client.flushall(),
        () => client.config('GET', '*'),
        () => client.keys('*'),
      ]) {
        await expect(attempt()).rejects.toThrow(/NOPERM/);
      }
    } finally {
      client.disconnect();
    }
  });

  it('with the least rights, the service answers, counts and receives revocations', async () => {
    expect(await (await get('leaderboard')).json()).toMatchObject({
      total: 1,
      data: [{ user_id: '1', username: 'One' }],
    });
    expect((await get('members/1')).status).toBe(200);
    const stats = await get('stats');
    expect(stats.status).toBe(200);
    expect(stats.headers.get('x-ratelimit-remaining')).toBe('97');
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  });

  it('ids of any kind reach Redis in no key but their own', async () => {
    const client = new Redis(redis.url);
    // Its own INFO may not come between MONITOR and the reply to it: ioredis takes that for the reply.
    await client.ping();
    const watcher = await client.monitor();
    const seen: string[][] = [];
    watcher.on('monitor', (_time: string, args: string[]) => seen.push(args));
    for (const id of NASTY_IDS) {
      expect([400, 404]).toContain((await get(`members/${encodeURIComponent(id)}`)).status);
    }
    await get('members/1');
    await get('members/last');
    await vi.waitFor(() => expect(seen.flat()).toContain('last'), PATIENT);
    watcher.disconnect();
    client.disconnect();
    // The check of readiness asks for a guild that cannot exist, and the usage is written each ten seconds.
    const isOther = (word: string) => word.includes('{~ready0}') || /^gr:\{guild\}:(usage|keys(:used)?)$/.test(word);
    const ofRequests = seen.filter((args) => !args.some(isOther));
    const words = ofRequests.flat().filter((word) => word.startsWith('gr:'));
    for (const word of words) expect(word).toMatch(/^gr:(quota:)?\{guild\}(:(xp|stats|config|members))?$/);
    const batches = ofRequests
      .filter(([command]) => /^eval(sha)?$/.test(command as string))
      .map((args) => args.at(-1) as string);
    expect(batches.length).toBeGreaterThan(0);
    for (const line of batches.join('').split('\n').slice(0, -1)) {
      expect(line).toMatch(/^(count \d+ 3600|member [A-Za-z0-9_.-]{1,64} \d*)$/);
    }
  });

  it('with the least rights, the service can write nothing but quotas and the usage of keys', async () => {
    const client = new Redis(urlOf('service'));
    const { xp, stats, config, apiKeys, members } = store.redisKeys.guild('guild');
    for (const attempt of [
      () => client.zadd(xp, 1, 'x'),
      () => client.del(xp),
      () => client.publish('gr:changed', 'guild'),
      () => client.flushall(),
      () => client.config('SET', 'maxmemory', '1'),
      () => client.keys('*'),
      () => client.set('elsewhere', '1'),
      () => client.get('elsewhere'),
      () => client.eval("return redis.call('ZADD', KEYS[1], 1, 'x')", 1, xp),
      () => client.hset(stats, 'rev', '1'),
      () => client.hset(config, 'plan', 'pro'),
      () => client.hset(members, '1', '- 0 - x'),
      () => client.hset(apiKeys, 'x', 'y'),
      () => client.hset(store.redisKeys.apiKey('x'), 'id', 'y'),
      () => client.eval("return redis.call('HSET', 'gr:{guild}:stats', 'rev', '1')", 0),
    ]) {
      await expect(attempt()).rejects.toThrow(
        /NOPERM|No permissions|can't (run this command or subcommand|access at least one of the keys)|ACL failure/,
      );
    }
    client.disconnect();
  });

  it('with the least rights, a revocation still takes effect long before the cache entry of the key expires', async () => {
    const slow = await startServiceProcess({ ...LONG_REDIS_TIMEOUT, REDIS_URL: urlOf('service') }, SLOW_CLOCK);
    onTestFinished(slow.stop);
    const revoked = await store.apiKeys.create('guild', 'revoked', null);
    const headers = { 'x-api-key': revoked.key };
    const status = async () => (await fetch(`${slow.url}/api/v1/servers/guild/stats`, { headers })).status;
    expect(await status()).toBe(200);
    await store.apiKeys.revoke('guild', revoked.record.id);
    await vi.waitFor(async () => expect(await status()).toBe(401), PATIENT);
  });
});
