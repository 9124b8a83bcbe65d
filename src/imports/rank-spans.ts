/** Runs of ranks that are kept. A file in no order has more, and is not checked. */
const MAX_SPANS = 1000;

/** Ranks that follow each other. */
export interface RankSpan {
  readonly first: number;
  /** The rank after the last one. */
  next: number;
}

/** The ranks of the rows of a file, in the order of the file. O(1) of memory. */
export class RankSpans {
  readonly spans: RankSpan[] = [];
  private last = 0;

  /** Takes the rank of a row. Equal members can have the same rank; the next one is then as if they had not. */
  add(text: string): void {
    const rank = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    const span = this.spans.at(-1);
    if (span && (rank === span.next || rank === this.last)) span.next++;
    else if (this.spans.length <= MAX_SPANS) this.spans.push({ first: rank, next: rank + 1 });
    this.last = rank;
  }

  /** Whether every row has a rank, and the rows are in their order, or in a few pieces that are. */
  get isOrdered(): boolean {
    return this.spans.length <= MAX_SPANS && this.spans.every(({ first }) => !Number.isNaN(first));
  }
}
