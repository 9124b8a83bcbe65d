import cluster from 'node:cluster';
import { shareMetrics, startCluster, workerCount } from './cluster.ts';
import { type Config, ConfigError, parseConfig } from './config.ts';
import { standardOutput } from './observability/log-lines.ts';
import { createLogger } from './observability/logger.ts';
import { startServer } from './server.ts';

/** Runs the service as a process: reads the environment, handles signals, sets exit codes. */
async function main(): Promise<void> {
  const config = parseConfig(process.env);
  const lines = standardOutput();
  const logger = createLogger(config.logLevel, lines);
  let running: { close(): Promise<void> } | undefined;
  let stopping = false;

  // Not close-with-grace: it has no exit code for a worker that could not start, and no answer to a second signal while it waits.
  const stop = async (why: string, exitCode: number): Promise<void> => {
    if (stopping) process.exit(1);
    stopping = true;
    logger.info(`${why}: draining`);
    await running?.close();
    logger.info('stopped');
    process.exit(exitCode);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal, 0));
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error) => {
      logger.fatal({ err: error }, event);
      void stop(event, 1);
    });
  }

  try {
    if (cluster.isPrimary && workerCount(config.workers) > 1) {
      running = await startCluster(config, logger, () => void stop('a worker could not start', 1));
    } else {
      const server = await startServer(processConfig(config), { logger, droppedLogLines: lines.dropped });
      if (cluster.isWorker) shareMetrics(server.registry);
      running = server;
    }
  } catch (error) {
    logger.fatal({ reason: (error as Error).message }, 'could not start');
    process.exit(1);
  }
}

/** Returns the configuration of this process. The primary serves the admin listener for its workers. */
function processConfig(config: Config): Config {
  return cluster.isWorker ? { ...config, adminPort: 0 } : config;
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof ConfigError ? error.message : String(error)}\n`);
  process.exit(1);
});
