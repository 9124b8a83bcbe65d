import { PartialResult } from '../cli/terminal.ts';
import { type CurveName, levelForXp } from '../leaderboard/curves.ts';
import { chooseCurve } from './curve-choice.ts';
import type { FormatName } from './formats.ts';
import { INTERRUPTED } from './interrupt.ts';
import { badRows } from './problems.ts';
import { TopMembers } from './ranking.ts';
import { BadRowError, type Reading, readMembers } from './reading.ts';
import type { SeedRow } from './rows.ts';

const SHOWN = 10;
const LONGEST_NAME = 40;

interface DryRunJob {
  readonly guild: string;
  readonly curve: CurveName | undefined;
  readonly formatCurve: { readonly curve: CurveName; readonly format: FormatName } | undefined;
}

/** Reads everything and writes nothing: what a new guild would show. Needs no Redis. */
export async function dryRun(reading: Reading, { guild, curve, formatCurve }: DryRunJob) {
  const choice = chooseCurve(curve, formatCurve, { configured: null, members: 0 });
  const top = new TopMembers(SHOWN);
  let ending: Error | undefined;
  let rows = 0;
  let totalXp = 0n;
  await readMembers(reading, (row) => {
    rows++;
    totalXp += BigInt(row.xp);
    top.add(row);
    return undefined;
  }).catch((error: Error) => {
    if (reading.signal.aborted) ending = new PartialResult('Interrupted', INTERRUPTED);
    else if (error instanceof BadRowError) ending = error;
    else throw error;
  });
  const skipped = reading.problems.count;
  if (skipped > 0) ending ??= new PartialResult(`${badRows(skipped)} would be skipped`, 2);
  const first = top.list().map((row, index) => tableRow(row, index + 1, choice.curve));
  const result = { guild, dry_run: true, curve: choice.curve, rows, skipped, total_xp: totalXp, top: first };
  const total = `total XP ${totalXp.toLocaleString('en-US')}${skipped > 0 ? `, ${badRows(skipped)}` : ''}`;
  const lines = [
    `dry run, nothing was written: guild ${guild}: ${rows.toLocaleString('en-US')} members in the input, ${total}`,
    choice.notice ?? `curve: ${choice.curve} (the default; a guild that has another keeps it)`,
    ...table(first),
  ];
  return { result, lines, ending };
}

function tableRow({ userId, username, level, xp }: SeedRow, rank: number, curve: CurveName) {
  return { rank, user_id: userId, level: level ?? levelForXp(curve, xp), xp, username: username ?? userId };
}

function table(rows: readonly ReturnType<typeof tableRow>[]): string[] {
  if (rows.length === 0) return [];
  const cells = rows.map(({ rank, user_id, level, xp, username }) => [
    String(rank),
    user_id,
    String(level),
    xp.toLocaleString('en-US'),
    printable(username),
  ]);
  const all = [['rank', 'user_id', 'level', 'xp', 'username'], ...cells];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((row) => (row[column] as string).length)));
  return all.map((row) =>
    row
      .map((cell, column) =>
        column === 4 ? cell : column === 1 ? cell.padEnd(widths[1] as number) : cell.padStart(widths[column] as number),
      )
      .join('  '),
  );
}

/** A name from a file must not steer the terminal. */
function printable(name: string): string {
  const clean = name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?');
  return clean.length > LONGEST_NAME ? `${clean.slice(0, LONGEST_NAME - 1)}…` : clean;
}
