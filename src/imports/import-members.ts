import { InvalidInputError, StoreUnavailableError } from '../core/errors.ts';
import { withNoun } from '../core/format-numbers.ts';
import type { XpRecord } from '../core/members/xp-record.ts';
import { curveNameOf } from '../core/ranking/curves.ts';
import { publishInvalidation } from '../core/store/store.ts';
import { type CurveChoice, chooseCurve, type GuildState } from './curve-choice.ts';
import { DistinctMembers } from './distinct-members.ts';
import { hideAndImport } from './hide-and-import.ts';
import type { ImportJob, ImportTarget } from './import-job.ts';
import type { ImportSummary } from './import-summary.ts';
import { compareLevels, fileRecordOf, LevelCheck } from './level-check.ts';
import { type ImportCounts, IncompleteRun, outcomeOf } from './outcome.ts';
import { badRows, type Problems, type RowPosition } from './problems.ts';
import { readMembers } from './read-members.ts';
import { RecordSender } from './record-sender.ts';
import { withStagedMembers } from './staging.ts';

/** Reads the state of a guild before an import. One round trip, O(1). @throws StoreUnavailableError */
export async function readGuildState(
  target: Pick<ImportTarget, 'client' | 'redisKeys'>,
  guild: string,
  replace: boolean,
): Promise<GuildState> {
  const keys = target.redisKeys.guild(guild);
  const [[name, coefficients], members] = await Promise.all([
    target.client.hmget(keys.config, 'xp_curve', 'xp_curve_custom'),
    target.client.zcard(keys.xp),
  ]);
  const configured = name === 'custom' ? `custom=${coefficients}` : (name ?? null);
  return { configured, members: replace ? 0 : members };
}

/**
 * Imports the members of the inputs into a guild. However the import ends, the counters of the guild are exact.
 * @returns the summary, and the error to report after it; undefined when everything was imported.
 */
export async function importMembers(target: ImportTarget, job: ImportJob) {
  const { guild, reading, replace } = job;
  const { problems } = reading;
  const state = await readGuildState(target, guild, replace);
  const choice = chooseCurve(job.curve, job.formatCurve, state, reading.progress.advice);
  if (choice.notice) reading.progress.write(choice.notice);

  const start = performance.now();
  const counts: ImportCounts = {
    members: new DistinctMembers(job.maxDistinct),
    imported: 0,
    created: 0,
    repeated: 0,
    ...(replace && { removed: 0 }),
  };
  let outcome: Error | undefined;
  try {
    await refuseLevels(job, choice);
    if (replace) await replaceMembers(target, job, choice, counts, state);
    else await addMembers(target, job, choice, counts);
    if (problems.count > 0)
      outcome = new IncompleteRun(
        `${counts.imported > 0 ? 'all other rows are imported' : 'there are no other rows'}: correct the bad rows, and ${reading.progress.advice.runAgain}`,
        'skipped',
      );
  } catch (error) {
    outcome = outcomeOf(error, counts, reading);
  }
  const complete = outcome === undefined || (outcome instanceof IncompleteRun && outcome.reason === 'skipped');
  const seconds = (performance.now() - start) / 1000;
  const { members, imported, created, repeated, removed } = counts;
  const summary: ImportSummary = {
    guild,
    curve: curveNameOf(choice.curve),
    imported,
    created,
    repeated,
    skipped: problems.count,
    avatars_left_out: problems.avatarCount,
    // After an early end, the number of hidden members that were written is unknown.
    hidden: complete ? members.hidden : 0,
    ...(removed !== undefined && { removed }),
    ...(counts.isSwapSent && !complete && { unknown: true as const }),
    seconds: Math.round(seconds * 1000) / 1000,
    members_per_second: Math.round(imported / Math.max(seconds, 0.001)),
    complete,
  };
  return { summary, outcome };
}

/**
 * Compares the levels before anything is written.
 * @throws IncompleteRun when levels differ from the curve, and nobody has chosen what to do with them.
 */
async function refuseLevels({ levels, reading }: ImportJob, choice: CurveChoice): Promise<void> {
  const inputs = reading.inputs.filter(({ hasLevels }) => hasLevels);
  if (levels !== undefined || inputs.length === 0) return;
  const check = new LevelCheck(choice.curve);
  await compareLevels({ ...reading, inputs }, check);
  if (check.differing > 0) throw new IncompleteRun(check.refusal(reading.progress.advice), 'levels');
}

