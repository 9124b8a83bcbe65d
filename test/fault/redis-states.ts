import type { Redis } from 'ioredis';
import { expect, vi } from 'vitest';
import { redisOptions } from '../support/redis-options.ts';
import { PATIENT } from '../support/wait.ts';

/** Runs work while a Redis is in a state, and ends the state. The second connection serves while the first is taken. */
export type During = (admin: Redis, other: Redis, work: () => Promise<unknown>) => Promise<void>;

/** Options that a Redis needs for {@link states}. Its data must be readable as fast as it is told. */
export const STATE_OPTIONS = redisOptions({
  'enable-debug-command': 'yes',
  'busy-reply-threshold': 10,
  'replica-serve-stale-data': 'no',
  rdbcompression: 'no',
  'loading-process-events-interval-bytes': 1024,
});

/** Microseconds that a key takes to load. There are enough keys for a minute, and the state ends when the work is done. */
const SLOW_KEY_US = 40_000;
const FILLERS = 1500;

const refusesPing = (client: Redis, code: string) =>
  vi.waitFor(() => expect(client.ping()).rejects.toThrow(code), PATIENT);

const loading: During = async (admin, other, work) => {
  await admin.call('DEBUG', 'POPULATE', FILLERS, 'filler', 1100);
  await admin.config('SET', 'key-load-delay', SLOW_KEY_US);
  const reloaded = admin.call('DEBUG', 'RELOAD');
  try {
    await refusesPing(other, 'LOADING');
    await work();
    await refusesPing(other, 'LOADING');
  } finally {
    await other.config('SET', 'key-load-delay', '0');
    await reloaded;
  }
};

const busy: During = async (admin, other, work) => {
  const ended = admin.eval('while true do end', 0).catch(() => {});
  try {
    await refusesPing(other, 'BUSY');
    await work();
    await refusesPing(other, 'BUSY');
  } finally {
    await other.script('KILL');
    await ended;
  }
};

const withoutMaster: During = async (admin, other, work) => {
  await admin.call('REPLICAOF', '127.0.0.1', '1');
  try {
    await refusesPing(other, 'MASTERDOWN');
    await work();
  } finally {
    await admin.call('REPLICAOF', 'NO', 'ONE');
  }
};

/** The states in which a single Redis refuses everything, by the name of its error. */
export const states: Readonly<Record<string, During>> = {
  LOADING: loading,
  BUSY: busy,
  MASTERDOWN: withoutMaster,
};
