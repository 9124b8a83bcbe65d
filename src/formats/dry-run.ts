import { type CurveName, type CurveText, curveNameOf, levelForXp } from '../guild/ranking/curves.ts';
import { chooseCurve, type FormatCurve, type GuildState } from './curve-choice.ts';
import { IncompleteRun } from './incomplete-run.ts';
import { LevelCheck, type LevelChoice, recordOf } from './levels.ts';
import { badRows } from './problems.ts';
import { TopMembers } from './ranking.ts';
import { BadRowError, type Reading, readMembers } from './reading.ts';
import { Tally } from './tally.ts';

const MEMBERS_SHOWN = 10;
const NEW_GUILD: GuildState = { configured: null, members: 0 };

export interface DryRunJob {
  readonly guild: string;
  readonly curve: CurveText | undefined;
  readonly formatCurve: FormatCurve | undefined;
  /** The guild as it is; a new one unless given. */
  readonly state?: GuildState;
  /** Undefined = refuse levels that the curve does not give. */
  readonly levels: LevelChoice | undefined;
  /** Members that are told apart, as {@link Tally} takes it. */
  readonly maxDistinct: number;
}

/** A member as the leaderboard of a new guild would show it. */
export interface PreviewRow {
  readonly rank: number;
  readonly user_id: string;
  readonly level: number;
  readonly xp: number;
  readonly username: string;
}

/** The result of a dry run, with the field names of `--json`. */
export interface Preview {
  readonly guild: string;
  readonly dry_run: true;
  readonly curve: CurveName | 'custom';
  /** Good rows of the inputs. */
  readonly rows: number;
  /** Members among them; a load leaves the last row of each. */
  readonly members: number;
  /** Rows that named a member again. */
  readonly repeated: number;
  /** Whether all of these were recognized. */
  readonly repeated_exact: boolean;
  /** Bad rows. */
  readonly skipped: number;
  /** Hidden members among them. */
  readonly hidden: number;
  /** Rows with a level that they do not call explicit or not. */
  readonly levels: number;
  /** Those whose level the curve does not give. */
  readonly differing_levels: number;
  readonly total_xp: bigint;
  /** The first members, best first. */
  readonly top: readonly PreviewRow[];
}

export interface DryRunResult {
  readonly preview: Preview;
  /** Line about the curve, if there is something to know. */
  readonly notice: string | undefined;
  /** Line about levels that the curve does not give, if there are some and it was chosen what becomes of them. */
  readonly levelNotice: string | undefined;
  /** Error to report after the preview; undefined when every row is good. */
  readonly outcome: Error | undefined;
}

/** Reads all inputs and writes nothing. Returns what a new guild would show. Needs no Redis. */
export async function dryRun(
  reading: Reading,
  { guild, curve, formatCurve, state = NEW_GUILD, levels, maxDistinct }: DryRunJob,
): Promise<DryRunResult> {
  const choice = chooseCurve(curve, formatCurve, state, reading.progress.advice);
  const check = new LevelCheck(choice.curve);
  const tally = new Tally(maxDistinct);
  const top = new TopMembers(MEMBERS_SHOWN);
  let outcome: Error | undefined;
  try {
    await readMembers(reading, (row) => {
      check.add(row);
      if (tally.add(row)) top.remove(row.userId);
      else top.add(row);
      return undefined;
    });
  } catch (error) {
    if (reading.signal.aborted) outcome = new IncompleteRun('Interrupted', 'interrupted');
    else if (error instanceof BadRowError) outcome = error;
    else throw error;
  }
  const { count: skipped } = reading.problems;
  const { rows, members, repeated, hidden, totalXp, isExact } = tally;
  const { differing } = check;
  if (differing > 0 && !levels) outcome ??= new IncompleteRun(check.refusal(reading.progress.advice), 'levels');
  if (skipped > 0) outcome ??= new IncompleteRun(`${badRows(skipped)} would be skipped`, 'skipped');
  const first = top.list().map((row, index) => {
    const level = recordOf(row, check.curve, levels).profile.level ?? levelForXp(check.curve, row.xp);
    return { rank: index + 1, user_id: row.userId, level, xp: row.xp, username: row.username ?? row.userId };
  });
  const preview: Preview = {
    guild,
    dry_run: true,
    curve: curveNameOf(choice.curve),
    rows,
    members,
    repeated,
    repeated_exact: isExact,
    skipped,
    hidden,
    levels: check.compared,
    differing_levels: differing,
    total_xp: totalXp,
    top: first,
  };
  const levelNotice = differing > 0 && levels ? check.notice(levels) : undefined;
  return { preview, notice: choice.notice, levelNotice, outcome };
}
