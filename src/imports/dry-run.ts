import { curveNameOf, levelForXp } from '../core/ranking/curves.ts';
import { chooseCurve, type GuildState } from './curve-choice.ts';
import type { ImportJob } from './import-job.ts';
import { fileRecordOf, LevelCheck } from './level-check.ts';
import { IncompleteRun } from './outcome.ts';
import { badRows } from './problems.ts';
import { BadRowError, type Reading, readMembers } from './read-members.ts';
import { Tally } from './tally.ts';
import { TopMembers } from './top-members.ts';

const MEMBERS_SHOWN = 10;
const NEW_GUILD: GuildState = { configured: null, members: 0 };

/** What a dry run compares the inputs with. */
interface DryRunJob extends Pick<ImportJob, 'guild' | 'curve' | 'formatCurve' | 'levels' | 'maxDistinct'> {
  /** The present state of the guild; if left out, the guild is new. */
  readonly state?: GuildState;
}

/** The result of a dry run. */
export type DryRunResult = Awaited<ReturnType<typeof dryRun>>;

/** Reads all inputs and writes nothing. Returns what a new guild would show. Needs no Redis. */
export async function dryRun(
  reading: Reading,
  { guild, curve, formatCurve, state = NEW_GUILD, levels, maxDistinct }: DryRunJob,
) {
  const choice = chooseCurve(curve, formatCurve, state, reading.progress.advice);
  const check = new LevelCheck(choice.curve);
  const tally = new Tally(maxDistinct);
  const top = new TopMembers(MEMBERS_SHOWN);
  let outcome: Error | undefined;
  try {
    await readMembers(reading, (row, position) => {
      check.add(row);
      const { isHidden, isRepeated } = tally.add(row);
      if (isRepeated) reading.problems.addRepeated(position, row.userId);
      if (isHidden) top.remove(row.userId);
      else top.add(row);
      return undefined;
    });
  } catch (error) {
    if (reading.signal.aborted) outcome = new IncompleteRun('Interrupted', 'interrupted');
    else if (error instanceof BadRowError) outcome = error;
    else throw error;
  }
  const { count: skipped } = reading.problems;
  const { differing } = check;
  if (differing > 0 && !levels) outcome ??= new IncompleteRun(check.refusal(reading.progress.advice), 'levels');
  if (skipped > 0) outcome ??= new IncompleteRun(`${badRows(skipped)} would be skipped`, 'skipped');
  return {
    /** What the inputs have, with the field names of `--json`. */
    preview: {
      guild,
      dry_run: true,
      curve: curveNameOf(choice.curve),
      /** Good rows of the inputs. */
      rows: tally.rows,
      /** Members of these rows. An import stores the last row of each member. */
      members: tally.members,
      /** Rows that repeat a member. */
      repeated: tally.repeated,
      /** Whether `repeated` counts all such rows. */
      repeated_exact: tally.isExact,
      /** Bad rows. */
      skipped,
      /** Good rows whose avatar cannot be read, and would be left out. */
      avatars_left_out: reading.problems.avatarCount,
      /** Hidden members. */
      hidden: tally.hidden,
      /** Rows with a level that do not say whether the level is explicit. */
      levels: check.compared,
      /** Rows of `levels` whose level the curve does not give for their XP. */
      differing_levels: differing,
      total_xp: tally.totalXp,
      /** The first members as the leaderboard of a new guild would show them, best first. */
      top: top.list().map((row, index) => {
        const level = fileRecordOf(row, check.curve, levels).level ?? levelForXp(check.curve, row.xp);
        return { rank: index + 1, user_id: row.userId, level, xp: row.xp, username: row.username ?? row.userId };
      }),
    },
    /** Line about the curve, if there is something to know. */
    notice: choice.notice,
    /** Line about levels that the curve does not give, if there are any and a person has chosen what to do with them. */
    levelNotice: differing > 0 && levels ? check.notice(levels) : undefined,
    /** Error to report after the preview; undefined when every row is good. */
    outcome,
  };
}
