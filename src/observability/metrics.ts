import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Numbers that other parts keep for themselves and that are read when somebody asks for the metrics. */
export interface Tallies {
  /** Answers handed out that were held already, and answers that had to be read. */
  cache(): { readonly hits: number; readonly misses: number; readonly entries: number };
  /** Requests counted, by plan. */
  quotas(): Iterable<readonly [plan: string, counts: { readonly allowed: number; readonly denied: number }]>;
  /** Whether the connection to Redis is usable. */
  redisReady(): boolean;
}

export interface BuildInfo {
  readonly version: string;
  readonly node: string;
}

const METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']);

/**
 * The service's Prometheus metrics. No label holds a guild, a key or a path: the number of series is bounded by the
 * routes, statuses, plans and commands there are.
 */
export class Metrics {
  readonly registry = new Registry();
  private readonly requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from a request to its answer, by method, route pattern and status',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1],
    registers: [this.registry],
  });
  private readonly commands = new Histogram({
    name: 'guildrank_redis_command_duration_seconds',
    help: 'Time from a Redis command to its reply, by command; failures included',
    labelNames: ['command'],
    buckets: [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2],
    registers: [this.registry],
  });
  private readonly commandErrors = new Counter({
    name: 'guildrank_redis_command_errors_total',
    help: 'Redis commands that failed or timed out, by command',
    labelNames: ['command'],
    registers: [this.registry],
  });
  /** Histogram children by their labels: finding one here is cheaper than having the library hash its labels each time. */
  private readonly requestTimes = new Map<string, Histogram.Internal<string>>();

  constructor(tallies: Tallies, build: BuildInfo) {
    const { registry } = this;
    collectDefaultMetrics({ register: registry });
    const info = new Gauge({
      name: 'guildrank_build_info',
      help: 'Always 1; the labels say what runs',
      labelNames: ['version', 'node'],
      aggregator: 'first',
      registers: [registry],
    });
    info.set({ ...build }, 1);
    tallied(registry, tallies);
  }

  /** One request answered. @param seconds from its arrival. */
  observeRequest(method: string, route: string, status: number, seconds: number): void {
    const key = `${method} ${route} ${status}`;
    let times = this.requestTimes.get(key);
    if (!times) {
      times = this.requests.labels(METHODS.has(method) ? method : 'other', route, String(status));
      if (METHODS.has(method)) this.requestTimes.set(key, times);
    }
    times.observe(seconds);
  }

  /** One Redis command answered or failed. @param seconds from its sending. */
  observeCommand(command: string, seconds: number, failed: boolean): void {
    this.commands.observe({ command }, seconds);
    if (failed) this.commandErrors.inc({ command });
  }
}

/** Metrics that are read from elsewhere at the moment they are asked for. */
function tallied(registry: Registry, tallies: Tallies): void {
  const registers = [registry];
  new Counter({
    name: 'guildrank_page_cache_requests_total',
    help: 'Answers looked up in memory, by result: hit (confirmed by Redis and sent as held) or miss',
    labelNames: ['result'],
    registers,
    collect() {
      const { hits, misses } = tallies.cache();
      this.reset();
      this.inc({ result: 'hit' }, hits);
      this.inc({ result: 'miss' }, misses);
    },
  });
  new Gauge({
    name: 'guildrank_page_cache_entries',
    help: 'Answers held in memory',
    registers,
    collect() {
      this.set(tallies.cache().entries);
    },
  });
  new Counter({
    name: 'guildrank_quota_decisions_total',
    help: 'Requests counted against a quota, by plan and decision',
    labelNames: ['plan', 'decision'],
    registers,
    collect() {
      this.reset();
      for (const [plan, { allowed, denied }] of tallies.quotas()) {
        this.inc({ plan, decision: 'allowed' }, allowed);
        this.inc({ plan, decision: 'denied' }, denied);
      }
    },
  });
  new Gauge({
    name: 'guildrank_redis_ready',
    help: '1 while the connection to Redis is usable, else 0; the smallest of all workers',
    aggregator: 'min',
    registers,
    collect() {
      this.set(tallies.redisReady() ? 1 : 0);
    },
  });
}
