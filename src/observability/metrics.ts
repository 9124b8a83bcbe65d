import type { IncomingMessage, ServerResponse } from 'node:http';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { VERSION } from './build-info.ts';
import { histogram } from './histogram.ts';

/** The parts of a response that are counted. */
interface CountedResponse extends ServerResponse {
  readonly context: {
    readonly route: string;
    readonly startedAt: number;
    readonly identity: object | undefined;
    readonly problem: { readonly code: string; readonly storeFailure: string | undefined } | undefined;
  };
}

/** A client can send any method. A method that is not listed counts as "other". */
const METHODS = ['other', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * Keeps the service's Prometheus metrics. No label holds a guild, a key or a path, so the routes, statuses, plans and commands limit the
 * number of series.
 */
export class Metrics {
  readonly registry = new Registry();
  private readonly requests = histogram(
    this.registry,
    'http_request_duration_seconds',
    'Time from a request to its answer, by method, route pattern and status',
    [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1],
  );
  private readonly commands = histogram(
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
  /** Counts a connection that a limit refused or cut. */
  readonly countCut = registerCuts(this.registry);
  private readonly usageFailures = new Counter({
    name: 'guildrank_usage_write_failures_total',
    help: 'Writes of the usage of API keys that failed; the next write, ten seconds later, also writes this usage',
    registers: [this.registry],
  });
  /** By route, then by method and status as one number, because a text made for each request costs ten times as much. */
  private readonly requestTimes = new Map<string, Map<number, (seconds: number) => void>>();
  private readonly commandTimes = new Map<string, (seconds: number) => void>();

  /** @param now milliseconds on the clock of the contexts' `startedAt`. */
  constructor(private readonly now: () => number) {
    const { registry } = this;
    collectDefaultMetrics({ register: registry });
    const info = new Gauge({
      name: 'guildrank_build_info',
      help: 'Always 1; the labels say what runs',
      labelNames: ['version', 'node'],
      aggregator: 'first',
      registers: [registry],
    });
    info.set({ version: VERSION, node: process.version }, 1);
    // A series that begins with its first event hides this event from a rate.
    for (const kind of ['page', 'options', 'probe', 'unreadable'] as const) this.others.inc({ kind }, 0);
  }

  /** Counts a request that is no API operation. */
  countOther(kind: 'page' | 'options' | 'probe' | 'unreadable'): void {
    this.others.inc({ kind });
  }

  /** Counts a write of the usage that failed. */
  countUsageFailure(): void {
    this.usageFailures.inc();
  }

  /** Records an answered request. */
  readonly observeResponse = ({ method = '' }: IncomingMessage, { context, statusCode }: CountedResponse): void => {
    const { route, startedAt, problem, identity } = context;
    let ofRoute = this.requestTimes.get(route);
    if (!ofRoute) {
      ofRoute = new Map();
      this.requestTimes.set(route, ofRoute);
    }
    const methodIndex = Math.max(0, METHODS.indexOf(method));
    const key = methodIndex * 1000 + statusCode;
    let observe = ofRoute.get(key);
    if (!observe) {
      observe = this.requests({ method: METHODS[methodIndex] ?? 'other', route, status: String(statusCode) });
      ofRoute.set(key, observe);
    }
    observe((this.now() - startedAt) / 1000);
    if (problem?.storeFailure) this.unavailable.inc({ reason: problem.storeFailure });
    // Only a valid key can meet a used-up quota.
    else if (problem?.code === 'quota_exceeded' && !identity) this.heldBack.inc();
  };

  /** Records a Redis command that was answered or failed, and the milliseconds since it was sent. */
  readonly observeCommand = (command: string, ms: number, failed: boolean): void => {
    let observe = this.commandTimes.get(command);
    if (!observe) {
      observe = this.commands({ command });
      this.commandTimes.set(command, observe);
    }
    observe(ms / 1000);
    if (failed) this.commandErrors.inc({ command });
  };
}

/** Registers the counter of connections that a limit refused or cut, by reason. @returns a function that counts a connection. */
export function registerCuts(registry: Registry): (reason: 'connections' | 'pipelined' | 'stalled') => void {
  const cuts = new Counter({
    name: 'guildrank_connections_cut_total',
    help: 'Connections that a limit refused or cut, by reason',
    labelNames: ['reason'],
    registers: [registry],
  });
  // A series that begins with its first event hides this event from a rate.
  for (const reason of ['connections', 'pipelined', 'stalled'] as const) cuts.inc({ reason }, 0);
  return (reason) => cuts.inc({ reason });
}
