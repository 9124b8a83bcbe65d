import cluster, { type Worker } from 'node:cluster';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { AggregatorRegistry, type Registry } from 'prom-client';
import type { Config } from './config.ts';
import { createAdminApp } from './http/admin.ts';
import type { Readiness } from './http/health.ts';
import { drain } from './http/server/drain.ts';
import { createExpressServer } from './http/server/express-server.ts';
import { listenOn, MAX_ADMIN_CONNECTIONS, serverOptions } from './http/server/listener.ts';

/** The wait between the end of a worker and its replacement: doubled while workers end soon after their start. */
const INITIAL_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 10_000;
/** The end of a worker that ran this long resets the wait. */
const STABLE_AFTER_MS = 10_000;

export interface RunningCluster {
  /** Drains every worker, then ends. Takes at most SHUTDOWN_TIMEOUT_MS in each. */
  close(): Promise<void>;
}

/** Returns the number of worker processes that the configuration asks for. */
export function workerCount(workers: Config['workers']): number {
  return workers === 'auto' ? availableParallelism() : workers;
}

/** Lets the primary process collect this worker's metrics. */
export function shareMetrics(registry: Registry): void {
  AggregatorRegistry.setRegistries([registry]);
  // The constructor makes the library listen for the primary's request.
  new AggregatorRegistry();
}

/**
 * Runs the service in several processes that share its port, and replaces a worker that ends. This process serves the admin listener for
 * all of them, with the sums of their metrics.
 * @param onStartFailure called when a worker ends before any listens: a replacement would end as well.
 */
export async function startCluster(
  config: Config,
  logger: Logger,
  onStartFailure: () => void,
): Promise<RunningCluster> {
  let draining = false;
  let everListened = false;
  let wait = INITIAL_BACKOFF_MS;
  const listening = new Set<Worker>();

  const fork = (): void => {
    const worker = cluster.fork();
    const startedAt = performance.now();
    worker.once('listening', () => {
      everListened = true;
      listening.add(worker);
    });
    worker.once('exit', async (code, signal) => {
      listening.delete(worker);
      if (draining) return;
      if (!everListened) return onStartFailure();
      wait = performance.now() - startedAt > STABLE_AFTER_MS ? INITIAL_BACKOFF_MS : Math.min(wait * 2, MAX_BACKOFF_MS);
      logger.error({ pid: worker.process.pid, code, signal, retry_in_ms: wait }, 'a worker ended: replacing it');
      await delay(wait);
      if (!draining) fork();
    });
  };
  const count = workerCount(config.workers);
  for (let i = 0; i < count; i++) fork();

  const readiness: Readiness = async () => {
    if (draining) return 'draining';
    return listening.size > 0 ? true : 'workers';
  };
  const metrics = new AggregatorRegistry();
  const adminApp = createAdminApp(readiness, () => metrics.clusterMetrics(), metrics.contentType);
  const observer = { onCut: () => {}, onUnreadable: () => {} };
  const admin =
    config.adminPort > 0 ? createExpressServer(adminApp, serverOptions, MAX_ADMIN_CONNECTIONS, observer) : undefined;
  if (admin) await listenOn(admin, config.adminHost, config.adminPort, 'ADMIN_PORT');
  const pids = Object.values(cluster.workers ?? {}).map((worker) => worker?.process.pid);
  logger.info({ workers: count, pids }, 'workers share the port');

  const close = async (): Promise<void> => {
    draining = true;
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    const ended = workers.map((worker) => new Promise<void>((resolve) => worker.once('exit', () => resolve())));
    for (const worker of workers) worker.process.kill('SIGTERM');
    await Promise.all(ended);
    if (admin) await drain(admin, config.shutdownTimeoutMs);
  };
  return { close };
}
