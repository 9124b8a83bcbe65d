/** Buckets a doubling of latency is divided into: each is 1.1 % wide, which bounds the error of a percentile. */
const PER_DOUBLING = 64;
const DOUBLINGS = 26;

/** Counts latencies from 1 microsecond to a minute in buckets of equal ratio: constant memory, no sorting, cheap to add to. */
export class Histogram {
  private readonly counts = new Uint32Array(PER_DOUBLING * DOUBLINGS);
  private total = 0;

  get count(): number {
    return this.total;
  }

  /** @param ms latency in milliseconds. */
  add(ms: number): void {
    const bucket = Math.floor(Math.log2(Math.max(ms * 1000, 1)) * PER_DOUBLING);
    const index = Math.min(bucket, this.counts.length - 1);
    this.counts[index] = (this.counts[index] as number) + 1;
    this.total++;
  }

  /** Latency in milliseconds that the fraction `p` (0 .. 1) of all is at or below; NaN when there is none. */
  percentile(p: number): number {
    let left = Math.max(1, Math.ceil(this.total * p));
    for (let index = 0; index < this.counts.length; index++) {
      left -= this.counts[index] as number;
      if (left <= 0 && this.total > 0) return 2 ** ((index + 0.5) / PER_DOUBLING) / 1000;
    }
    return Number.NaN;
  }
}
