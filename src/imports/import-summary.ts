import { digits, withNoun } from '../core/format-numbers.ts';
import type { CurveName } from '../core/ranking/curves.ts';
import { avatarsLeftOut, badRows, hiddenMembers, repeatedRows } from './problems.ts';

/** The result of a run, complete or not, with the field names of `--json`. */
export interface ImportSummary {
  readonly guild: string;
  readonly curve: CurveName | 'custom';
  /** Members that were written; of a replacement, the members that are in place after the swap. */
  readonly imported: number;
  /** Members that the guild did not have before. */
  readonly created: number;
  /** Rows that repeated a member of the inputs. */
  readonly repeated: number;
  /** Bad rows. */
  readonly skipped: number;
  /** Members that were imported without their avatar, because the avatar cannot be read. */
  readonly avatars_left_out: number;
  /** Hidden members that were imported. */
  readonly hidden: number;
  /** Only of a replacement: members removed. */
  readonly removed?: number;
  /** Only of a replacement whose last reply was lost: it is unknown whether the members were replaced. */
  readonly unknown?: true;
  readonly seconds: number;
  readonly members_per_second: number;
  /** Whether every good row was imported. */
  readonly complete: boolean;
}

/**
 * Returns the line that says what a run has imported.
 * @param whose the guild, in the words of the command or of the page that shows the line.
 */
export function summaryLine(summary: ImportSummary, whose = `guild ${summary.guild}`): string {
  const {
    imported,
    created,
    repeated,
    skipped,
    avatars_left_out: avatars,
    hidden,
    removed,
    unknown,
    complete,
  } = summary;
  if (unknown) return `${whose}: it is not known whether the members were replaced`;
  const isReplaced = removed !== undefined;
  const badRowsSkipped = skipped > 0 ? [`${badRows(skipped)} skipped`] : [];
  if (imported === 0) {
    const nothing = `${whose}: nothing was ${isReplaced ? 'replaced' : 'imported'}`;
    return [nothing, ...badRowsSkipped].join(': ');
  }
  const details = isReplaced
    ? [`${digits(removed)} removed`]
    : [`${digits(created)} new`, `${digits(Math.max(0, imported - created - hidden))} already there`];
  if (hidden > 0) details.push(hiddenMembers(hidden));
  if (repeated > 0) details.push(repeatedRows(repeated));
  if (avatars > 0) details.push(avatarsLeftOut(avatars));
  details.push(...badRowsSkipped);
  const verb = isReplaced ? 'replaced by' : 'imported';
  const start = complete ? '' : 'stopped early, ';
  return `${whose}: ${start}${verb} ${withNoun(imported, 'member')} ${paceOf(summary)}: ${details.join(', ')}`;
}

/** Returns how long a run took. A rate from less than a second says nothing. */
function paceOf({ seconds, members_per_second }: ImportSummary): string {
  return seconds < 1 ? 'in less than 1 s' : `in ${seconds.toFixed(1)} s (${digits(members_per_second)}/s)`;
}
