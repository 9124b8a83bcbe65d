import cluster from 'node:cluster';
import type { Logger } from 'pino';
import { takeEnvFile } from '../config/env-file.ts';
import { type Config, parseConfig } from '../config/service.ts';
import { misspeltNames } from '../config/setting-names.ts';
import { ConfigError, messageOf, systemErrorOf } from '../core/errors.ts';
import { createLogger, logLinesTo } from '../observability/logger.ts';
import type { Tracing } from '../observability/tracing.ts';
import { fittingConnections, openFilesLimit } from './open-files.ts';
import { createService } from './service.ts';
import { startCluster } from './workers/primary.ts';
import { joinPrimary, workerPort } from './workers/worker.ts';
import { workerCount } from './workers/worker-count.ts';

/** Time for the last spans at a stop. */
const LAST_SPANS_MS = 2000;

/** Runs the service as a process: reads the environment, handles signals, sets exit codes. */
async function main(): Promise<void> {
  // A worker has the environment of the primary.
  const fromFile = cluster.isPrimary ? takeEnvFile(process.env) : undefined;
  const settings = parseConfig(process.env);
  const lines = logLinesTo(process.stdout);
  const logger = createLogger(settings.logLevel, lines, cluster.worker?.id);
  if (fromFile?.taken) logger.info(fromFile.taken);
  const misspelt = misspeltNames(fromFile?.names ?? []);
  if (misspelt) logger.warn(misspelt);
  const { maxConnections, warning } = fittingConnections(settings.maxConnections, openFilesLimit());
  const config: Config = { ...settings, maxConnections };
  if (cluster.isPrimary && warning) logger.warn(warning);
  if (cluster.isPrimary && config.tracingProblem) logger.warn(`no spans are sent: ${config.tracingProblem}`);
  let running: { close(delayMs: number): Promise<void> } | undefined;
  let tracing: Tracing | undefined;
  let stopping = false;

  // Not close-with-grace: it has no exit code for a worker that could not start, and no answer to a second signal while it waits.
  const stop = async (why: string, exitCode: number): Promise<void> => {
    stopping = true;
    logger.info(`${why}: draining`);
    // After a fault the process does not wait until proxies notice that it ends.
    await running?.close(exitCode === 0 ? config.shutdownDelayMs : 0);
    await tracing?.stop(LAST_SPANS_MS);
    logger.info('stopped');
    process.exit(exitCode);
  };
  const stopOnce = (why: string, exitCode: number): void => {
    if (!stopping) void stop(why, exitCode);
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // A terminal signals the workers as well, and they stop when the primary says so.
      if (cluster.isWorker) return;
      // A terminal that goes away can send it more than once.
      if (stopping && signal !== 'SIGHUP') process.exit(1);
      stopOnce(signal, 0);
    });
  }
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error) => {
      logger.fatal({ err: error }, event);
      if (stopping) process.exit(1);
      void stop(event, 1);
    });
  }

  try {
    if (cluster.isPrimary && workerCount(config.workers) > 1) {
      running = await startCluster(config, logger, () => stopOnce('a worker could not start', 1));
    } else {
      const serveFor = cluster.isWorker ? joinPrimary(() => stopOnce('the primary stops', 0)) : undefined;
      if (config.tracing) tracing = await loadTracing(logger);
      const port = cluster.isWorker ? workerPort : undefined;
      const parts = { logger, droppedLogLines: lines.dropped, trace: tracing?.record, port };
      const service = await createService(processConfig(config), parts);
      const server = await service.start();
      serveFor?.(server);
      running = server;
    }
  } catch (error) {
    logger.fatal({ reason: messageOf(error) }, 'could not start');
    process.exit(1);
  }
}

/**
 * Loads the SDK of OpenTelemetry, which is there only if the operator installed it. Without it the service serves and sends no spans: platforms
 * set the address of a collector for every program.
 */
async function loadTracing(logger: Logger): Promise<Tracing | undefined> {
  try {
    const { startTracing } = await import('../observability/tracing.ts');
    const warn = (reason: string) => logger.warn({ reason }, 'spans were not delivered');
    return startTracing(warn, () => performance.now());
  } catch (error) {
    const isMissing = systemErrorOf(error).code.endsWith('MODULE_NOT_FOUND');
    const cause = isMissing
      ? 'is not installed: install it as docs/operations.md says'
      : 'failed at its start: correct its settings';
    logger.warn(
      { reason: messageOf(error) },
      `no spans are sent, because the SDK of OpenTelemetry ${cause}, or set OTEL_SDK_DISABLED=true`,
    );
    return undefined;
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
