import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { type Core, openCore } from '../../src/core/core.ts';
import { guildOn } from '../support/guild.ts';
import { needs } from '../support/needs.ts';
import { LONG_REDIS_TIMEOUT, startServiceProcess } from '../support/process.ts';
import { PATIENT } from '../support/wait.ts';
import { STATE_OPTIONS, states } from './redis-states.ts';
import { callsOn, expectRefusals, prepare } from './script-calls.ts';

/** No answer takes longer, whatever Redis says: it ends long before the time limit does. The timed suites judge the promised 300 ms. */
const BOUND_MS = Number(LONG_REDIS_TIMEOUT.REDIS_TIMEOUT_MS) - 1000;

describe.each(Object.entries(states))('a Redis that says %s', needs('redis-server'), (code, during) => {
  let server: EmbeddedRedis;
  let admin: Redis;
  let other: Redis;
  let core: Core;

  beforeAll(async () => {
    server = await startEmbeddedRedis(STATE_OPTIONS);
    admin = new Redis(server.url);
    other = new Redis(server.url);
    core = openCore(new Redis(server.url), 'gr');
  });
  afterAll(async () => {
    for (const client of [admin, other, core?.client]) client?.disconnect();
    await server?.stop();
  });

  it(`each script is refused with ${code}, and changes nothing`, async () => {
    const staged = await prepare(core, [admin]);
    await expectRefusals([admin], callsOn(core, staged), code, (work) => during(admin, other, work));
  });

  it(`the service answers 503 and /readyz names ${code} as the cause, and both are good again afterwards`, async () => {
    await admin.flushall();
    const guild = await guildOn(server.url);
    const service = await startServiceProcess({ ...LONG_REDIS_TIMEOUT, REDIS_URL: server.url, ...guild.env });
    const get = (path: string) => fetch(service.url + path, { headers: guild.headers });
    const statuses = () => Promise.all(guild.paths.map(async (path) => (await get(path)).status));
    const before = await guild.store.client.zrange(`gr:{${guild.id}}:xp`, 0, -1, 'WITHSCORES');
    try {
      expect(await statuses()).toEqual([200, 200, 200]);
      await during(admin, other, async () => {
        await vi.waitFor(async () => {
          const ready = await fetch(`${service.url}/readyz`);
          expect([ready.status, await ready.json()]).toMatchObject([503, { cause: code }]);
        }, PATIENT);
        for (const path of guild.paths) {
          const sentAt = performance.now();
          const answer = await get(path);
          expect([answer.status, Number(answer.headers.get('retry-after'))]).toEqual([503, expect.any(Number)]);
          expect(await answer.json()).toMatchObject({ code: 'store_unavailable' });
          expect(performance.now() - sentAt).toBeLessThan(BOUND_MS);
        }
      });
      await vi.waitFor(async () => expect(await statuses()).toEqual([200, 200, 200]), PATIENT);
      await vi.waitFor(async () => expect((await fetch(`${service.url}/readyz`)).status).toBe(200), PATIENT);
      expect(await guild.store.client.zrange(`gr:{${guild.id}}:xp`, 0, -1, 'WITHSCORES')).toEqual(before);
    } finally {
      await service.stop();
      guild.close();
    }
  });
});
