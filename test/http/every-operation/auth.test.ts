import request from 'supertest';
import { beforeEach, describe, expect, it } from 'vitest';
import { ApiKeyIssuer } from '../../../src/core/access/api-key-issuer.ts';
import { generateKey } from '../../../src/core/access/key-format.ts';
import { describeStores } from '../../support/stores.ts';
import { serviceSuite } from '../../support/suite.ts';

describeStores('API keys', (kind) => {
  const suite = serviceSuite(kind);
  const path = '/servers/guild/stats';

  it('a missing, unknown, mistyped or doubled API key gets the same 401', async () => {
    const unknown = generateKey();
    const mistyped = `${suite.key.slice(0, -1)}${suite.key.endsWith('a') ? 'b' : 'a'}`;
    const answers = [
      await request(suite.service.url).get(`/api/v1${path}`),
      await suite.get(path, unknown),
      await suite.get(path, mistyped),
      await suite.get(path, 'x'),
      await suite.get(path, `${suite.key}, ${suite.key}`),
    ];
    for (const { status, body, headers } of answers) {
      expect(status).toBe(401);
      expect(headers['www-authenticate']).toBe('ApiKey realm="guildrank"');
      expect(headers).not.toHaveProperty('ratelimit');
      const { code, request_id, ...rest } = body;
      expect(rest).toEqual({
        type: 'urn:guildrank:problem:unauthorized',
        title: 'Unauthorized',
        status: 401,
        detail: 'Send a valid API key of this server in the x-api-key header.',
      });
    }
    expect(answers.map(({ body }) => body.code)).toEqual(['missing_api_key', ...Array(4).fill('invalid_api_key')]);
  });

  it('an expired key gets 401 from its last moment on, cached or not', async () => {
    const created = await suite.service.store.apiKeys.create('guild', 'short', null);
    const sha = (await suite.testStore.client.hgetall('gr:{guild}:keys'))[created.record.id];
    await suite.testStore.client.hset(`gr:key:${sha}`, 'expires_at', '2026-01-15T12:00:02Z');
    suite.service.setWallClock(0);
    await suite.get(path, created.key).expect(200);
    suite.service.advance(1999);
    await suite.get(path, created.key).expect(200);
    suite.service.advance(1);
    await suite.get(path, created.key).expect(401);
  });

  it('a revoked key gets 401 at once, although it was cached', async () => {
    const { key, record } = await suite.service.store.apiKeys.create('guild', 'leaving', null);
    await suite.get(path, key).expect(200);
    await suite.service.store.apiKeys.revoke('guild', record.id);
    await expect.poll(async () => (await suite.get(path, key)).status).toBe(401);
  });

  it('a key that was revoked without an announcement gets 401 after five seconds at most', async () => {
    await suite.get(path).expect(200);
    await suite.testStore.empty();
    await suite.get(path).expect(200);
    suite.service.advance(5000);
    await suite.get(path).expect(401);
  });

  it('a cached key that is gone gets 401 after five seconds at most, even when the wall clock was set back meanwhile', async () => {
    await suite.get(path).expect(200);
    await suite.testStore.empty();
    suite.service.setWallClock(-3_600_000);
    suite.service.advance(5000);
    await suite.get(path).expect(401);
  });

  it('both keys get 200 during the overlap of a rotation, and the old key gets 401 after it', async () => {
    const START = Date.parse('2026-01-15T12:00:00Z');
    const apiKeys = new ApiKeyIssuer(suite.service.store, () => START);
    suite.service.setWallClock(0);
    const [old] = await apiKeys.list('guild');
    const { key, record } = await apiKeys.rotate('guild', old?.id ?? '', 60_000);
    expect(record.name).toBe('test');
    const statuses = async () => [(await suite.get(path)).status, (await suite.get(path, key)).status];
    expect(await statuses()).toEqual([200, 200]);
    suite.service.advance(59_999);
    expect(await statuses()).toEqual([200, 200]);
    suite.service.advance(1);
    expect(await statuses()).toEqual([401, 200]);
  });

  describe('a key of another guild', () => {
    beforeEach(() => suite.service.store.writer.record('other', { userId: 'u', set: 5 }));

    it.each([
      '/servers/other/leaderboard',
      '/servers/other/leaderboard?limit=0',
      '/servers/other/members/u',
      '/servers/other/stats',
    ])('a key of another guild gets 403 and learns nothing from %s', async (foreign) => {
      const { body, headers } = await suite.get(foreign).expect(403);
      expect(body).toMatchObject({ code: 'wrong_guild', detail: 'This API key belongs to another server.' });
      expect(headers['x-ratelimit-remaining']).toBe('99');
    });
  });

  it('API keys are stored as hashes only, and never logged', async () => {
    await suite.get(path).expect(200);
    await suite.get(path, generateKey()).expect(401);
    const client = suite.testStore.client;
    const stored = await Promise.all(
      (await client.keys('gr:*key*')).map(async (name) => [name, await client.hgetall(name)]),
    );
    expect(JSON.stringify(stored)).not.toContain(suite.key.slice(3));
    expect(suite.service.logText()).not.toContain(suite.key.slice(3));
  });
});
