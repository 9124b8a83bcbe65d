import { totalmem } from 'node:os';
import { Counter, Gauge, type Registry } from 'prom-client';

/** Counts and states that other parts keep, read when the metrics are asked for. The help of each metric says what it is. */
export interface MetricSources {
  cache(): { readonly hits: number; readonly misses: number; readonly entries: number };
  quotas(): Iterable<readonly [plan: string, counts: { readonly allowed: number; readonly denied: number }]>;
  keyLookups(): { readonly found: number; readonly unknown: number; readonly failed: number };
  redisReady(): boolean;
  /** Returns undefined where Redis does not tell it. */
  redisMemory(): Promise<{ readonly used: number; readonly limit: number | undefined } | undefined>;
  subscribed(): boolean;
  /** Returns whether this process can serve. */
  ready(): boolean;
  inFlight(): number;
  droppedLogLines(): number;
  connections(): number;
  readonly maxConnections: number;
}

/** Registers the metrics that are read from their sources. */
export function registerSources(registry: Registry, sources: MetricSources): void {
  registerCounters(registry, sources);
  const gauge = (name: string, help: string, aggregator: 'sum' | 'min', read: () => number) =>
    new Gauge({
      name,
      help,
      aggregator,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  const least = 'the smallest of all workers';
  gauge('guildrank_page_cache_entries', 'Answers held in memory', 'sum', () => sources.cache().entries);
  gauge('guildrank_redis_ready', `1 while Redis serves requests, else 0; ${least}`, 'min', () => +sources.redisReady());
  gauge('guildrank_subscription_ready', `1 while invalidations arrive, else 0; ${least}`, 'min', () =>
    Number(sources.subscribed()),
  );
  gauge('guildrank_requests_in_flight', 'Requests with an API key that are being answered', 'sum', () =>
    sources.inFlight(),
  );
  gauge('guildrank_connections', 'Open connections of clients to the API', 'sum', () => sources.connections());
  gauge(
    'guildrank_connections_max',
    'Connections of clients to the API above which further connections are closed',
    'sum',
    () => sources.maxConnections,
  );
  new Gauge({
    name: 'guildrank_memory_limit_bytes',
    help: 'Memory that the processes of the service may use together: of the control group, or of the machine',
    aggregator: 'max',
    registers: [registry],
  }).set(memoryLimit());
  const memory = (name: string, help: string, read: 'used' | 'limit') =>
    new Gauge({
      name,
      help,
      aggregator: 'max',
      registers: [registry],
      async collect() {
        const value = (await sources.redisMemory())?.[read];
        if (value === undefined) this.remove();
        else this.set(value);
      },
    });
  memory('guildrank_redis_memory_bytes', 'Memory that the data of Redis take; of the fullest master', 'used');
  memory(
    'guildrank_redis_memory_max_bytes',
    'maxmemory of this Redis, or without it the memory of its machine',
    'limit',
  );
  new Gauge({
    name: 'guildrank_workers',
    help: 'Worker processes by state',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const ready = sources.ready();
      this.set({ state: 'ready' }, ready ? 1 : 0);
      this.set({ state: 'unready' }, ready ? 0 : 1);
    },
  });
}

function registerCounters(registry: Registry, sources: MetricSources): void {
  const registers = [registry];
  new Counter({
    name: 'guildrank_page_cache_requests_total',
    help: 'Answers looked up in memory, by result: hit (confirmed by Redis and sent as held) or miss',
    labelNames: ['result'],
    registers,
    collect() {
      const { hits, misses } = sources.cache();
      this.reset();
      this.inc({ result: 'hit' }, hits);
      this.inc({ result: 'miss' }, misses);
    },
  });
  new Counter({
    name: 'guildrank_quota_decisions_total',
    help: 'Requests counted against a quota, by plan and decision',
    labelNames: ['plan', 'decision'],
    registers,
    collect() {
      this.reset();
      for (const [plan, { allowed, denied }] of sources.quotas()) {
        this.inc({ plan, decision: 'allowed' }, allowed);
        this.inc({ plan, decision: 'denied' }, denied);
      }
    },
  });
  new Counter({
    name: 'guildrank_key_lookups_total',
    help: 'Look-ups of API keys in Redis, by result: found, unknown or failed',
    labelNames: ['result'],
    registers,
    collect() {
      const { found, unknown, failed } = sources.keyLookups();
      this.reset();
      this.inc({ result: 'found' }, found);
      this.inc({ result: 'unknown' }, unknown);
      this.inc({ result: 'failed' }, failed);
    },
  });
  new Counter({
    name: 'guildrank_log_lines_dropped_total',
    help: 'Lines of the log that were dropped, because standard output was not read',
    registers,
    collect() {
      this.reset();
      this.inc(sources.droppedLogLines());
    },
  });
  new Counter({
    name: 'guildrank_worker_ends_total',
    help: 'Workers that ended without being asked to',
    registers,
  });
}

/** Returns bytes. Without a limit of its control group, a process may use the whole machine. */
function memoryLimit(): number {
  const limit = process.constrainedMemory?.() ?? 0;
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
