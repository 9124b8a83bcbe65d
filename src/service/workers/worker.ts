import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { Registry } from 'prom-client';
import type { Readiness } from '../http/health-routes.ts';
import type { Port } from '../http/server/port.ts';
import { BEAT_MS, type PrimaryMessage, type WorkerMessage } from './messages.ts';

/** The parts of a started server that the primary asks for. */
interface StartedServer {
  readonly registry: Registry;
  readonly readiness: Readiness;
}

/**
 * Connects this worker to its primary: gives signs of life from now on, and stops when the primary says so. Signals stop the primary alone,
 * because a terminal sends Ctrl-C to all: a worker that stopped before the primary would leave connections that nobody takes.
 * @returns a function that hands over the server once it serves.
 */
export function joinPrimary(onStop: () => void): (server: StartedServer) => void {
  let server: StartedServer | undefined;
  const beat = (): void => send({ type: 'beat', started: server !== undefined, unready: server?.readiness() });
  onMessage((message) => {
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

/** The port of a worker: the primary listens, and sends it connections. */
export const workerPort: Port = {
  async open(server) {
    await watchConnections(server);
    onMessage(({ type }, connection) => {
      if (type !== 'connection') return;
      send({ type: 'taken' });
      if (connection) server.emit('connection', connection);
    });
    const answered = messageOf('opened', 'refused');
    send({ type: 'open' });
    const answer = await answered;
    if (answer.type === 'opened') return answer.url;
    throw new Error(answer.type === 'refused' ? answer.reason : '');
  },
  async close() {
    if (!process.connected) return;
    const closed = messageOf('closed');
    send({ type: 'leave' });
    await closed;
  },
};

/**
 * Makes Node look for idle and slow connections among the connections that a server is given. Node begins to look when a server listens, so this
 * server listens for a moment, on a port of its own that nobody knows.
 */
async function watchConnections(server: Server): Promise<void> {
  server.listen({ host: '127.0.0.1', port: 0, exclusive: true });
  await once(server, 'listening');
  NetServer.prototype.close.call(server);
}

function onMessage(listener: (message: PrimaryMessage, connection?: Socket) => void): void {
  process.on('message', listener as (message: unknown) => void);
}

/** Waits for the next message of one of these types. */
function messageOf(...types: readonly PrimaryMessage['type'][]): Promise<PrimaryMessage> {
  return new Promise((resolve) => {
    const listener = (message: PrimaryMessage): void => {
      if (!types.includes(message.type)) return;
      process.off('message', listener);
      resolve(message);
    };
    onMessage(listener);
  });
}

async function sendMetrics(registry: Registry, round: number): Promise<void> {
  send({ type: 'metrics', round, metrics: await registry.getMetricsAsJSON() });
}

function send(message: WorkerMessage): void {
  // Without its primary a worker ends by itself, so a failed message needs no answer.
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}
