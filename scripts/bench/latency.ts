import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';

/** Longest latency that is told apart from a longer one, in nanoseconds: 100 s. */
const LONGEST_NS = 1e11;

/** Length of a window, in milliseconds. */
const WINDOW_MS = 100;

/** Returns an empty histogram of latencies in nanoseconds. Percentiles are exact to three significant digits. */
export function latencyHistogram(): RecordableHistogram {
  return createHistogram({ lowest: 1, highest: LONGEST_NS, figures: 3 });
}

/** Adds a latency in milliseconds. A latency outside the range counts at the nearest end. */
export function recordMs(histogram: RecordableHistogram, ms: number): void {
  histogram.record(Math.min(Math.max(Math.round(ms * 1e6), 1), LONGEST_NS));
}

/** Returns the latency in milliseconds below which `percent` (above 0, at most 100) of all lie; NaN if there is none. */
export function percentileMs(histogram: RecordableHistogram, percent: number): number {
  return histogram.count === 0 ? Number.NaN : histogram.percentile(percent) / 1e6;
}

/** Records latencies by the tenth of a second in which the answer came. */
export class WindowedLatency {
  private readonly byWindow = new Map<number, RecordableHistogram>();

  /**
   * Adds one latency. O(1).
   * @param atMs time of the answer, in milliseconds since the measurement began.
   */
  record(atMs: number, latencyMs: number): void {
    const index = Math.floor(atMs / WINDOW_MS);
    let window = this.byWindow.get(index);
    if (!window) {
      window = latencyHistogram();
      this.byWindow.set(index, window);
    }
    recordMs(window, latencyMs);
  }

  /** Returns the histogram of each window that has an answer. */
  windows(): RecordableHistogram[] {
    return [...this.byWindow.values()];
  }

  /** Returns the histogram of all latencies. */
  total(): RecordableHistogram {
    const total = latencyHistogram();
    for (const window of this.byWindow.values()) total.add(window);
    return total;
  }
}
