import type { Store } from '../cli/store.ts';
import { PartialResult } from '../cli/terminal.ts';
import { DomainError, StoreUnavailableError } from '../errors.ts';
import type { CurveName } from '../leaderboard/curves.ts';
import { withStoreErrors } from '../redis/commands.ts';
import { BatchWriter } from './batches.ts';
import { type CurveChoice, chooseCurve } from './curve-choice.ts';
import type { FormatName } from './formats.ts';
import { INTERRUPTED, type Interrupt } from './interrupt.ts';
import { badRows } from './problems.ts';
import { type Reading, readMembers } from './reading.ts';
import { recordOf } from './rows.ts';
import { Replacement } from './staging.ts';
import type { Summary } from './summary.ts';

export interface LoadJob {
  readonly guild: string;
  readonly reading: Reading;
  readonly interrupt: Interrupt;
  readonly replace: boolean;
  readonly plan: string | undefined;
  readonly curve: CurveName | undefined;
  readonly formatCurve: { readonly curve: CurveName; readonly format: FormatName } | undefined;
}

/** What came of it; `ending` is the error to report after the summary, with its exit code. */
export interface LoadResult {
  readonly summary: Summary;
  readonly ending: Error | undefined;
}

interface Tally {
  loaded: number;
  created: number;
  replaced?: { removed: number; repeated: number };
}

/** Loads the members into the guild, or in the place of its members. Whatever stops it, the counters stay true. */
export async function load(store: Store, job: LoadJob): Promise<LoadResult> {
  const { guild, reading, replace } = job;
  const keys = store.redisKeys.guild(guild);
  const [configured, members] = await withStoreErrors(
    Promise.all([store.client.hget(keys.config, 'xp_curve'), store.client.zcard(keys.xp)]),
  );
  const choice = chooseCurve(job.curve, job.formatCurve, { configured, members: replace ? 0 : members });
  if (choice.notice) reading.progress.write(choice.notice);

  const start = performance.now();
  const tally: Tally = { loaded: 0, created: 0 };
  let ending: Error | undefined;
  try {
    await (replace ? replaceMembers(store, job, choice, tally) : addMembers(store, job, choice, tally));
    const { count } = reading.problems;
    if (count > 0) ending = new PartialResult(`${badRows(count)} skipped, all others are loaded`, 2);
  } catch (error) {
    ending = endingOf(error, tally, job);
  }
  const complete = ending === undefined || (ending instanceof PartialResult && ending.exitCode === 2);
  const seconds = (performance.now() - start) / 1000;
  const summary = { guild, curve: choice.curve, ...tally, skipped: reading.problems.count, seconds, complete };
  return { summary, ending };
}

async function addMembers(store: Store, job: LoadJob, choice: CurveChoice, tally: Tally): Promise<void> {
  await configure(store, job, choice);
  const writer = new BatchWriter((records) => store.writer.recordMany(job.guild, records));
  try {
    await readInto(writer, job, choice);
  } finally {
    tally.loaded = writer.written;
    tally.created = writer.created;
  }
}

async function replaceMembers(store: Store, job: LoadJob, choice: CurveChoice, tally: Tally): Promise<void> {
  const { guild, interrupt, reading } = job;
  tally.replaced = { removed: 0, repeated: 0 };
  const replacement = await withStoreErrors(Replacement.begin(store, guild));
  try {
    const writer = new BatchWriter((records) => replacement.stage(records));
    await readInto(writer, job, choice);
    if (reading.problems.count > 0)
      throw new Error(
        `${badRows(reading.problems.count)}: nothing was replaced. Correct them, or load without --replace`,
      );
    if (writer.created === 0) throw new Error('There are no members to put in place: nothing was replaced');
    interrupt.signal.throwIfAborted();
    await configure(store, job, choice);
    await swap(job, replacement, writer, tally);
  } finally {
    await replacement.end().catch(() => {
      // Redis is gone, and with it the way to clean up: the next --replace starts with that.
    });
  }
}

async function swap({ interrupt, reading }: LoadJob, replacement: Replacement, writer: BatchWriter, tally: Tally) {
  const signals = interrupt.becomePatient();
  let told = false;
  const { removed, done } = await replacement.swap(writer.created, (moved) => {
    tally.loaded = moved;
    if (signals() > 0 && !told) {
      told = true;
      reading.progress.write('Putting the new members in place; press Ctrl-C again to stop half-way.');
    }
    return signals() < 2;
  });
  if (done) tally.loaded = writer.created;
  tally.replaced = { removed, repeated: writer.written - writer.created };
  if (!done)
    throw new PartialResult('Stopped half-way: old and new members are mixed. Run it again to finish', INTERRUPTED);
}

/** Every row before the one that stops the reading is written. */
async function readInto(writer: BatchWriter, { reading }: LoadJob, { curve }: CurveChoice): Promise<void> {
  try {
    await readMembers(reading, (row) => writer.add(recordOf(row, curve)));
  } catch (error) {
    if (error instanceof StoreUnavailableError || reading.signal.aborted) await writer.settle();
    else await writer.finish();
    throw error;
  }
  await writer.finish();
}

async function configure(
  store: Store,
  { guild, plan }: LoadJob,
  { curve, store: storeCurve }: CurveChoice,
): Promise<void> {
  if (plan === undefined && !storeCurve) return;
  await store.audit.configure(guild, { ...(plan !== undefined && { plan }), ...(storeCurve && { xpCurve: curve }) });
  await withStoreErrors(store.client.publish(store.redisKeys.invalidationChannel, guild));
}

/** Says what stands after a run that did not come to its end. */
function endingOf(error: unknown, { loaded, replaced }: Tally, { reading }: LoadJob): Error {
  if (error instanceof PartialResult) return error;
  const state = replaced
    ? loaded > 0
      ? 'old and new members are mixed, the counters are true: run the same command again'
      : 'nothing was replaced'
    : `${loaded} members were loaded, the counters are true: run the same command again`;
  if (reading.signal.aborted) return new PartialResult(`Interrupted: ${state}`, INTERRUPTED);
  const { message } = error as Error;
  if (error instanceof StoreUnavailableError) {
    return new Error(`Redis refused or did not answer (${error.reason}): ${state}`);
  }
  return error instanceof DomainError ? new Error(`${message} (${state})`) : (error as Error);
}
