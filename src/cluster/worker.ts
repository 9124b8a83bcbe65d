import type { Registry } from 'prom-client';
import type { Readiness } from '../http/health.ts';
import { BEAT_MS, type MetricsJson, type PrimaryMessage, type WorkerMessage } from './messages.ts';

/** The parts of a started server that the primary asks for. */
interface Server {
  readonly registry: Registry;
  readonly readiness: Readiness;
}

/**
 * Connects this worker to its primary: gives signs of life from now on, and stops when the primary says so. A message, because a terminal
 * sends Ctrl-C to workers and primary alike, and a signal of the primary would be the second one.
 * @returns a function that hands over the server once it serves.
 */
export function joinPrimary(onStop: () => void): (server: Server) => void {
  let server: Server | undefined;
  const beat = (): void => send({ type: 'beat', started: server !== undefined, unready: server?.readiness() });
  process.on('message', (message: PrimaryMessage) => {
    if (message.type === 'stop') onStop();
    else if (message.type === 'metrics' && server) void sendMetrics(server.registry, message.round);
  });
  beat();
  setInterval(beat, BEAT_MS).unref();
  return (started) => {
    server = started;
    beat();
  };
}

/**
 * Has the primary accept the connections that wait in the kernel. It hands over the next one when a worker has taken the last, so that
 * those that still wait for this worker are gone when none comes before the answer.
 */
export async function acceptInPrimary(): Promise<void> {
  if (!process.connected) return;
  await new Promise<void>((resolve) => {
    const listen = ({ type }: PrimaryMessage): void => {
      if (type !== 'accepted') return;
      process.off('message', listen);
      resolve();
    };
    process.on('message', listen);
    send({ type: 'accept' });
  });
}

async function sendMetrics(registry: Registry, round: number): Promise<void> {
  send({ type: 'metrics', round, metrics: (await registry.getMetricsAsJSON()) as MetricsJson });
}

function send(message: WorkerMessage): void {
  // Without its primary a worker ends by itself, so a failed message needs no answer.
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}
