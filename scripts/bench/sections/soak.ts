import { readdirSync } from 'node:fs';
import { freePort } from '../../dev/embedded-redis.ts';
import { userIdOf } from '../data.ts';
import { measure } from '../measure.ts';
import { mixOf, requestBytes } from '../mix.ts';
import { onCore } from '../pinning.ts';
import { residentBytes, startProcess } from '../processes.ts';
import { serviceCommand } from '../runtime.ts';
import { atMost, figure, median, tableLines } from '../table.ts';
import { logProgress } from '../terminal.ts';
import { openTestbed, type Testbed } from '../testbed.ts';
import type { SectionOptions, SectionResult } from './section.ts';
import { Churn } from './soak-churn.ts';

const RATE = 500;
const CONNECTIONS = 32;
/** Seconds of load between two readings. The requests are made anew for each, from the guilds and keys of that time. */
const READING_SECONDS = 5;
const DISTINCT_REQUESTS = 2000;
/** The largest ratio of the last third to the middle third that counts as flat. */
const GROWTH_TOLERATED = 1.1;
const MAX_LAG_MS = 100;
/** Part of the answers that may fail, because a busy machine kept Redis from answering in time. */
const FAILURES_TOLERATED = 0.001;

interface Reading {
  readonly rssBytes: number;
  readonly fds: number;
  /** 99th percentile of the event loop's lag since the last reading. */
  readonly lagMs: number;
  readonly keys: number;
  readonly redisBytes: number;
}

/** Runs the service for minutes under moderate load, while guilds, keys, members and seasons come and go, and reads what grows. */
export async function runSoak(options: SectionOptions): Promise<SectionResult> {
  const testbed = await openTestbed(options);
  const [port, adminPort] = [await freePort(), await freePort()];
  const service = await startProcess({
    command: onCore(testbed.pinning.serverCore, serviceCommand(testbed.runtime)),
    env: {
      ...{ REDIS_URL: testbed.redis.url, ADMIN_PORT: String(adminPort), LOG_REQUESTS: 'errors' },
      PLAN_QUOTAS: 'free=1000000000,pro=1000000000',
    },
    port,
  });
  try {
    const churn = new Churn(testbed.store);
    await churn.start();
    const readings = [await read(testbed, service.pid, adminPort)];
    const failures: Record<string, number> = {};
    let answered = 0;
    const end = performance.now() + options.minutes * 60_000;
    while (performance.now() < end) {
      const left = Math.round((end - performance.now()) / 1000);
      logProgress(`soak: ${figure(answered)} answers so far, ${left} s left`);
      const requests = mixOf(churn.youngestFirst(), userIdOf, DISTINCT_REQUESTS, readings.length).map(requestBytes);
      const load = { requests, from: 0, connections: CONNECTIONS, seconds: READING_SECONDS, rate: RATE };
      const sample = await measure(testbed, service, load);
      answered += sample.answered;
      for (const [reason, count] of Object.entries(sample.failures)) failures[reason] = (failures[reason] ?? 0) + count;
      readings.push(await read(testbed, service.pid, adminPort));
    }
    await churn.stop();
    return soakResult(options.minutes, {
      answered,
      failures,
      readings,
      churned: churn.done,
      left: await leftKeys(testbed),
    });
  } finally {
    await service.stop();
    await testbed.close();
  }
}

async function read({ store, usedMemory }: Testbed, pid: number, adminPort: number): Promise<Reading> {
  const metrics = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
  return {
    rssBytes: residentBytes(pid),
    fds: readdirSync(`/proc/${pid}/fd`).length,
    lagMs: Number(/^nodejs_eventloop_lag_p99_seconds (\S+)$/m.exec(metrics)?.[1]) * 1000,
    keys: await store.client.dbsize(),
    redisBytes: await usedMemory(),
  };
}

/** Counts the keys that are left when all guilds are deleted. Counts of quotas end by themselves, an hour after they began. */
async function leftKeys({ store: { client } }: Testbed): Promise<{ lasting: number; expiring: number }> {
  const ttls = await Promise.all((await client.keys('*')).map((key) => client.ttl(key)));
  const lasting = ttls.filter((ttl) => ttl === -1).length;
  return { lasting, expiring: ttls.length - lasting };
}

interface Soak {
  readonly answered: number;
  readonly failures: Readonly<Record<string, number>>;
  readonly readings: readonly Reading[];
  readonly churned: Churn['done'];
  readonly left: Awaited<ReturnType<typeof leftKeys>>;
}

function soakResult(minutes: number, soak: Soak): SectionResult {
  const { answered, failures, readings, churned, left } = soak;
  const third = Math.max(1, Math.floor(readings.length / 3));
  const [middle, last] = [readings.slice(third, 2 * third), readings.slice(-third)];
  const columns: [string, (reading: Reading) => number][] = [
    ['resident memory MB', ({ rssBytes }) => rssBytes / 1e6],
    ['file descriptors', ({ fds }) => fds],
    ['p99 of the event-loop lag ms', ({ lagMs }) => lagMs],
    ['Redis keys', ({ keys }) => keys],
    ['Redis memory MB', ({ redisBytes }) => redisBytes / 1e6],
  ];
  const of = (part: readonly Reading[], value: (reading: Reading) => number) => median(part.map(value));
  const growth = (value: (reading: Reading) => number) => of(last, value) / of(middle, value);
  // 401 is right for a key that was revoked, or whose guild was deleted, after the requests were made.
  const failed = Object.entries(failures).reduce((sum, [reason, count]) => sum + (reason === '401' ? 0 : count), 0);
  return {
    data: soak,
    lines: [
      `${minutes} minutes at ${RATE} requests a second: ${figure(answered)} answered, failures ${JSON.stringify(failures)}`,
      `came and went: ${churned.guilds} guilds, ${churned.keys} keys, ${churned.members} members, ${churned.seasons} seasons`,
      `Redis keys left when all guilds were deleted: ${left.lasting}, and ${left.expiring} counts of quotas that expire`,
      ...tableLines(
        ['median of', 'the start', 'the middle third', 'the last third'],
        columns.map(([name, value]) => [
          name,
          ...[readings.slice(0, 1), middle, last].map((part) => figure(of(part, value))),
        ]),
      ),
    ],
    goals: [
      atMost(
        'memory of the last third over the middle third',
        growth(({ rssBytes }) => rssBytes),
        GROWTH_TOLERATED,
      ),
      atMost(
        'file descriptors, the same',
        growth(({ fds }) => fds),
        GROWTH_TOLERATED,
      ),
      atMost(
        'Redis memory, the same',
        growth(({ redisBytes }) => redisBytes),
        GROWTH_TOLERATED,
      ),
      atMost(
        'p99 of the event-loop lag in ms, last third',
        of(last, ({ lagMs }) => lagMs),
        MAX_LAG_MS,
      ),
      atMost('part of the answers that failed', failed / answered, FAILURES_TOLERATED),
      atMost('Redis keys left that do not expire', left.lasting, 0),
    ],
  };
}
