import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { ApiKeyStore } from './access/api-keys.ts';
import { Authenticator } from './access/authenticator.ts';
import { FailedAuthLimiter } from './access/failed-auth-limiter.ts';
import { Quotas } from './access/quotas.ts';
import type { Config } from './config.ts';
import { StoreUnavailableError } from './errors.ts';
import { createAdminApp } from './http/admin.ts';
import { ReadQueries } from './http/api/read-queries.ts';
import { createApp } from './http/app.ts';
import type { Readiness } from './http/health.ts';
import { requestIds } from './http/request-context.ts';
import { corsPolicy } from './http/response/cors.ts';
import { RawHead } from './http/response/headers.ts';
import type { RenderedBody } from './http/response/rendered-body.ts';
import { ResponseWriter } from './http/response/response-writer.ts';
import { drain } from './http/server/drain.ts';
import { createExpressServer, type ServerObserver } from './http/server/express-server.ts';
import { listenOn, MAX_ADMIN_CONNECTIONS, serverOptions, urlOf } from './http/server/listener.ts';
import { LeaderboardReader } from './leaderboard/reader.ts';
import { VERSION } from './observability/build-info.ts';
import { standardOutput } from './observability/log-lines.ts';
import { createLogger, requestLogger } from './observability/logger.ts';
import { Metrics } from './observability/metrics.ts';
import { RequestBatcher } from './reads/request-batcher.ts';
import { ResponseCache } from './reads/response-cache.ts';
import { CommandBatcher } from './redis/command-batcher.ts';
import { connect, describe } from './redis/connection.ts';
import { isRefusal, listen, logOutages, waitUntilReady } from './redis/lifecycle.ts';
import { RedisKeys } from './redis/redis-keys.ts';
import { type RedisClient, Scripts } from './redis/scripts.ts';
import { TimeoutQueue } from './redis/timeouts.ts';

/** How long the start waits for Redis before it gives up. */
const BOOT_TIMEOUT_MS = 30_000;

/** Time limit of a key's look-up, in time limits of one command: with the command after it, 250 ms by default. */
const KEY_LOOKUP_TIMEOUTS = 1.5;

export interface ServerParts {
  readonly logger?: Logger;
  /** Returns the number of lines that the log has dropped. */
  readonly droppedLogLines?: () => number;
  /** Open connections to use instead: one for commands, one for messages. */
  readonly store?: { readonly client: RedisClient; readonly subscriber: RedisClient };
  /** Milliseconds since the epoch. */
  readonly clock?: () => number;
  readonly bootTimeoutMs?: number;
  /** Further routes that need no key. */
  readonly extraRoutes?: RequestHandler;
}

export interface RunningServer {
  /** Address of the API, such as http://127.0.0.1:8080. */
  readonly url: string;
  /** Address of the admin listener, if it is on. */
  readonly adminUrl: string | undefined;
  /** This process's metrics. */
  readonly registry: Registry;
  /** Stops being ready, lets requests in flight finish, then closes the connections to Redis. Takes at most SHUTDOWN_TIMEOUT_MS. */
  close(): Promise<void>;
}

/**
 * Composes the service and starts it. It listens while it waits for Redis, and answers 503 until then, so that probes work.
 * @throws Error when a port is taken, or when Redis does not answer within 30 s or refuses the credentials; nothing is left open.
 */
