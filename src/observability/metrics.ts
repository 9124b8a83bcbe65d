import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { Timings } from './timings.ts';

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

/** A client may call its method anything: what is not here is "other", one series. */
const METHODS = ['other', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * The service's Prometheus metrics. No label holds a guild, a key or a path: the number of series is bounded by the
 * routes, statuses, plans and commands there are.
 */
export class Metrics {
  readonly registry = new Registry();
  private readonly requests = new Timings(
    this.registry,
    'http_request_duration_seconds',
    'Time from a request to its answer, by method, route pattern and status',
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1],
  );
  private readonly commands = new Timings(
    this.registry,
    'guildrank_redis_command_duration_seconds',
    'Time from a Redis command to its reply, by command; failures included',
    [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2],
  );
  private readonly commandErrors = new Counter({
    name: 'guildrank_redis_command_errors_total',
    help: 'Redis commands that failed or timed out, by command',
    labelNames: ['command'],
    registers: [this.registry],
  });
  /** By route, then by method and status as one number: a text put together for each request would cost ten times as much. */
  private readonly requestTimes = new Map<string, Map<number, (seconds: number) => void>>();
  private readonly commandTimes = new Map<string, (seconds: number) => void>();

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
    let ofRoute = this.requestTimes.get(route);
    if (!ofRoute) {
      ofRoute = new Map();
      this.requestTimes.set(route, ofRoute);
    }
    const methodIndex = Math.max(0, METHODS.indexOf(method));
    const key = methodIndex * 1000 + status;
    let observe = ofRoute.get(key);
    if (!observe) {
      observe = this.requests.of({ method: METHODS[methodIndex] as string, route, status: String(status) });
      ofRoute.set(key, observe);
    }
    observe(seconds);
  }

  /** One Redis command answered or failed. @param seconds from its sending. */
  observeCommand(command: string, seconds: number, failed: boolean): void {
    let observe = this.commandTimes.get(command);
    if (!observe) {
      observe = this.commands.of({ command });
      this.commandTimes.set(command, observe);
    }
    observe(seconds);
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
