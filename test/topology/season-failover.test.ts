import { Redis } from 'ioredis';
import { describe, expect, it, vi } from 'vitest';
import { startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { openCore } from '../../src/core/core.ts';
import type { ScriptClient } from '../../src/core/store/scripts.ts';
import { createWriter } from '../../src/kit/writer.ts';
import { needs } from '../support/needs.ts';
import { scriptOf } from '../support/script-digests.ts';
import { PATIENT } from '../support/wait.ts';

const ARCHIVE = 'g.2026-s1';

describe('ends of a season during a failover', needs('redis-server'), () => {
  const MEMBERS = 4000;

  // A cursor of the old server lists other members on the new one, and writes after the cut are lost.
  it.each([
    ['season-mark', 3, 1],
    ['season-mark', 9, 1],
    ['season-mark', 6, 7],
    ['season-end-copy', 1, 4],
    ['season-reset', 4, 3],
  ])(
    'after a failover at %s, call %d, that lost the writes of %d commands, a season archives each member once and resets it',
    async (script, nth, calls) => {
      const start = () => startEmbeddedRedis(['--repl-diskless-sync-delay', '0']);
      const old = await start();
      const next = await start();
      const from = new Redis(old.url);
      const to = new Redis(next.url);
      try {
        for (let n = 0; n < MEMBERS; n += 500) {
          const members = Array.from({ length: 500 }, (_, i) => ({ userId: `m${n + i}`, set: 1 + n + i }));
          await createWriter(from).recordMany('g', members);
        }
        await to.replicaof('127.0.0.1', old.port);
        await vi.waitFor(async () => expect(await to.info('replication')).toContain('master_link_status:up'), PATIENT);
        let seen = 0;
        let left = Number.POSITIVE_INFINITY;
        const client: ScriptClient = {
          evalsha: async (...args) => {
            if (scriptOf(args[0]) === script && ++seen === nth) {
              await from.wait(1, 60_000);
              await to.replicaof('NO', 'ONE');
              left = calls;
            }
            return (left-- > 0 ? from : to).evalsha(...args);
          },
          eval: (...args) => (left >= 0 ? from : to).eval(...args),
        };
        const { reset } = await createWriter(client).resetSeason('g', { archiveAs: ARCHIVE });
        expect(left).toBeLessThan(0);
        expect(reset).toBeGreaterThanOrEqual(MEMBERS);
        const archived = await to.zrange(`gr:{${ARCHIVE}}:xp`, 0, -1, 'WITHSCORES');
        expect(archived).toEqual(Array.from({ length: MEMBERS }, (_, n) => [`m${n}`, String(n + 1)]).flat());
        expect(await to.zcount('gr:{g}:xp', 1, '+inf')).toBe(0);
        const { counters } = openCore(to, 'gr');
        for (const guild of ['g', ARCHIVE]) expect((await counters.check(guild)).exact).toBe(true);
      } finally {
        for (const client of [from, to]) client.disconnect();
        await Promise.all([old.stop(), next.stop()]);
      }
    },
  );
});
