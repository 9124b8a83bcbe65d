import {
  type Curve,
  type CurveName,
  type CurveText,
  curveNameOf,
  DEFAULT_CURVE,
  levelForXp,
  parseCurve,
} from '../leaderboard/curves.ts';
import { chooseCurve, type FormatCurve } from './curve-choice.ts';
import { IncompleteRun } from './incomplete-run.ts';
import { badRows } from './problems.ts';
import { TopMembers } from './ranking.ts';
import { BadRowError, type Reading, readMembers } from './reading.ts';
import type { SeedRow } from './rows.ts';

const MEMBERS_SHOWN = 10;

export interface DryRunJob {
  readonly guild: string;
  readonly curve: CurveText | undefined;
  readonly formatCurve: FormatCurve | undefined;
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
  /** Members in the inputs, repeated ones included. */
  readonly rows: number;
  /** Bad rows. */
  readonly skipped: number;
  /** Hidden members among them. */
  readonly hidden: number;
  readonly total_xp: bigint;
  /** The first members, best first. */
  readonly top: readonly PreviewRow[];
}

export interface DryRunResult {
  readonly preview: Preview;
  /** Line about the curve, if there is something to know. */
  readonly notice: string | undefined;
  /** Error to report after the preview; undefined when every row is good. */
  readonly outcome: Error | undefined;
}

/** Reads all inputs and writes nothing. Returns what a new guild would show. Needs no Redis. */
export async function dryRun(reading: Reading, { guild, curve, formatCurve }: DryRunJob): Promise<DryRunResult> {
  const choice = chooseCurve(curve, formatCurve, { configured: null, members: 0 });
  const top = new TopMembers(MEMBERS_SHOWN);
  let outcome: Error | undefined;
  let rows = 0;
  let totalXp = 0n;
  try {
    await readMembers(reading, (row) => {
      rows++;
      if (row.hidden) return undefined;
      totalXp += BigInt(row.xp);
      top.add(row);
      return undefined;
    });
  } catch (error) {
    if (reading.signal.aborted) outcome = new IncompleteRun('Interrupted', 'interrupted');
    else if (error instanceof BadRowError) outcome = error;
    else throw error;
  }
  const { count: skipped, hidden } = reading.problems;
  if (skipped > 0) outcome ??= new IncompleteRun(`${badRows(skipped)} would be skipped`, 'skipped');
  const first = top.list().map((row, index) => previewRow(row, index + 1, parseCurve(choice.curve) ?? DEFAULT_CURVE));
  const preview: Preview = {
    guild,
    dry_run: true,
    curve: curveNameOf(choice.curve),
    rows,
    skipped,
    hidden,
    total_xp: totalXp,
    top: first,
  };
  return { preview, notice: choice.notice, outcome };
}

function previewRow({ userId, username, level, xp }: SeedRow, rank: number, curve: CurveName | Curve): PreviewRow {
  return { rank, user_id: userId, level: level ?? levelForXp(curve, xp), xp, username: username ?? userId };
}
