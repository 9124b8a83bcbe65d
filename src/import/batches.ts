import type { RecordResult, XpRecord } from '../leaderboard/writer.ts';

/** Members in one atomic write: it takes Redis about 4 ms, in which readers wait. */
export const BATCH = 250;
/** Writes on the way at once: enough that neither side waits for the other. */
const IN_FLIGHT = 4;

/**
 * Sends records in batches, a few at a time, in order. Only what Redis confirmed is counted.
 */
export class BatchWriter {
  /** Records confirmed. */
  written = 0;
  /** Members among them that were not there before. */
  created = 0;
  private batch: XpRecord[] = [];
  private readonly pending = new Set<Promise<void>>();
  private failure: { readonly error: unknown } | undefined;

  constructor(private readonly write: (records: readonly XpRecord[]) => Promise<RecordResult>) {}

  /** @returns a promise when a batch is full, to be awaited before the next. @throws (it) what an earlier write failed with. */
  add(record: XpRecord): Promise<void> | undefined {
    this.batch.push(record);
    return this.batch.length < BATCH ? undefined : this.send();
  }

  /** Sends what is left, and waits until all is confirmed. @throws what a write failed with. */
  async finish(): Promise<void> {
    if (this.batch.length > 0) await this.send();
    await this.settle();
    if (this.failure) throw this.failure.error;
  }

  /** Waits for what is on the way; sends nothing more. Never throws. */
  async settle(): Promise<void> {
    await Promise.all(this.pending);
  }

  private async send(): Promise<void> {
    while (this.pending.size >= IN_FLIGHT) await Promise.race(this.pending);
    if (this.failure) throw this.failure.error;
    const records = this.batch;
    this.batch = [];
    const sent = this.write(records).then(
      ({ created }) => {
        this.written += records.length;
        this.created += created;
      },
      (error: unknown) => {
        this.failure ??= { error };
      },
    );
    this.pending.add(sent);
    void sent.then(() => this.pending.delete(sent));
  }
}
