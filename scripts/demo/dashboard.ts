import type { Logger } from 'pino';
import { parseDashboardConfig } from '../../src/config/dashboard.ts';
import type { RedisClient } from '../../src/core/store/client.ts';
import type { RedisConfig } from '../../src/core/store/redis-config.ts';
import { type RunningDashboard, startDashboard } from '../../src/dashboard/server.ts';

/**
 * Settings of service and dashboard: the port of the dashboard, which shows a public page in a frame, is not known before service and dashboard have
 * started.
 */
export const PUBLIC_PAGES = { PUBLIC_PAGES: '1', EMBED_ORIGINS: '*' } as const;

/**
 * Starts the dashboard of the demo. If its usual port is taken, the dashboard gets a free port, unless DASHBOARD_PORT names the port.
 * @param apiUrl address of the service.
 */
export async function startDemoDashboard(
  redis: RedisConfig,
  connect: () => RedisClient,
  logger: Logger,
  apiUrl: string,
): Promise<RunningDashboard> {
  const { DASHBOARD_PORT } = process.env;
  const start = (port: string | undefined) => {
    const config = parseDashboardConfig({
      DASHBOARD_PORT: port,
      DASHBOARD_API_URL: new URL(apiUrl).origin,
      LOG_REQUESTS: 'errors',
      ...PUBLIC_PAGES,
    });
    return startDashboard({ ...config, redis }, logger, connect());
  };
  if (DASHBOARD_PORT) return start(DASHBOARD_PORT);
  return start(undefined).catch(() => start('0'));
}
