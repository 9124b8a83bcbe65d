import express from 'express';
import type { Logger } from 'pino';
import type { DashboardConfig } from '../config/dashboard.ts';
import { AddressLimiter, SEARCHES } from '../core/access/address-limiter.ts';
import { type Core, openCore } from '../core/core.ts';
import { StoreUnavailableError } from '../core/errors.ts';
import type { RedisClient } from '../core/store/client.ts';
import { connect, connectionRisk, describeRedis } from '../core/store/connection.ts';
import { connectionRefusal } from '../core/store/connection-refusal.ts';
import { StoreHealth } from '../core/store/health.ts';
import { reachStore } from '../core/store/lifecycle.ts';
import { pingProbe } from '../core/store/probe.ts';
import { timeLimit } from '../core/store/timeouts.ts';
import { requestLogger } from '../observability/logger.ts';
import { healthRoutes, type Readiness } from '../service/http/health-routes.ts';
import { requestIds } from '../service/http/request-context.ts';
import { drain } from '../service/http/server/drain.ts';
import { adminListener, createExpressServer, type ServerObserver } from '../service/http/server/express-server.ts';
import { serverOptions, urlOf } from '../service/http/server/listener.ts';
import { ownPort } from '../service/http/server/port.ts';
import { createDashboardApp } from './app.ts';
import { type Assets, loadAssets } from './assets.ts';
import { AuditLog } from './audit-log.ts';
import type { Parts } from './guild-page.ts';
import { GuildImports } from './import/guild-imports.ts';
import { NewKeys } from './keys/new-keys.ts';
import { NAVIGATION } from './pages.ts';
import { DiscordSignIn } from './sign-in/discord/discord-sign-in.ts';
import { Sessions } from './sign-in/sessions.ts';
import { removeLeftFolders } from './temporary-folder.ts';
import { Views } from './views.ts';

/**
 * Longest time for a command of Redis, in milliseconds: more than in the service, because a person waits longer than a widget, and a step of a
 * recount takes some milliseconds.
 */
const COMMAND_TIMEOUT_MS = 2000;
const MAX_CONNECTIONS = 500;
/** A file of 50 MB can take minutes over a slow line. */
const UPLOAD_TIMEOUT_MS = 300_000;

/** A dashboard that serves. */
export interface RunningDashboard {
  /** Public address. */
  readonly url: string;
  /** Address that it listens on. */
  readonly localUrl: string;
  close(): Promise<void>;
}

/**
 * Composes the dashboard and starts it.
 * @param connection an open connection to Redis, instead of a new connection by the configuration. It is closed with the dashboard.
 * @throws Error when its port is taken, or when Redis does not answer within 30 s or refuses the credentials; nothing is left open.
 */
export async function startDashboard(
  config: DashboardConfig,
  logger: Logger,
  connection?: RedisClient,
): Promise<RunningDashboard> {
  const redis = { ...config.redis, timeoutMs: Math.max(config.redis.timeoutMs, COMMAND_TIMEOUT_MS) };
  const where = describeRedis(redis);
  const client = connection ?? connect(redis);
  const risk = connectionRisk(redis);
  if (risk) logger.warn(`${where}: ${risk}`);
  const monotonic = (): number => performance.now();
  const probe = pingProbe(client);
  const health = new StoreHealth({
    client,
    probe,
    logger,
    where,
    now: monotonic,
    idleMs: redis.probeMs,
    readRefusal: () => connectionRefusal(redis, client),
  });
  const activity = { inFlight: 0, isClosing: false };
  const assets = loadAssets();
  const core = openCore(client, config.keyPrefix, { limit: timeLimit(redis.timeoutMs) });
  core.scripts.loadAll();
  const dashboardUrl = (): string => config.dashboardUrl || urlOf(server);
  const auditLog = new AuditLog(core, monotonic, (guild_id, entry) =>
    logger.info({ guild_id, ...entry }, 'changed in the dashboard'),
  );
  let isDraining = false;
  const readiness: Readiness = () => (isDraining ? { reason: 'draining' } : health.problem && { reason: 'redis' });
  const discord =
    config.discord &&
    new DiscordSignIn(config.discord, dashboardUrl, monotonic, (reason) =>
      logger.warn({ reason }, 'Discord does not answer'),
    );
  const searchLimiter = new AddressLimiter(monotonic, SEARCHES);
  const parts = partsOn(core, config, assets, { auditLog, searchLimiter, discord, url: dashboardUrl });
  const app = createDashboardApp({
    ...parts,
    assets,
    trustProxy: config.trustProxy,
    middleware: config.logRequests === 'all' ? [requestLogger(logger, monotonic)] : [],
    readiness,
    requestId: requestIds(),
    monotonic,
    activity,
    report: (error, request_id) => logger.error({ err: error, request_id }, 'request failed'),
  });
  const options = { ...serverOptions, requestTimeout: UPLOAD_TIMEOUT_MS };
  const observer: ServerObserver = {
    onCut: (reason) => logger.info({ reason }, 'cut a connection'),
    onUnreadable: (status) => logger.info({ status }, 'answered an unreadable request'),
  };
  const server = createExpressServer(app, options, MAX_CONNECTIONS, observer, true);
  const healthApp = express().disable('x-powered-by').use(healthRoutes(readiness));
  const { adminHost, dashboardHealthPort } = config;
  const healthListener = adminListener(healthApp, adminHost, dashboardHealthPort, 'DASHBOARD_HEALTH_PORT', observer);
  const port = ownPort(config.dashboardHost, config.dashboardPort, 'DASHBOARD_PORT');
  const close = async (): Promise<void> => {
    isDraining = true;
    const onPortClosed = () => {
      activity.isClosing = true;
    };
    await Promise.all([
      drain(server, port, config.shutdownTimeoutMs, onPortClosed),
      healthListener.close(config.shutdownTimeoutMs),
    ]);
    // The ends of the imports are written to Redis, so Redis is closed after them.
    await parts.imports.end();
    health.stop();
    client.disconnect();
  };
  removeLeftFolders();
  try {
    await port.open(server);
    await healthListener.open();
    await reachStore(client, redis, (error) =>
      logger.warn({ reason: StoreUnavailableError.of(error).reason }, `waiting for ${where}`),
    );
    await health.start();
  } catch (error) {
    await close();
    throw error;
  }
  const url = config.dashboardUrl || urlOf(server);
  logger.info({ url }, `dashboard on ${where}`);
  return { url, localUrl: urlOf(server), close };
}

/** Returns the parts of the pages. */
function partsOn(
  core: Core,
  config: DashboardConfig,
  assets: Assets,
  own: Pick<Parts, 'auditLog' | 'searchLimiter' | 'discord' | 'url'>,
): Parts {
  return {
    ...core,
    ...own,
    newKeys: new NewKeys(),
    imports: new GuildImports(core, config.dashboardMaxMembers),
    sessions: new Sessions(core, Date.now, config.discord?.operators ?? null),
    views: new Views(assets, NAVIGATION, { hasDiscord: config.discord !== null, links: config.links }),
    planQuotas: config.planQuotas,
    apiUrl: config.apiUrl,
    publicPages: config.publicPages,
    corsOrigins: config.corsOrigins,
    embedOrigins: config.embedOrigins,
    now: Date.now,
  };
}
