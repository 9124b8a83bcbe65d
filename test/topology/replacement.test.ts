import { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { openCore } from '../../src/core/core.ts';
import { StagedMembers } from '../../src/core/replace/staged-members.ts';
import type { NamedScript, Scripts } from '../../src/core/store/scripts.ts';
import { needs } from '../support/needs.ts';
import { redisForTest } from '../support/stores.ts';

const GUILD = 'g';
const HIDDEN = 3000;
const ids = (count: number) => Array.from({ length: count }, (_, n) => `hidden-${n}`);

it('a replacement beside a failover shows and forgets no hidden member', needs('redis-server'), async () => {
  const master = await redisForTest();
  const replica = await startEmbeddedRedis(['--replicaof', '127.0.0.1', `${master.port}`]);
  onTestFinished(() => replica.stop());
  const promoted = new Redis(replica.url);
  onTestFinished(() => promoted.disconnect());
  const [before, after] = [master.client, promoted].map((client) => openCore(client, 'gr'));
  if (!before || !after) throw new Error('no core');
  await before.writer.recordMany(
    GUILD,
    ids(HIDDEN).map((userId) => ({ userId, set: 5, username: userId })),
  );
  await before.writer.hide(GUILD, ids(HIDDEN));

  // Cursors of SCAN list other members on the promoted replica, because each server has a seed of its own.
  let steps = 0;
  let current = before;
  const scripts = {
    run: async (script: NamedScript, keys: readonly string[], ...args: string[]) => {
      if (script.name === 'replace-carry' && ++steps === 6) {
        expect(await master.client.wait(1, 60_000)).toBe(1);
        await promoted.replicaof('NO', 'ONE');
        current = after;
      }
      return current.scripts.run(script, keys, ...args);
    },
  } as Scripts;
  const client = new Proxy(before.client, {
    get: (_, name) => {
      const value = Reflect.get(current.client, name);
      return typeof value === 'function' ? value.bind(current.client) : value;
    },
  });
  const staged = await StagedMembers.lock({ ...before, client, scripts }, GUILD);
  const file = [...ids(HIDDEN / 2), 'new'].map((userId) => ({ userId, set: 9 }));
  for (let from = 0; from < file.length; from += 500) await staged.stage(file.slice(from, from + 500));
  await staged.putInPlace();
  expect(steps).toBeGreaterThan(12);
  expect(await promoted.zrange('gr:{g}:xp', 0, -1)).toEqual(['new']);
  expect(await promoted.zcard('gr:{g}:hidden')).toBe(HIDDEN);
  expect(await promoted.hlen('gr:{g}:members')).toBe(HIDDEN / 2);
  expect((await after.counters.check(GUILD)).exact).toBe(true);
});
