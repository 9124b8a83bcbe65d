import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { FastHistogram } from './fast-histogram.ts';

/** Counts that other parts keep, read when the metrics are asked for. */
export interface CountSources {
  /** Responses returned from the cache, other responses, and entries. */
  cache(): { readonly hits: number; readonly misses: number; readonly entries: number };
  /** Requests counted, by plan. */
  quotas(): Iterable<readonly [plan: string, counts: { readonly allowed: number; readonly denied: number }]>;
  /** Lines of the log that were dropped. */
  droppedLogLines(): number;
  /** Returns whether the connection to Redis is usable. */
  redisReady(): boolean;
}

export interface BuildInfo {
  readonly version: string;
  readonly node: string;
}

/** A client can send any method; one that is not listed counts as "other". */
const METHODS = ['other', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * Keeps the service's Prometheus metrics. No label holds a guild, a key or a path, so the routes, statuses, plans and commands limit the
 * number of series.
 */
export class Metrics {
  readonly registry = new Registry();
  private readonly requests = new FastHistogram(
    this.registry,
    'http_request_duration_seconds',
    'Time from a request to its answer, by method, route pattern and status',
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1],
  );
  private readonly commands = new FastHistogram(
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
  private readonly others = new Counter({
    name: 'guildrank_other_requests_total',
    help: 'Requests on the public port that are no API operation, by kind',
    labelNames: ['kind'],
    registers: [this.registry],
  });
  private readonly cuts = new Counter({
    name: 'guildrank_connections_cut_total',
    help: 'Connections that a limit refused or cut, by reason',
    labelNames: ['reason'],
    registers: [this.registry],
  });
  /** By route, then by method and status as one number, because a text made for each request costs ten times as much. */
  private readonly requestTimes = new Map<string, Map<number, (seconds: number) => void>>();
  private readonly commandTimes = new Map<string, (seconds: number) => void>();

  constructor(counts: CountSources, build: BuildInfo) {
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
    registerCounts(registry, counts);
    // A series that begins with its first event hides this event from a rate.
    for (const kind of ['page', 'options', 'probe', 'unreadable'] as const) this.others.inc({ kind }, 0);
    for (const reason of ['connections', 'pipelined', 'stalled'] as const) this.cuts.inc({ reason }, 0);
  }

  /** Counts a request that is no API operation. */
  countOther(kind: 'page' | 'options' | 'probe' | 'unreadable'): void {
    this.others.inc({ kind });
  }

  /** Counts a connection that a limit refused or cut. */
  countCut(reason: string): void {
    this.cuts.inc({ reason });
  }

  /** Records an answered request. @param seconds since its arrival. */
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
      observe = this.requests.series({ method: METHODS[methodIndex] as string, route, status: String(status) });
      ofRoute.set(key, observe);
    }
    observe(seconds);
  }

  /** Records a Redis command that was answered or failed. @param seconds since it was sent. */
  observeCommand(command: string, seconds: number, failed: boolean): void {
    let observe = this.commandTimes.get(command);
    if (!observe) {
      observe = this.commands.series({ command });
      this.commandTimes.set(command, observe);
    }
    observe(seconds);
    if (failed) this.commandErrors.inc({ command });
  }
}

/** Registers metrics that are read from their sources when they are asked for. */
function registerCounts(registry: Registry, counts: CountSources): void {
  const registers = [registry];
  new Counter({
    name: 'guildrank_page_cache_requests_total',
    help: 'Answers looked up in memory, by result: hit (confirmed by Redis and sent as held) or miss',
    labelNames: ['result'],
    registers,
    collect() {
      const { hits, misses } = counts.cache();
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
      this.set(counts.cache().entries);
    },
  });
  new Counter({
    name: 'guildrank_quota_decisions_total',
    help: 'Requests counted against a quota, by plan and decision',
    labelNames: ['plan', 'decision'],
    registers,
    collect() {
      this.reset();
      for (const [plan, { allowed, denied }] of counts.quotas()) {
        this.inc({ plan, decision: 'allowed' }, allowed);
        this.inc({ plan, decision: 'denied' }, denied);
      }
    },
  });
  new Counter({
    name: 'guildrank_log_lines_dropped_total',
    help: 'Log lines that were dropped, because standard output was not read',
    registers,
    collect() {
      this.reset();
      this.inc(counts.droppedLogLines());
    },
  });
  new Gauge({
    name: 'guildrank_redis_ready',
    help: '1 while the connection to Redis is usable, else 0; the smallest of all workers',
    aggregator: 'min',
    registers,
    collect() {
      this.set(counts.redisReady() ? 1 : 0);
    },
  });
}
