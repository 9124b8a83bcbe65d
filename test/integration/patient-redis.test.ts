import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { parseConfig } from '../../src/config.ts';
import { connect } from '../../src/redis/connection.ts';
import { waitUntilReady } from '../../src/redis/lifecycle.ts';
import { hasRedis } from '../support/stores.ts';

/** Keeps this process from running, as a limit on its CPU does. */
function stall(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

describe.runIf(hasRedis)('a connection', () => {
  let server: EmbeddedRedis;
  let client: ReturnType<typeof connect>;
  let other: ReturnType<typeof connect>;

  beforeEach(async () => {
    server = await startEmbeddedRedis();
    const { redis } = parseConfig({ REDIS_URL: server.url });
    [client, other] = [connect(redis), connect(redis)];
    for (const each of [client, other]) {
      each.on('error', () => {});
      await waitUntilReady(each, 10_000, () => {});
    }
  });
  afterEach(async () => {
    client.disconnect();
    other.disconnect();
    await server.stop();
  });

  it('takes the replies that came while this process was kept from running', async () => {
    const replies = Array.from({ length: 20 }, (_, i) => client.echo(`${i}`));
    stall(400);
    expect(await Promise.all(replies)).toEqual(Array.from({ length: 20 }, (_, i) => `${i}`));
  });

  it('gives up on a command that Redis does not answer, and goes on when it answers again', async () => {
    await other.client('PAUSE', 300, 'ALL');
    await expect(client.echo('lost')).rejects.toThrow('no reply within 100 ms');
    await expect.poll(() => client.echo('back').catch(() => ''), { timeout: 10_000 }).toBe('back');
  });
});
