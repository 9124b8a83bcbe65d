import { setTimeout as delay } from 'node:timers/promises';
import { describe, it } from 'vitest';
import { publishInvalidation } from '../../src/core/store/store.ts';
import { CONCLUSIVE } from '../support/conclusive.ts';
import { needs } from '../support/needs.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { ALL_VARIANTS } from '../support/variants.ts';
import { type Fault, MOMENT_MS, runFault } from './scenario.ts';

describe('500 requests a second while the connection to Redis is bad', needs('redis-server'), () => {
  let proxy: TcpProxy;
  const proxied: Fault['between'] = async (redis) => {
    proxy = await startTcpProxy(redis.port);
    return { env: { REDIS_URL: `redis://127.0.0.1:${proxy.port}` }, stop: proxy.stop };
  };

  const faults: Record<string, () => Fault> = {
    'is cut off in the middle of replies': () => ({
      between: proxied,
      seen: 'yes',
      inflict: async ({ seen }) => {
        for (const bytes of [1, 10, 100, 1000]) {
          proxy.cutAfter(bytes);
          await delay(MOMENT_MS / 2);
        }
        await seen();
        proxy.behave();
      },
    }),
    'answers, but later than it may': () => ({
      between: proxied,
      seen: 'yes',
      inflict: async ({ seen }) => {
        proxy.slowBy(150);
        await delay(MOMENT_MS);
        await seen();
        proxy.behave();
      },
    }),
    ...Object.fromEntries(
      (ALL_VARIANTS ? [60, 95] : [95]).map((ms) => [
        `answers ${ms} ms late, to requests whose keys are not cached`,
        (): Fault => ({
          between: proxied,
          seen: 'maybe',
          inflict: async ({ guild }) => {
            proxy.slowBy(ms);
            const invalidations = setInterval(
              () => void publishInvalidation(guild.store, guild.id).catch(() => {}),
              20,
            );
            await delay(2 * MOMENT_MS);
            clearInterval(invalidations);
            proxy.behave();
          },
        }),
      ]),
    ),
  };

  it.each(Object.entries(faults))('the answers stay right or become 503 while Redis %s', CONCLUSIVE, runFault);
});
