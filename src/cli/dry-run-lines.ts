import { digits, withNoun } from '../core/format-numbers.ts';
import type { DryRunResult } from '../imports/dry-run.ts';
import { avatarsLeftOut, badRows, hiddenMembers, repeatedRows } from '../imports/problems.ts';
import type { CommandContext } from './context.ts';
import { textTable } from './table.ts';

const MAX_NAME_LENGTH = 40;

/** Returns the lines that a dry run prints. */
export function dryRunLines(context: CommandContext, { preview, notice, levelNotice }: DryRunResult): string[] {
  const {
    guild,
    curve,
    members,
    repeated,
    repeated_exact,
    skipped,
    avatars_left_out: avatars,
    hidden,
    total_xp,
    top,
  } = preview;
  const total = [
    ...(hidden > 0 ? [hiddenMembers(hidden)] : []),
    `total XP ${digits(total_xp)}`,
    ...(repeated > 0 ? [repeatedRows(repeated)] : []),
    ...(repeated_exact ? [] : ['more rows may repeat a member']),
    ...(avatars > 0 ? [avatarsLeftOut(avatars)] : []),
    ...(skipped > 0 ? [badRows(skipped)] : []),
  ].join(', ');
  const lines = [
    `dry run for guild ${guild}, nothing was written: ${members === 0 ? 'no members' : withNoun(members, 'member')} in the input, ${total}`,
    notice ?? `curve: ${curve} (the default; a guild with another curve keeps that curve)`,
    ...(levelNotice ? [levelNotice] : []),
  ];
  if (top.length === 0) return lines;
  const cells = top.map(({ rank, user_id, level, xp, username }) => [
    String(rank),
    user_id,
    String(level),
    digits(xp),
    printable(username),
  ]);
  const style = { plain: true, alignRight: [0, 2, 3] };
  return [...lines, ...textTable(context, ['rank', 'user_id', 'level', 'xp', 'username'], cells, style)];
}

/** Returns a name without characters that could steer the terminal, and not too long. */
function printable(name: string): string {
  const clean = name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?');
  return clean.length > MAX_NAME_LENGTH ? `${clean.slice(0, MAX_NAME_LENGTH - 1)}…` : clean;
}
