import { hiddenNotice } from '../imports/problems.ts';
import type { Reading } from '../imports/read-members.ts';
import type { CommandContext } from './context.ts';
import type { SeedOptions } from './seed-options.ts';

/** The lines about a run that are printed after its result, or before the error that ends it. */
export class SeedReport {
  private readonly lines: string[] = [];

  constructor(private readonly context: CommandContext) {}

  /** Keeps a line for the end. */
  readonly note = (line: string): void => void this.lines.push(line);

  /** Prints a line at once. */
  tell(line: string): void {
    this.context.stderr.write(`${line}\n`);
  }

  /** Prints which rows were left out and why, then which rows repeat a member, then which rows lose their avatar, then the kept lines. */
  tellReading({ inputs, problems }: Reading, hidden: number, { refused }: SeedOptions): void {
    for (const line of problems.lines()) this.tell(line);
    if (refused !== undefined && problems.count > 0) this.tell(`${refused} has all bad rows`);
    for (const line of [...problems.repeatedLines(), ...problems.avatarLines()]) this.tell(line);
    this.tellNotes();
    const notice = hiddenNotice(inputs, hidden);
    if (notice) this.tell(notice);
  }

  /** Prints the kept lines, once. */
  tellNotes(): void {
    for (const line of this.lines.splice(0)) this.tell(line);
  }
}
