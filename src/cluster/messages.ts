import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import type { Unready } from '../http/health.ts';

/** The time between two signs of life of a worker. */
export const BEAT_MS = 500;

/** Metrics of a process, as prom-client's `getMetricsAsJSON` returns them. */
export type MetricsJson = MetricObjectWithValues<MetricValue<string>>[];

/** What a worker tells the primary. */
export type WorkerMessage =
  /** A sign of life. `started` = it has served requests or can serve them; `unready` = why it cannot now. */
  | { readonly type: 'beat'; readonly started: boolean; readonly unready: Unready | undefined }
  | { readonly type: 'metrics'; readonly round: number; readonly metrics: MetricsJson }
  /** Asks the primary to accept the connections that wait. */
  | { readonly type: 'accept' };

/** What the primary asks of a worker. */
export type PrimaryMessage =
  | { readonly type: 'stop' }
  | { readonly type: 'metrics'; readonly round: number }
  /** The answer to `accept`: connections for the worker were sent before it. */
  | { readonly type: 'accepted' };
