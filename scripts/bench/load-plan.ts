import type { RecordableHistogram } from 'node:perf_hooks';

/** The load to put on a server. */
export interface LoadPlan {
  readonly port: number;
  readonly requests: readonly Buffer[];
  /** Index of the first request to send. The list is sent in order and repeats. */
  readonly from: number;
  readonly connections: number;
  /** Seconds of load before the measured time. Their answers do not count; their failures do. */
  readonly settleSeconds?: number;
  readonly seconds: number;
  /** Requests a second. Without it each connection sends its next request when it has its answer. */
  readonly rate?: number;
}

export interface LoadResult {
  /** Number of answers with 2xx or 304. */
  readonly answered: number;
  /** Number of failures by status, or by reason if there was no answer. */
  readonly failures: Readonly<Record<string, number>>;
  /** Measured seconds. */
  readonly seconds: number;
  readonly latency: RecordableHistogram;
  /** The same by the tenth of a second in which the answer came. */
  readonly windows: readonly RecordableHistogram[];
}
