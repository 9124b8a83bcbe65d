import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { CONCLUSIVE } from '../support/conclusive.ts';
import { needs } from '../support/needs.ts';
import { ALL_VARIANTS } from '../support/variants.ts';
import { PATIENT } from '../support/wait.ts';
import { type Fault, HANG_MS, MOMENT_MS, runFault } from './scenario.ts';

describe('500 requests a second while Redis has a fault', needs('redis-server'), () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'guildrank-fault-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Options for a Redis that keeps its data, each time in a new folder. */
  const durable = () => [
    '--dir',
    mkdtempSync(join(folder, 'redis-')),
    '--appendonly',
    'yes',
    '--appendfsync',
    'always',
  ];

  const faults: Record<string, () => Fault> = {
    'hangs (SIGSTOP, later SIGCONT)': () => ({
      seen: 'yes',
      inflict: async ({ redis, seen }) => {
        redis.process.kill('SIGSTOP');
        await delay(HANG_MS);
        await seen();
        redis.process.kill('SIGCONT');
      },
    }),
    'is killed with SIGKILL, started again, and long in loading its data': () => {
      const options = durable();
      return {
        redis: options,
        seen: 'yes',
        inflict: async ({ redis, seen, replaceRedis }) => {
          await withAdmin(redis, async (admin) => {
            await admin.mset(Array.from({ length: 2000 }, (_, i) => [`filler:${i}`, 'x']).flat());
            await admin.call('BGREWRITEAOF');
            await vi.waitFor(async () => expect(await admin.info()).toContain('aof_rewrite_in_progress:0'), PATIENT);
          });
          redis.process.kill('SIGKILL');
          await redis.stop();
          await delay(MOMENT_MS);
          await seen();
          const slow = ['--port', String(redis.port), ...options, '--key-load-delay', '500'];
          replaceRedis(await startEmbeddedRedis([...slow, '--loading-process-events-interval-bytes', '1024']));
        },
      };
    },
    'forgets its scripts (SCRIPT FLUSH)': () => ({
      seen: 'no',
      inflict: ({ redis }) => withAdmin(redis, (admin) => repeat(10, () => admin.script('FLUSH'))),
    }),
    'loses all data (FLUSHALL) and gets it back': () => ({
      seen: 'maybe',
      // With the keys gone, a key is unknown; with the members gone and the key remembered, the guild is empty.
      allows: ({ status, body }) => status === 401 || status === 404 || /"total(_members)?":0,/.test(body),
      inflict: async ({ redis, guild }) => {
        await withAdmin(redis, (admin) => admin.flushall());
        await guild.refill();
      },
    }),
    'holds other types under the keys': () => ({
      seen: 'yes',
      inflict: async ({ redis, guild, seen }) => {
        const keys = ['xp', 'stats', 'config', 'members'].map((name) => `gr:{${guild.id}}:${name}`);
        keys.push(`gr:quota:{${guild.id}}`);
        await withAdmin(redis, async (admin) => {
          // Each swap in one step: a moment without the key is an empty guild, which is a right answer.
          for (const key of keys) {
            const held = (await admin.exists(key)) === 1;
            const wrong = admin.multi();
            if (held) wrong.rename(key, `${key}:aside`);
            await wrong.lpush(key, 'wrong').exec();
            await delay(MOMENT_MS / 4);
            await seen();
            const right = admin.multi().del(key);
            if (held) right.rename(`${key}:aside`, key);
            await right.exec();
          }
        });
      },
    }),
  };
  /** Error replies and cut connections, which the above and connection-faults have too, and refusals judge by their content. */
  const further: typeof faults = {
    'is busy with a script that does not end': () => ({
      seen: 'yes',
      redis: ['--busy-reply-threshold', '50'],
      inflict: async ({ redis, seen }) => {
        await withAdmin(redis, async (admin, other) => {
          const endless = admin.eval('while true do end', 0).catch(() => {});
          await delay(MOMENT_MS);
          await seen();
          await other.call('SCRIPT', 'KILL');
          await endless;
        });
      },
    }),
    'is out of memory (maxmemory, noeviction)': () => ({
      seen: 'yes',
      inflict: ({ redis, seen }) =>
        withAdmin(redis, async (admin) => {
          await admin.config('SET', 'maxmemory', '1');
          await delay(MOMENT_MS);
          await seen();
          await admin.config('SET', 'maxmemory', '0');
        }),
    }),
    'becomes a read-only replica for a while': () => ({
      seen: 'yes',
      inflict: ({ redis, seen }) =>
        withAdmin(redis, async (admin) => {
          await admin.replicaof('127.0.0.1', 1);
          await delay(MOMENT_MS);
          await seen();
          await admin.replicaof('NO', 'ONE');
        }),
    }),
    'cuts all its clients off (CLIENT KILL)': () => ({
      seen: 'maybe',
      inflict: ({ redis }) =>
        withAdmin(redis, (admin) => repeat(5, () => admin.call('CLIENT', 'KILL', 'SKIPME', 'yes', 'TYPE', 'normal'))),
    }),
  };

  it.each(Object.entries({ ...faults, ...(ALL_VARIANTS && further) }))(
    'the answers stay right or become 503 while Redis %s',
    CONCLUSIVE,
    runFault,
  );
});

async function withAdmin(
  { url }: EmbeddedRedis,
  work: (admin: Redis, other: Redis) => Promise<unknown>,
): Promise<void> {
  const admin = new Redis(url);
  const other = new Redis(url);
  for (const client of [admin, other]) client.on('error', () => {});
  try {
    await vi.waitFor(() => other.ping(), PATIENT);
    await work(admin, other);
  } finally {
    admin.disconnect();
    other.disconnect();
  }
}

async function repeat(times: number, work: () => Promise<unknown>): Promise<void> {
  for (let i = 0; i < times; i++) {
    await work();
    await delay(50);
  }
}
