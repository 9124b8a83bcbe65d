import type { FileRecord } from '../core/members/xp-record.ts';
import type { RowPosition } from './problems.ts';

/** Members in one atomic write. It takes Redis about 4 ms, in which readers wait. */
const RECORDS_PER_WRITE = 250;
/** Most writes that wait for a reply at once. With so many, neither Redis nor this process waits for the other. */
const MAX_IN_FLIGHT = 4;

/** Sends records to the store, many in one write, and all records of one member in their order. Counts only records that Redis confirmed. */
export class RecordSender {
  /** Records that Redis confirmed. */
  written = 0;
  /** Members of these records that are new to the ranking. */
  created = 0;
  private records: FileRecord[] = [];
  /** The positions of the records in the files. */
  private positions: RowPosition[] = [];
  /** The writes that wait for a reply, with the members of each. */
  private readonly inFlight = new Map<Promise<void>, ReadonlySet<string>>();
  private failure: { readonly error: unknown } | undefined;

  /** @param onWritten is called with each record that Redis confirmed, in order, and its position. */
  constructor(
    private readonly write: (records: readonly FileRecord[]) => Promise<{ readonly created: number }>,
    private readonly onWritten: (record: FileRecord, position: RowPosition) => void,
  ) {}

  /**
   * Adds a record. @returns a promise when a write starts, to be awaited before the next record. It rejects with the
   * error of an earlier write.
   */
  add(record: FileRecord, position: RowPosition): Promise<void> | undefined {
    this.records.push(record);
    this.positions.push(position);
    return this.records.length < RECORDS_PER_WRITE ? undefined : this.send();
  }

  /** Sends the rest and waits until all is confirmed. @throws the error of a write. */
  async finish(): Promise<void> {
    if (this.records.length > 0) await this.send();
    await this.settle();
    if (this.failure) throw this.failure.error;
  }

  /** Drops the records that are not sent yet, and waits until the sent records are confirmed. @throws the error of a write. */
  async drop(): Promise<void> {
    this.records = [];
    this.positions = [];
    await this.finish();
  }

  /** Waits for the replies to all sent writes, and sends nothing more. Never throws. */
  async settle(): Promise<void> {
    await Promise.all(this.inFlight.keys());
  }

  private async send(): Promise<void> {
    const { records, positions } = this;
    this.records = [];
    this.positions = [];
    const members = new Set(records.map(({ userId }) => userId));
    while (this.mustWait(members)) await Promise.race(this.inFlight.keys());
    if (this.failure) throw this.failure.error;
    const sent = this.write(records).then(
      ({ created }) => {
        this.written += records.length;
        this.created += created;
        for (const [index, record] of records.entries()) this.onWritten(record, positions[index] as RowPosition);
      },
      (error: unknown) => {
        this.failure ??= { error };
      },
    );
    this.inFlight.set(sent, members);
    void sent.then(() => this.inFlight.delete(sent));
  }

  /** A write can be sent again after later writes. So two writes of one member must not wait for replies at the same time. */
  private mustWait(members: ReadonlySet<string>): boolean {
    if (this.inFlight.size >= MAX_IN_FLIGHT) return true;
    return [...this.inFlight.values()].some((others) => [...members].some((id) => others.has(id)));
  }
}
