import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Counter, Gauge, Registry } from 'prom-client';
import type { Config } from '../../config/service.ts';
import { registerCuts } from '../../observability/metrics.ts';
import { createAdminApp } from '../http/admin.ts';
import type { Readiness } from '../http/health-routes.ts';
import { adminListener } from '../http/server/express-server.ts';
import { BEAT_MS } from './messages.ts';
import { SharedPort } from './shared-port.ts';
import { workerCount } from './worker-count.ts';
import { WorkerMetrics } from './worker-metrics.ts';
import { WorkerSlot } from './worker-slot.ts';

/** Workers that have not ended this long after the time that they may take are killed. */
const STOP_MARGIN_MS = 2000;

/**
 * Runs the service in several processes that share its port, and replaces a worker that ends or does not respond. This process serves the
 * admin listener for all of them, with the sums of their metrics.
 * @param onStartFailure called when a worker ends before any has started: a replacement would end as well.
 */
export async function startCluster(config: Config, logger: Logger, onStartFailure: () => void) {
  let draining = false;
  const own = new Registry();
  const metrics = new WorkerMetrics(own);
  const slots: WorkerSlot[] = [];
  const port = new SharedPort(config);
  const ends = registerOwn(own, slots);
  let hasServed = false;
  const events = {
    onMetrics: metrics.receive.bind(metrics),
    onStarted: () => {
      hasServed = true;
    },
    onPort: (slot: WorkerSlot, request: 'open' | 'taken' | 'leave') => {
      if (request === 'leave') {
        // While all stop, each takes connections until the port is closed.
        if (draining) return;
        port.leave(slot);
        slot.send({ type: 'closed' });
        return;
      }
      if (request === 'taken') return port.taken(slot);
      port.open().then(
        (url) => {
          slot.send({ type: 'opened', url });
          port.addFree(slot);
        },
        (error: Error) => slot.send({ type: 'refused', reason: error.message }),
      );
    },
    onEnd: (slot: WorkerSlot) => {
      port.leave(slot);
      metrics.end(slot.workerId);
      if (draining) return;
      ends.inc();
      if (!hasServed) onStartFailure();
    },
    isWanted: () => !draining,
  };
  const readiness: Readiness = () => {
    if (draining) return { reason: 'draining' };
    const started = slots.filter(({ state }) => state === 'started');
    if (started.some(({ unready }) => !unready)) return undefined;
    return started[0]?.unready ?? { reason: 'workers' };
  };
  const collect = () => {
    const responsive = slots.filter(({ state }) => state === 'started');
    return metrics.collect(
      responsive.map((slot) => ({ id: slot.workerId, ask: (round) => slot.send({ type: 'metrics', round }) })),
    );
  };
  const adminApp = createAdminApp(readiness, collect, own.contentType);
  const observer = { onCut: registerCuts(own), onUnreadable: () => {} };
  const admin = adminListener(adminApp, config.adminHost, config.adminPort, 'ADMIN_PORT', observer);
  // Before the workers: a port that is taken ends this process, and workers that start would log that it is gone.
  await admin.open();
  const count = workerCount(config.workers);
  for (let i = 0; i < count; i++) slots.push(new WorkerSlot(logger, events));
  const beats = setInterval(() => {
    for (const slot of slots) slot.beat();
  }, BEAT_MS);
  logger.info({ workers: count, pids: slots.map(({ pid }) => pid) }, 'workers share the port');

  /** Drains every worker, then ends. Takes at most SHUTDOWN_DELAY_MS, SHUTDOWN_TIMEOUT_MS and two seconds. */
  const close = async (delayMs: number): Promise<void> => {
    draining = true;
    const ended = Promise.all(slots.map((slot) => slot.ended()));
    for (const slot of slots) slot.send({ type: 'stop' });
    const closed = delay(delayMs).then(() => port.close());
    void closed.then(() => {
      for (const slot of slots) slot.send({ type: 'closed' });
    });
    const limitMs = config.shutdownDelayMs + config.shutdownTimeoutMs + STOP_MARGIN_MS;
    if (!(await Promise.race([ended.then(() => true), delay(limitMs, false, { ref: false })]))) {
      for (const slot of slots) slot.kill();
      await ended;
    }
    clearInterval(beats);
    await admin.close(config.shutdownTimeoutMs);
  };
  return { close };
}

/** Registers what only the primary knows. @returns the counter of workers that ended. */
function registerOwn(registry: Registry, slots: readonly WorkerSlot[]): Counter {
  const registers = [registry];
  const help = 'Worker processes by state';
  new Gauge({
    name: 'guildrank_workers',
    help,
    labelNames: ['state'],
    registers,
    collect() {
      // A worker that has started counts itself.
      for (const state of ['starting', 'unresponsive'] as const) {
        this.set({ state }, slots.filter((slot) => slot.state === state).length);
      }
    },
  });
  new Gauge({
    name: 'process_start_time_seconds',
    help: 'Start time of the process since unix epoch in seconds.',
    aggregator: 'first',
    registers,
  }).set(Math.round(performance.timeOrigin / 1000));
  new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Resident memory size in bytes.',
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  return new Counter({
    name: 'guildrank_worker_ends_total',
    help: 'Workers that ended without being asked to',
    registers,
  });
}
