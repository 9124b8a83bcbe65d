import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import type { Unready } from '../http/health-routes.ts';

/** The time between two signs of life of a worker. */
export const BEAT_MS = 500;

/** Metrics of a process, as prom-client's `getMetricsAsJSON` returns them. */
export type MetricsJson = MetricObjectWithValues<MetricValue<string>>[];

/** A message from a worker to the primary. */
export type WorkerMessage =
  /** A sign of life. `started` = it has served requests or can serve them; `unready` = why it cannot now. */
  | { readonly type: 'beat'; readonly started: boolean; readonly unready: Unready | undefined }
  | { readonly type: 'metrics'; readonly round: number; readonly metrics: MetricsJson }
  /** Asks for the port: the primary listens, if it does not yet. */
  | { readonly type: 'open' }
  /** The worker has taken the connection that it got. */
  | { readonly type: 'taken' }
  /** The worker wants no further connection. */
  | { readonly type: 'leave' };

/** A message from the primary to a worker. */
export type PrimaryMessage =
  | { readonly type: 'stop' }
  | { readonly type: 'metrics'; readonly round: number }
  /** The answer to `open`. Connections follow. */
  | { readonly type: 'opened'; readonly url: string }
  /** The answer to `open` when the port is taken. */
  | { readonly type: 'refused'; readonly reason: string }
  /** Comes with a connection, unless the connection has ended on the way. */
  | { readonly type: 'connection' }
  /** No connection follows. */
  | { readonly type: 'closed' };
