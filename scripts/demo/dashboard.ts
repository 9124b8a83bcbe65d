import type { Logger } from 'pino';
import { parseDashboardConfig } from '../../src/config/dashboard.ts';
import type { RedisConfig } from '../../src/config/redis.ts';
import { type RunningDashboard, startDashboard } from '../../src/dashboard/server.ts';
import type { RedisClient } from '../../src/store/client.ts';

/** Starts the dashboard of the demo. If its usual port is taken, it gets a free one, unless DASHBOARD_PORT names it. */
export async function startDemoDashboard(
  redis: RedisConfig,
  connect: () => RedisClient,
  logger: Logger,
): Promise<RunningDashboard> {
  const { DASHBOARD_PORT, PORT } = process.env;
  const start = (port: string | undefined) => {
    const config = parseDashboardConfig({ DASHBOARD_PORT: port, PORT, LOG_REQUESTS: 'errors' });
    return startDashboard({ ...config, redis }, logger, connect());
  };
  if (DASHBOARD_PORT) return start(DASHBOARD_PORT);
  return start(undefined).catch(() => start('0'));
}
