import { setTimeout as delay } from 'node:timers/promises';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Config } from '../config/service.ts';
import { AddressLimiter, KEY_LOOK_UPS, SEARCHES } from '../core/access/address-limiter.ts';
import { StoreUnavailableError } from '../core/errors.ts';
import { PICTURE_HOST } from '../core/ranking/picture-hash.ts';
import type { RedisClient } from '../core/store/client.ts';
import { connect, connectionRisk, describeRedis } from '../core/store/connection.ts';
import { connectionRefusal } from '../core/store/connection-refusal.ts';
import { StoreHealth } from '../core/store/health.ts';
import { inspectStore } from '../core/store/inspection.ts';
import { reachStore } from '../core/store/lifecycle.ts';
import { memoryReader } from '../core/store/memory.ts';
import { requestLogger } from '../observability/logger.ts';
import { registerSources } from '../observability/metric-sources.ts';
import { Metrics } from '../observability/metrics.ts';
import { type Clocks, composeReads } from './compose-reads.ts';
import { createAdminApp } from './http/admin.ts';
import { createApp } from './http/app.ts';
import type { Readiness } from './http/health-routes.ts';
import { type Activity, type RequestContext, requestIds } from './http/request-context.ts';
import { corsPolicy } from './http/response/headers.ts';
import { ResponseWriter } from './http/response/response-writer.ts';
import { drain } from './http/server/drain.ts';
import { adminListener, createExpressServer, type ServerObserver } from './http/server/express-server.ts';
import { serverOptions } from './http/server/listener.ts';
import { ownPort, type Port } from './http/server/port.ts';
import { loadPainter } from './public/resvg.ts';
import { USAGE_PERIOD_MS, writeRegularly } from './usage-writer.ts';

/** Redis usually answers in a fraction of this time. A worker that listens earlier gets requests that other workers could answer. */
const LISTEN_AFTER_MS = 500;

/** The requests for public pages that one address may send: 60 at once, and one more each second. */
const PAGE_REQUESTS = { burst: 60, intervalMs: 1000 };

/** The parts that the process gives to the service, beside the configuration. */
export interface ServiceParts extends Partial<Clocks> {
  readonly logger: Logger;
  /** Returns the number of lines that the log has dropped. */
  readonly droppedLogLines?: () => number;
  /** Open connections to use instead: one for commands, one for messages. */
  readonly store?: { readonly client: RedisClient; readonly subscriber: RedisClient };
  /** How long the start waits for Redis before it gives up. */
  readonly bootTimeoutMs?: number;
  /** Where connections come from; a port of its own unless given. */
  readonly port?: Port | undefined;
  /** Time between two writes of the usage. */
  readonly usagePeriodMs?: number;
  /** Called with each request that has been answered. */
  readonly trace?: ((method: string, status: number, context: RequestContext) => void) | undefined;
  /** Further routes that need no key. */
  readonly extraRoutes?: RequestHandler;
  /** Draws the pictures of public pages as PNG, instead of the optional package. */
  readonly painter?: ((svg: string) => Promise<Uint8Array>) | undefined;
  /** Origin of a host to load avatars from, instead of Discord's. */
  readonly pictureHost?: string | undefined;
}

/** A service that serves. */
export interface RunningService {
  /** Address of the API, such as http://127.0.0.1:8080. */
  readonly url: string;
  /** Address of the admin listener, if it is on. */
  readonly adminUrl: string | undefined;
  /** This process's metrics. */
  readonly registry: Registry;
  readonly readiness: Readiness;
  /**
   * Stops being ready, serves on for `delayMs` (0), lets requests in flight finish, then closes the connections to Redis. Takes at most
   * SHUTDOWN_TIMEOUT_MS longer than the delay.
   */
  close(delayMs?: number): Promise<void>;
}

