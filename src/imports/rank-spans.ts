/** Most runs of consecutive ranks that are kept. A file in no order has more runs, and is not checked. */
const MAX_SPANS = 1000;

/** A run of consecutive ranks. */
interface RankSpan {
  readonly first: number;
  /** The rank after the last rank. */
  next: number;
}

/** The ranks of the rows of a file, in the order of the file. O(1) of memory. */
export class RankSpans {
  readonly spans: RankSpan[] = [];
  private last = 0;

  /** Takes the rank of a row. Members with equal XP can have the same rank; the rank after them counts each of them. */
  add(text: string): void {
    const rank = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    const span = this.spans.at(-1);
    if (span && (rank === span.next || rank === this.last)) span.next++;
    else if (this.spans.length <= MAX_SPANS) this.spans.push({ first: rank, next: rank + 1 });
    this.last = rank;
  }

  /** Whether every row has a rank, and the rows are in the order of their ranks, at least in a few long pieces. */
  get isOrdered(): boolean {
    return this.spans.length <= MAX_SPANS && this.spans.every(({ first }) => !Number.isNaN(first));
  }
}
