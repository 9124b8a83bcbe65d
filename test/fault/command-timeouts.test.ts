import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { parseConfig } from '../../src/config/service.ts';
import { connect } from '../../src/core/store/connection.ts';
import { Scripts } from '../../src/core/store/scripts.ts';
import { timeLimit } from '../../src/core/store/timeouts.ts';
import { untilConnected } from '../support/connected.ts';
import { needs } from '../support/needs.ts';
import { startService } from '../support/service.ts';
import { PATIENT } from '../support/wait.ts';

/** Keeps this process from running, as a limit on its CPU does. */
function stall(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Repeats what Redis alone would pass, because a busy machine can hold up Redis as well as this process. A wrong time limit fails each time. */
const untilUndisturbed = (attempt: () => Promise<void>) => vi.waitFor(attempt, { ...PATIENT, timeout: 60_000 });

describe('a command with a time limit', needs('redis-server'), () => {
  let server: EmbeddedRedis;
  let client: ReturnType<typeof connect>;
  let other: ReturnType<typeof connect>;
  let count: () => Promise<unknown>;

  beforeEach(async () => {
    server = await startEmbeddedRedis();
    const { redis } = parseConfig({ REDIS_URL: server.url });
    client = connect(redis);
    other = connect(redis);
    for (const each of [client, other]) {
      await untilConnected(each);
    }
    const scripts = new Scripts(client, { limit: timeLimit(redis.timeoutMs) });
    count = () => scripts.run({ name: 'batch' }, ['gr:quota:{g}', 'gr:{g}:xp'], 'count 1 3600 100\n');
    await expect.poll(() => count().catch(() => 'not ready')).not.toBe('not ready');
  });
  afterEach(async () => {
    client.disconnect();
    other.disconnect();
    await server.stop();
  });

  it('a command takes the reply that came while this process was kept from running', async () => {
    await untilUndisturbed(async () => {
      const before = Number(await client.get('gr:quota:{g}'));
      const replies = Array.from({ length: 20 }, count);
      stall(400);
      expect(await Promise.all(replies)).toHaveLength(20);
      expect(await client.get('gr:quota:{g}')).toBe(String(before + 20));
    });
  });

  it.each([400, 1500])(
    'a command keeps its connection when this process was kept from running for %i ms',
    async (ms) => {
      let closed = 0;
      client.on('close', () => closed++);
      await untilUndisturbed(async () => {
        closed = 0;
        for (let round = 0; round < 3; round++) {
          const replies = Array.from({ length: 20 }, count);
          // The commands must be on their way: the time that counts begins with them.
          await new Promise(setImmediate);
          stall(ms);
          expect(await Promise.all(replies)).toHaveLength(20);
        }
        expect(closed).toBe(0);
      });
    },
  );

  it('a connection is made although this process was kept from running meanwhile', async () => {
    const { redis } = parseConfig({ REDIS_URL: server.url });
    await untilUndisturbed(async () => {
      const late = connect(redis);
      const errors: string[] = [];
      late.on('error', (error: Error) => errors.push(error.message));
      // The socket is being made, its connection is not yet seen.
      await new Promise(process.nextTick);
      stall(1500);
      await untilConnected(late);
      late.disconnect();
      expect(errors).toEqual([]);
    });
  });

  it('a connection that hangs is closed, and another is made when Redis is back', async () => {
    const reasons: string[] = [];
    client.on('error', (error: Error) => reasons.push(error.message));
    server.process.kill('SIGSTOP');
    await expect(count()).rejects.toMatchObject({ code: 'timeout' });
    await expect.poll(() => reasons).toContain('Redis was silent for 500 ms');
    server.process.kill('SIGCONT');
    await expect.poll(() => count().catch(() => '')).not.toBe('');
  });

  it('a visitor of a public page gets a page with 503 in time when Redis hangs', async () => {
    const service = await startService(
      { connect: () => connect(parseConfig({ REDIS_URL: server.url }).redis) },
      {
        PUBLIC_PAGES: '1',
        REDIS_TIMEOUT_MS: '100',
      },
    );
    server.process.kill('SIGSTOP');
    try {
      for (const path of ['/g/guild', '/g/guild/m/ann', '/g/guild/badge.svg']) {
        const answer = await fetch(service.url + path, { signal: AbortSignal.timeout(20_000) });
        expect([answer.status, answer.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8']);
      }
    } finally {
      server.process.kill('SIGCONT');
      await service.close();
    }
  });

  it('a command fails when Redis does not answer in time, and the next commands are answered when Redis is back', async () => {
    await untilUndisturbed(async () => {
      await other.client('PAUSE', 300, 'ALL');
      await expect(count()).rejects.toMatchObject({ reason: 'no reply within 100 ms' });
    });
    await expect.poll(() => count().catch(() => '')).not.toBe('');
  });
});