export async function startServer(config: Config, parts: ServerParts = {}): Promise<RunningServer> {
  const logger = parts.logger ?? createLogger(config.logLevel, standardOutput());
  const clock = parts.clock ?? Date.now;
  const { client, subscriber } = parts.store ?? { client: connect(config.redis), subscriber: connect(config.redis) };
  const where = describe(config.redis);
  logOutages(client, logger, where);
  subscriber.on('error', () => {}); // The same outage is logged for the command connection.

  const metrics: Metrics = new Metrics(
    {
      cache: () => reads.cache.counts(),
      quotas: () => reads.quotas.counts(),
      droppedLogLines: parts.droppedLogLines ?? (() => 0),
      redisReady: () => client.status === 'ready',
    },
    { version: VERSION, node: process.version },
  );
  const reads = composeReads(config, client, subscriber, clock, metrics);
  let draining = false;
  const readiness: Readiness = async () => {
    if (draining) return 'draining';
    return reads.ping().then(
      () => true,
      () => 'redis',
    );
  };
  const logRequest = requestLogger(logger, monotonic);
  const cors = corsPolicy(config.corsOrigins);
  const app = createApp({
    ...reads,
    limiter: new FailedAuthLimiter(monotonic),
    responses: new ResponseWriter({
      cacheMaxAgeS: config.cacheMaxAgeS,
      cors,
      now: clock,
      rawHead: new RawHead(clock, serverOptions.keepAliveTimeout),
      onAnswer: (req, { context, statusCode }) =>
        metrics.observeRequest(req.method, context.route, statusCode, (monotonic() - context.startedAt) / 1000),
    }),
    cors,
    trustProxy: config.trustProxy,
    now: monotonic,
    requestId: requestIds(),
    isDraining: () => draining,
    middleware: config.logRequests === 'all' ? [logRequest] : [],
    countOther: (kind) => metrics.countOther(kind),
    onProblem: config.logRequests === 'errors' ? logRequest : undefined,
    readiness,
    extraRoutes: parts.extraRoutes,
    report: (error, { requestId: request_id }) => {
      if (error instanceof StoreUnavailableError)
        logger.warn({ reason: error.reason, request_id }, 'store unavailable');
      else logger.error({ err: error, request_id }, 'request failed');
    },
  });

  const { registry } = metrics;
  const adminApp = createAdminApp(readiness, () => registry.metrics(), registry.contentType);
  const observer: ServerObserver = {
    onCut: (reason) => metrics.countCut(reason),
    onUnreadable: (status) => {
      metrics.countOther('unreadable');
      if (config.logRequests !== 'off') logger.info({ route: 'unreadable', status }, 'request');
    },
  };
  const api = createExpressServer(app, serverOptions, config.maxConnections, observer);
  const admin =
    config.adminPort > 0 ? createExpressServer(adminApp, serverOptions, MAX_ADMIN_CONNECTIONS, observer) : undefined;
  const close = async (): Promise<void> => {
    draining = true;
    const servers = admin ? [api, admin] : [api];
    await Promise.all(servers.map((server) => drain(server, config.shutdownTimeoutMs)));
    client.disconnect();
    subscriber.disconnect();
  };

  try {
    await listenOn(api, config.host, config.port, 'PORT');
    if (admin) await listenOn(admin, config.adminHost, config.adminPort, 'ADMIN_PORT');
    await waitUntilReady(client, parts.bootTimeoutMs ?? BOOT_TIMEOUT_MS, (error) =>
      logger.warn({ reason: error.message }, `waiting for ${where}`),
    ).catch((error: Error) => {
      const setting = config.redis.mode === 'standalone' || isRefusal(error) ? 'REDIS_URL' : 'REDIS_NODES';
      throw new Error(`Cannot reach ${where}: ${error.message.replace(/\.$/, '')}. Check ${setting}.`);
    });
  } catch (error) {
    await close();
    throw error;
  }
  const url = urlOf(api);
  const adminUrl = admin && urlOf(admin);
  logger.info({ url, admin_url: adminUrl }, `serving from ${where}`);
  return { url, adminUrl, registry, close };
}

/** Returns milliseconds on a clock that never goes back. */
function monotonic(): number {
  return performance.now();
}

/** Composes the parts that authenticate, count and read on one connection. */
function composeReads(
  config: Config,
  client: RedisClient,
  subscriber: RedisClient,
  clock: () => number,
  metrics: Metrics,
) {
  const redisKeys = new RedisKeys(config.keyPrefix);
  const { timeoutMs } = config.redis;
  const timeouts = new TimeoutQueue(timeoutMs);
  const scripts = new Scripts(client, {
    timeouts,
    observe: (command, ms, failed) => metrics.observeCommand(command, ms / 1000, failed),
  });
  const commands = new CommandBatcher(client, scripts, redisKeys);
  const quotas = new Quotas(commands, config.planQuotas);
  const cache = new ResponseCache<RenderedBody | null>(config.cacheMaxPages, monotonic);
  const apiKeys = new ApiKeyStore(client, redisKeys, clock);
  const lookUpTimeouts = new TimeoutQueue(timeoutMs * KEY_LOOKUP_TIMEOUTS);
  const authenticator = new Authenticator(apiKeys, client, redisKeys, clock, lookUpTimeouts);
  listen(
    subscriber,
    redisKeys.invalidationChannel,
    (guildId) => authenticator.invalidate(guildId),
    () => authenticator.invalidateAll(),
  );
  return {
    authenticator,
    quotas,
    cache,
    queries: new ReadQueries(new LeaderboardReader(commands)),
    batcher: new RequestBatcher(quotas, cache, commands),
    ping: () => timeouts.limit(client.ping()),
  };
}
