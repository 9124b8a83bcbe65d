import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { FastHistogram } from './fast-histogram.ts';
import { type MetricSources, registerSources } from './metric-sources.ts';

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
    [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1],
  );
  private readonly commands = new FastHistogram(
    this.registry,
    'guildrank_redis_command_duration_seconds',
    'Time from a Redis command to its reply, by command; failures included',
    [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2],
  );
  private readonly commandErrors = new Counter({
    name: 'guildrank_redis_command_errors_total',
    help: 'Redis commands that failed or timed out, by command',
    labelNames: ['command'],
    registers: [this.registry],
  });
  private readonly unavailable = new Counter({
    name: 'guildrank_unavailable_total',
    help: 'Answers of 503, by reason: an error code of Redis, timeout, unreachable or other',
    labelNames: ['reason'],
    registers: [this.registry],
  });
  private readonly heldBack = new Counter({
    name: 'guildrank_held_back_requests_total',
    help: 'Requests answered with 429 because their address sent too many invalid keys',
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

  constructor(sources: MetricSources, build: BuildInfo) {
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
    registerSources(registry, sources);
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

  /** Records an answer of 503. @param reason from a closed set. */
  observeUnavailable(reason: string): void {
    this.unavailable.inc({ reason });
  }

  /** Records a request that was not looked at, because its address sent too many invalid keys. */
  observeHeldBack(): void {
    this.heldBack.inc();
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
