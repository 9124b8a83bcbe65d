import { createLogger, standardOutput } from '../observability/logger.ts';
import { parseDashboardConfig } from './config.ts';
import { startDashboard } from './server.ts';

/**
 * Runs the dashboard until a signal ends the process.
 * @throws ConfigError, or Error when it cannot start.
 */
export async function runDashboard(env: Readonly<Record<string, string | undefined>>): Promise<void> {
  const config = parseDashboardConfig(env);
  const logger = createLogger(config.logLevel, standardOutput());
  const dashboard = await startDashboard(config, logger);
  const signal = await new Promise<string>((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => resolve(name));
  });
  logger.info(`${signal}: draining`);
  await dashboard.close();
  logger.info('stopped');
}
