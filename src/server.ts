import { randomBytes } from 'node:crypto';
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
import { corsPolicy } from './http/response/cors.ts';
import { RawHead } from './http/response/headers.ts';
import type { RenderedBody } from './http/response/rendered-body.ts';
import { ResponseWriter } from './http/response/response-writer.ts';
import { createExpressServer } from './http/server/express-server.ts';
import { drain, listenOn, serverOptions, urlOf } from './http/server/listener.ts';
import { LeaderboardReader } from './leaderboard/reader.ts';
import { VERSION } from './observability/build-info.ts';
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
  /** Connections to use instead of opening some: one for commands, one for messages. */
  readonly store?: { readonly client: RedisClient; readonly subscriber: RedisClient };
  /** Milliseconds since the epoch. */
  readonly clock?: () => number;
  readonly bootTimeoutMs?: number;
  /** Further routes that need no key. */
  readonly extraRoutes?: RequestHandler;
}

export interface RunningServer {
  /** Where the API is, such as http://127.0.0.1:8080. */
  readonly url: string;
  /** Where the admin listener is, if it is on. */
  readonly adminUrl: string | undefined;
  /** This process's metrics. */
  readonly registry: Registry;
  /** Drains: not ready any more, requests in flight finish, then Redis is let go. Bounded by SHUTDOWN_TIMEOUT_MS. */
  close(): Promise<void>;
}

/**
 * Puts the service together and starts it. It listens while it still waits for Redis, answering 503, so that probes work.
 * @throws when a port is taken, or when Redis does not answer within 30 s or refuses the credentials; nothing is left open.
 */
export async function startServer(config: Config, parts: ServerParts = {}): Promise<RunningServer> {
  const logger = parts.logger ?? createLogger(config.logLevel);
  const clock = parts.clock ?? Date.now;
  const monotonic = () => performance.now();
  const { client, subscriber } = parts.store ?? { client: connect(config.redis), subscriber: connect(config.redis) };
  const where = describe(config.redis);
  logOutages(client, logger, where);
  subscriber.on('error', () => {}); // The same outage is logged for the command connection.

  const redisKeys = new RedisKeys(config.keyPrefix);
  const metrics: Metrics = new Metrics(
    {
      cache: () => cache.counts(),
      quotas: () => quotas.counts(),
      redisReady: () => client.status === 'ready',
    },
    { version: VERSION, node: process.version },
  );
  const { timeoutMs } = config.redis;
  const commandTimeouts = new TimeoutQueue(timeoutMs);
  const scripts = new Scripts(client, {
    timeouts: commandTimeouts,
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

  let draining = false;
  const readiness: Readiness = async () => {
    if (draining) return 'draining';
    return commandTimeouts.limit(client.ping()).then(
      () => true,
      () => 'redis',
    );
  };
  const logRequest = requestLogger(logger, monotonic);
  const cors = corsPolicy(config.corsOrigins);
  const app = createApp({
    authenticator,
    limiter: new FailedAuthLimiter(monotonic),
    queries: new ReadQueries(new LeaderboardReader(commands)),
    batcher: new RequestBatcher(quotas, cache, commands),
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
  const api = createExpressServer(app, serverOptions);
  const admin = config.adminPort > 0 ? createExpressServer(adminApp, serverOptions) : undefined;
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

/** Ids that are unique across processes and cheap within one: a random prefix and a counter. */
function requestIds(): () => string {
  const prefix = randomBytes(6).toString('hex');
  let count = 0;
  return () => `${prefix}-${(++count).toString(36)}`;
}