/** A service whose parts are composed: {@link start} opens it. */
export class Service {
  constructor(
    private readonly config: Config,
    private readonly logger: Logger,
    private readonly parts: ReturnType<typeof composeService>,
    private readonly bootTimeoutMs: number | undefined,
  ) {}

  /**
   * Listens when Redis has answered, or after half a second: then it answers 503 while it waits for Redis, so that probes work.
   * @throws Error when a port is taken, or when Redis does not answer in time or refuses the credentials; nothing is left open.
   */
  async start(): Promise<RunningService> {
    const { api, admin, port, client, health, registry, readiness, where } = this.parts;
    try {
      const reached = this.reachStore();
      reached.catch(() => {}); // It is awaited below, unless a port is taken.
      await Promise.race([reached, delay(LISTEN_AFTER_MS, undefined, { ref: false })]);
      const url = await port.open(api);
      const adminUrl = await admin.open();
      await reached;
      if (/unknown command/i.test(health.problem?.reason ?? '')) {
        throw new Error(
          `Cannot use ${where}: ${health.problem?.reason}. Guildrank needs EVAL and EVALSHA (Redis 7.0 or later, or Valkey).`,
        );
      }
      const risk = connectionRisk(this.config.redis);
      if (risk) this.logger.warn(`${where}: ${risk}`);
      for (const finding of await inspectStore(client)) this.logger.warn(`${where}: ${finding}`);
      this.logger.info({ url, admin_url: adminUrl }, `serving from ${where}`);
      return { url, adminUrl, registry, readiness, close: (delayMs) => this.close(delayMs) };
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** See {@link RunningService.close}. */
  async close(delayMs = 0): Promise<void> {
    const { api, admin, port, activity, lifecycle, endUsage, health, client, subscriber } = this.parts;
    const { shutdownTimeoutMs } = this.config;
    lifecycle.isDraining = true;
    if (delayMs > 0) await delay(delayMs);
    const onPortClosed = () => {
      activity.isClosing = true;
    };
    await Promise.all([drain(api, port, shutdownTimeoutMs, onPortClosed), admin.close(shutdownTimeoutMs)]);
    await endUsage();
    health.stop();
    client.disconnect();
    subscriber.disconnect();
  }

  private async reachStore(): Promise<void> {
    const { client, health, where } = this.parts;
    const onWait = (error: Error): void => {
      this.logger.warn({ reason: StoreUnavailableError.of(error).reason }, `waiting for ${where}`);
      void health.check();
    };
    await reachStore(client, this.config.redis, onWait, this.bootTimeoutMs);
    await health.start();
  }
}

/** Composes the service, which opens nothing but its connections to Redis before it starts. */
export async function createService(config: Config, parts: ServiceParts): Promise<Service> {
  const { logger, bootTimeoutMs } = parts;
  const pages = config.publicPages ? await loadPages(config, parts) : undefined;
  return new Service(config, logger, composeService(config, parts, pages), bootTimeoutMs);
}

/** Loads the public pages, and what draws their pictures. A service without them starts without their templates and what else they need. */
async function loadPages({ publicPageFonts }: Config, { painter, logger }: ServiceParts) {
  const { publicPages } = await import('./public/routes.ts');
  return { publicPages, painter: painter ?? (await loadPainter(publicPageFonts, (text) => logger.warn(text))) };
}

/** Makes the parts of the service, each from the parts before it. */
function composeService(config: Config, parts: ServiceParts, pages: Awaited<ReturnType<typeof loadPages>> | undefined) {
  const { trace, logger } = parts;
  const clock = parts.clock ?? Date.now;
  const monotonic = parts.monotonic ?? performance.now.bind(performance);
  const { client, subscriber } = parts.store ?? { client: connect(config.redis), subscriber: connect(config.redis) };
  const where = describeRedis(config.redis);
  subscriber.on('error', () => {}); // The same outage is logged for the command connection.

  const lifecycle = { isDraining: false };
  const activity: Activity = { inFlight: 0, isClosing: false };
  const metrics = new Metrics(monotonic);
  const reads = composeReads(config, client, subscriber, { clock, monotonic }, metrics, logger);
  const periodMs = parts.usagePeriodMs ?? USAGE_PERIOD_MS;
  const endUsage = writeRegularly(reads.usage, logger, periodMs, () => metrics.countUsageFailure());
  const health = new StoreHealth({
    client,
    probe: reads.probe,
    logger,
    where,
    now: monotonic,
    idleMs: config.redis.probeMs,
    traffic: reads.traffic,
    readRefusal: () => connectionRefusal(config.redis, client),
  });
  const readiness: Readiness = () => {
    if (lifecycle.isDraining) return { reason: 'draining' };
    return health.problem && { reason: 'redis', cause: health.problem.code };
  };
  const logRequest = requestLogger(logger, monotonic);
  const cors = corsPolicy(config.corsOrigins);
  const responses = new ResponseWriter({
    cacheMaxAgeS: config.cacheMaxAgeS,
    cors,
    now: clock,
    keepAliveMs: serverOptions.keepAliveTimeout,
    onResponse: trace
      ? (req, res) => {
          metrics.observeResponse(req, res);
          trace(req.method, res.statusCode, res.context);
        }
      : metrics.observeResponse,
  });
  const app = createApp({
    ...reads,
    limiter: new AddressLimiter(monotonic, KEY_LOOK_UPS),
    responses,
    activity,
    cors,
    embedOrigins: config.embedOrigins,
    publicPages: pages?.publicPages(
      {
        ...reads,
        responses,
        limiter: new AddressLimiter(monotonic, PAGE_REQUESTS),
        searchLimiter: new AddressLimiter(monotonic, SEARCHES),
        painter: pages.painter,
        avatars: config.fetchAvatars
          ? { host: parts.pictureHost ?? PICTURE_HOST, now: monotonic, warn: (text) => logger.warn(text) }
          : undefined,
        url: config.publicUrl,
        now: clock,
        embedOrigins: config.embedOrigins,
      },
      () => metrics.countOther('page'),
    ),
    trustProxy: config.trustProxy,
    now: monotonic,
    requestId: requestIds(),
    middleware: config.logRequests === 'all' ? [logRequest] : [],
    countOther: (kind) => metrics.countOther(kind),
    onProblem: config.logRequests === 'errors' ? logRequest : undefined,
    readiness,
    extraRoutes: parts.extraRoutes,
    report: (error, { requestId: request_id }) => {
      if (error instanceof StoreUnavailableError) void health.report(error, { request_id });
      else logger.error({ err: error, request_id }, 'request failed');
    },
  });

  const { registry } = metrics;
  const adminApp = createAdminApp(readiness, () => registry.metrics(), registry.contentType);
  const observer: ServerObserver = {
    onCut: metrics.countCut,
    onUnreadable: (status) => {
      metrics.countOther('unreadable');
      if (config.logRequests !== 'off') logger.info({ route: 'unreadable', status }, 'request');
    },
  };
  const api = createExpressServer(app, serverOptions, config.maxConnections, observer);
  const admin = adminListener(adminApp, config.adminHost, config.adminPort, 'ADMIN_PORT', observer);
  const port = parts.port ?? ownPort(config.host, config.port, 'PORT');
  registerSources(registry, {
    cache: () => reads.cache.counts(),
    quotas: () => reads.quotas.counts(),
    keyLookups: () => reads.authenticator.counts(),
    redisReady: () => !health.problem,
    redisMemory: memoryReader(client, monotonic),
    subscribed: () => reads.isSubscribed(),
    ready: () => !readiness(),
    inFlight: () => activity.inFlight,
    connections: () => api.openConnections(),
    maxConnections: config.maxConnections,
    droppedLogLines: parts.droppedLogLines ?? (() => 0),
  });
  return { api, admin, port, client, subscriber, health, registry, readiness, where, activity, lifecycle, endUsage };
}