/** Writes the members into the guild, beside the members that it has. @throws as {@link sendMembers}. */
async function addMembers(
  target: ImportTarget,
  job: ImportJob,
  choice: CurveChoice,
  counts: ImportCounts,
): Promise<void> {
  const { members } = counts;
  let configured: Promise<void> | undefined;
  // The configuration changes only with the first members, so that levels which are refused at the beginning of a pipe change nothing.
  const configure = () => (configured ??= updateConfig(target, job, choice));
  const sender = new RecordSender(
    async (records) => {
      await configure();
      return hideAndImport(target, job.guild, records);
    },
    countIn(members, job.reading.problems),
  );
  try {
    // `sender.created` does not count hidden members, because they are never new to the ranking.
    await sendMembers(sender, job, choice, () => sender.created + members.hidden);
    await configure();
  } finally {
    counts.repeated = members.repeated;
    counts.imported = Math.max(sender.created, sender.written - members.repeated);
    counts.created = sender.created;
  }
}

/**
 * Puts the members in the place of all present members, at one moment.
 * @throws Error when there are bad rows, or no members; and as {@link sendMembers}.
 */
async function replaceMembers(
  target: ImportTarget,
  job: ImportJob,
  choice: CurveChoice,
  counts: ImportCounts,
  { configured }: GuildState,
): Promise<void> {
  const { guild, reading } = job;
  await withStagedMembers(target, guild, choice.curve, job.plan, async (staged) => {
    const sender = new RecordSender((records) => staged.stage(records), countIn(counts.members, reading.problems));
    await sendMembers(sender, job, choice, () => sender.created);
    if (reading.problems.count > 0)
      throw new Error(
        `${badRows(reading.problems.count)}: nothing was replaced. Correct them, or ${reading.progress.advice.importWithoutReplacing}`,
      );
    if (sender.created === 0) throw new Error('There are no members to put in place: nothing was replaced');
    reading.signal.throwIfAborted();
    job.holdExit?.();
    counts.isSwapSent = true;
    const removed = await staged.countUnstaged();
    // If the owner changes the curve during the import, only a curve that a person has named for this import may replace it.
    await staged.putInPlace(job.curve === undefined ? (configured ?? '') : undefined);
    counts.removed = removed;
    counts.imported = sender.created;
    counts.repeated = sender.written - sender.created;
    await publishInvalidation(target, guild);
  });
}

/**
 * Reads and sends all members. If the reading stops early, the rows before that point are still written. If nobody has chosen what to do with
 * levels that differ from the curve, nothing is sent from the first such level on.
 * @param countCreated returns the number of new members so far.
 * @throws IncompleteRun for such levels, after all of them are counted; InvalidInputError for more new members than the job allows.
 */
async function sendMembers(
  sender: RecordSender,
  { reading, levels, maxCreated = Number.POSITIVE_INFINITY }: ImportJob,
  choice: CurveChoice,
  countCreated: () => number,
): Promise<void> {
  const check = new LevelCheck(choice.curve);
  const isRefused = () => levels === undefined && check.differing > 0;
  try {
    await readMembers(reading, (row, position) => {
      check.add(row);
      if (countCreated() > maxCreated)
        throw new InvalidInputError(`It has more than ${withNoun(maxCreated, 'member')}`);
      return isRefused() ? undefined : sender.add(fileRecordOf(row, check.curve, levels), position);
    });
  } catch (error) {
    if (error instanceof StoreUnavailableError || reading.signal.aborted || isRefused()) await sender.settle();
    else await sender.finish();
    throw error;
  }
  if (isRefused()) {
    await sender.drop();
    throw new IncompleteRun(check.refusal(reading.progress.advice), 'levels');
  }
  await sender.finish();
  if (levels && check.differing > 0) reading.progress.write(check.notice(levels));
}

/** Returns a function that counts the member of a record which Redis confirmed, and reports a row that repeats a member. */
function countIn(members: DistinctMembers, problems: Problems): (record: XpRecord, position: RowPosition) => void {
  return ({ userId, hidden }, position) => {
    if (members.add({ userId, hidden })) problems.addRepeated(position, userId);
  };
}

/** Stores the plan and the curve of the guild, where the import changes them. */
async function updateConfig(
  { guildConfig }: ImportTarget,
  { guild, plan }: ImportJob,
  { curve, store: storeCurve }: CurveChoice,
): Promise<void> {
  if (plan === undefined && !storeCurve) return;
  await guildConfig.update(guild, { ...(plan !== undefined && { plan }), ...(storeCurve && { xpCurve: curve }) });
}
