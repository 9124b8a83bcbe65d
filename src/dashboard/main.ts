import { parseDashboardConfig } from '../config/dashboard.ts';
import { createLogger, type LogLines } from '../observability/logger.ts';
import { startDashboard } from './server.ts';

/** The parts of the process that the dashboard uses. */
interface DashboardProcess {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Calls `listener` at a signal that ends the process. */
  onStop(listener: (signal: string) => void): () => void;
  /** Returns standard output as a destination of log lines. */
  logLines(): Promise<LogLines>;
}

/**
 * Runs the dashboard until a signal ends it.
 * @throws ConfigError, or Error when it cannot start.
 */
export async function runDashboard({ env, onStop, logLines }: DashboardProcess): Promise<void> {
  const config = parseDashboardConfig(env);
  const logger = createLogger(config.logLevel, await logLines());
  const dashboard = await startDashboard(config, logger);
  let restore = (): void => {};
  const signal = await new Promise<string>((resolve) => {
    restore = onStop(resolve);
  });
  // A second signal ends the process at once.
  restore();
  logger.info(`${signal}: draining`);
  await dashboard.close();
  logger.info('stopped');
}
