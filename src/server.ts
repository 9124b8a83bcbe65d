import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import type { Logger } from 'pino';
import { ApiKeyStore } from './access/api-keys.ts';
import { AuthFlood } from './access/auth-flood.ts';
import { Authenticator } from './access/authenticator.ts';
import { Quotas } from './access/quotas.ts';
import type { Config } from './config.ts';
import { StoreUnavailableError } from './errors.ts';
import { createApp } from './http/app.ts';
import { Deadlines } from './http/deadlines.ts';
import { healthRoutes, type Readiness } from './http/health.ts';
import { drain, listenOn, serverOptions } from './http/listener.ts';
import { createNativeServer } from './http/native-prototypes.ts';
import { PromptGate } from './http/prompt-gate.ts';
import { Replies } from './http/reply.ts';
import { PageCache } from './leaderboard/page-cache.ts';
import { LeaderboardReader } from './leaderboard/reader.ts';
import { createLogger, requestLogger } from './observability/logger.ts';
import { type RedisClient, Scripts } from './redis/commands.ts';
import { connect, describe } from './redis/connection.ts';
import { KeyNames } from './redis/keys.ts';
import { isRefusal, listen, waitUntilReady } from './redis/lifecycle.ts';

/** A request's whole time with Redis, in timeouts of one command: 250 ms by default, which leaves 50 to answer within 300. */
const REQUEST_TIMEOUTS = 2.5;

/** How long the start waits for Redis before it gives up. */
const BOOT_TIMEOUT_MS = 30_000;

export interface ServerParts {
  readonly logger?: Logger;
  /** Connections to use instead of opening some: one for commands, one for messages. */
  readonly store?: { readonly client: RedisClient; readonly subscriber: RedisClient };
  /** Milliseconds since the epoch. */
  readonly clock?: () => number;
  readonly bootTimeoutMs?: number;
}

export interface RunningServer {
  /** Where the API is, such as http://127.0.0.1:8080. */
  readonly url: string;
  /** Where the admin listener is, if it is on. */
  readonly adminUrl: string | undefined;
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
  logConnection(client, logger, where);
  subscriber.on('error', () => {}); // The same outage is logged for the command connection.

  const keys = new KeyNames(config.keyPrefix);
  const scripts = new Scripts(client);
  const authenticator = new Authenticator(new ApiKeyStore(client, keys, clock), client, keys, clock);
  const deadlines = new Deadlines(Math.ceil(config.redis.timeoutMs * REQUEST_TIMEOUTS));
  const quotas = new Quotas(client, keys, config.planQuotas);
  const gate = new PromptGate(authenticator, quotas, deadlines, new AuthFlood(monotonic));
  listen(
    subscriber,
    keys.changed,
    (guildId) => authenticator.forget(guildId),
    () => authenticator.forgetAll(),
  );

  let draining = false;
  const readiness: Readiness = async () => {
    if (draining) return 'draining';
    return client.ping().then(
      () => true,
      () => 'redis',
    );
  };
  const logRequest = requestLogger(logger, (req, res) => {
    const { exchange } = res as express.Response;
    return {
      method: req.method,
      route: exchange.route,
      duration_ms: Math.round((monotonic() - exchange.startedAt) * 1000) / 1000,
      guild: exchange.identity?.guildId,
      request_id: exchange.requestId,
    };
  });
  const app = createApp({
    gate,
    readiness,
    reader: new LeaderboardReader(scripts, keys),
    cache: new PageCache(config.cacheMaxPages, monotonic),
    replies: new Replies(config.cacheMaxAgeS, !config.corsOrigins.includes('*'), clock),
    corsOrigins: config.corsOrigins,
    trustProxy: config.trustProxy,
    now: monotonic,
    requestId: requestIds(),
    isDraining: () => draining,
    onRequest: config.logRequests === 'all' ? logRequest : undefined,
    onProblem: config.logRequests === 'errors' ? logRequest : undefined,
    report: (error, { requestId: request_id }) => {
      if (error instanceof StoreUnavailableError)
        logger.warn({ reason: error.reason, request_id }, 'store unavailable');
      else logger.error({ err: error, request_id }, 'request failed');
    },
  });

  const api = createNativeServer(app, serverOptions);
  const admin = config.adminPort > 0 ? createNativeServer(adminApp(readiness), serverOptions) : undefined;
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
  return { url, adminUrl, close };
}

function adminApp(readiness: Readiness): express.Express {
  const app = express();
  app.disable('x-powered-by');
  app.use(healthRoutes(readiness));
  return app;
}

/** Ids that are unique across processes and cheap within one: a random prefix and a counter. */
function requestIds(): () => string {
  const prefix = randomBytes(6).toString('hex');
  let count = 0;
  return () => `${prefix}-${(++count).toString(36)}`;
}

/** One line when Redis goes and one when it comes back, however often the connection is retried between. */
function logConnection(client: RedisClient, logger: Logger, where: string): void {
  let lost = false;
  client.on('error', (error: Error) => {
    if (!lost) logger.error({ reason: error.message || error.name }, `lost ${where}`);
    lost = true;
  });
  client.on('ready', () => {
    if (lost) logger.info(`back: ${where}`);
    lost = false;
  });
}

function urlOf(server: Server): string {
  const { address, port, family } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
