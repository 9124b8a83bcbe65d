import cluster, { type Worker } from 'node:cluster';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Unready } from '../http/health-routes.ts';
import { BEAT_MS, type MetricsJson, type PrimaryMessage, type WorkerMessage } from './messages.ts';

/** The wait between the end of a worker and its replacement: doubled while workers end soon after their start. */
const INITIAL_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 10_000;
/** The end of a worker that ran this long resets the wait. */
const STABLE_AFTER_MS = 10_000;
/** Beats without a sign of life after which a worker counts as not ready, and after which it is replaced. */
const SUSPECT_AFTER = 4;
const WEDGED_AFTER = 20;
/** Beats without a sign of life after which a worker that has just started is replaced. Loading the program takes long on a busy machine. */
const WEDGED_AT_START_AFTER = 120;

/** The events of a worker, for the primary. */
export interface SlotEvents {
  readonly onMetrics: (workerId: number, round: number, metrics: MetricsJson) => void;
  /** Called when a worker can serve for the first time. */
  readonly onStarted: () => void;
  readonly onEnd: (slot: WorkerSlot) => void;
  /** Called when a worker asks for connections, has taken a connection, or wants no further connection. */
  readonly onPort: (slot: WorkerSlot, request: 'open' | 'taken' | 'leave') => void;
  /** Returns whether a worker that ended is to be replaced. */
  readonly isWanted: () => boolean;
}

/** The place of one worker: starts it, watches its signs of life, and replaces it when it ends. */
export class WorkerSlot {
  private worker!: Worker;
  private startedAt = 0;
  private wait = INITIAL_BACKOFF_MS;
  /** Beats since the last sign of life. Beats are counted, so that a time in which this process is kept from running counts as one beat at most. */
  private silentBeats = 0;
  private lastBeat: (WorkerMessage & { type: 'beat' }) | undefined;
  private running = false;

  constructor(
    private readonly logger: Logger,
    private readonly events: SlotEvents,
  ) {
    this.start();
  }

  /** Whether the worker serves: "unresponsive" = it has given no sign of life for several beats. */
  get state(): 'starting' | 'unresponsive' | 'started' {
    if (!this.running || !this.lastBeat) return 'starting';
    if (this.silentBeats >= SUSPECT_AFTER) return 'unresponsive';
    return this.lastBeat.started ? 'started' : 'starting';
  }

  /** Why the worker cannot serve, if it has started. */
  get unready(): Unready | undefined {
    return this.lastBeat?.unready;
  }

  /** The number that node:cluster gives the worker. */
  get workerId(): number {
    return this.worker.id;
  }

  /** The process id of the worker; undefined if the process could not start. */
  get pid(): number | undefined {
    return this.worker.process.pid;
  }

  /** Sends a message to the worker, if the worker is still connected. */
  send(message: PrimaryMessage): void {
    if (this.worker.isConnected()) this.worker.send(message, () => {});
  }

  /** Sends a connection to the worker. The connection stays open in this process too, because the worker can end before it takes the connection. */
  take(connection: Socket): void {
    const message: PrimaryMessage = { type: 'connection' };
    if (this.worker.isConnected()) this.worker.send(message, connection, { keepOpen: true }, () => {});
    else connection.destroy();
  }

  /** Counts a beat. Kills a worker that gives no sign of life. */
  beat(): void {
    if (!this.running) return;
    this.silentBeats++;
    if (this.silentBeats !== (this.lastBeat ? WEDGED_AFTER : WEDGED_AT_START_AFTER)) return;
    this.logger.error(
      { pid: this.pid, silent_ms: this.silentBeats * BEAT_MS },
      'a worker does not respond: killing it',
    );
    this.kill();
  }

  /** Ends the worker with SIGKILL. A new worker then takes its place. */
  kill(): void {
    // Also ends a process that is stopped or whose event loop is blocked.
    this.worker.process.kill('SIGKILL');
  }

  /** Settles when the worker has ended. */
  async ended(): Promise<void> {
    if (this.running) await new Promise<void>((resolve) => this.worker.once('exit', () => resolve()));
  }

  private start(): void {
    const worker = cluster.fork();
    this.worker = worker;
    this.startedAt = performance.now();
    this.running = true;
    this.silentBeats = 0;
    this.lastBeat = undefined;
    worker.on('message', (message: WorkerMessage) => {
      this.silentBeats = 0;
      if (message.type === 'beat') {
        if (message.started && !this.lastBeat?.started) this.events.onStarted();
        this.lastBeat = message;
      } else if (message.type === 'metrics') {
        this.events.onMetrics(worker.id, message.round, message.metrics);
      } else this.events.onPort(this, message.type);
    });
    worker.once('exit', (code, signal) => void this.replace(worker, code, signal));
  }

  private async replace({ process: { pid } }: Worker, code: number, signal: string): Promise<void> {
    this.running = false;
    this.events.onEnd(this);
    if (!this.events.isWanted()) return;
    const wasStable = performance.now() - this.startedAt > STABLE_AFTER_MS;
    this.wait = wasStable ? INITIAL_BACKOFF_MS : Math.min(this.wait * 2, MAX_BACKOFF_MS);
    this.logger.error({ pid, code, signal, retry_in_ms: this.wait }, 'a worker ended: replacing it');
    await delay(this.wait);
    if (this.events.isWanted()) this.start();
  }
}
