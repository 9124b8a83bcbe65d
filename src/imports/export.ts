import { type CurveText, curveTextOf, levelForXp } from '../core/ranking/curves.ts';
import { curveOf } from '../core/reads/read-commands.ts';
import type { StoredMember, StoredMembersAt } from '../core/reads/stored-members.ts';
import { csvLine } from './csv-line.ts';
import { OWN_NAMES } from './fields.ts';
import { settingsOfCurve } from './polaris-settings.ts';

/** The formats that an export can have. The seed command reads them. */
export const EXPORT_FORMATS = ['csv', 'ndjson', 'polaris'] as const;
/** The name of a format of {@link EXPORT_FORMATS}. */
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** What an export contained. It is complete once the last piece of the text was read. */
export interface ExportResult {
  members: number;
  hidden: number;
  /** The revision at which all members were read; undefined when the guild changed during the export. */
  revision: string | undefined;
  /** The curve to name at the import, because the file does not contain it; undefined when it does, or for the default curve. */
  curve: CurveText | undefined;
}

/** Returns the text of an export, in pieces, and fills in its result. @throws as StoredMembers.readAll. */
export async function* exportText(
  steps: AsyncIterable<StoredMembersAt>,
  format: ExportFormat,
  result: ExportResult,
): AsyncGenerator<string> {
  let isFirst = true;
  let separator = '';
  for await (const { revision, curve: text, members } of steps) {
    const curve = curveOf(text);
    if (isFirst) {
      result.revision = revision;
      const settings = format === 'polaris' ? settingsOfCurve(curve) : undefined;
      const named = curveTextOf(text);
      result.curve = settings || (format !== 'polaris' && named === 'standard') ? undefined : named;
      if (format === 'csv') yield `${Object.values(OWN_NAMES).join(',')}\n`;
      if (format === 'polaris') yield `{${settings ? `"settings":${JSON.stringify(settings)},` : ''}"users":{`;
    } else if (result.revision !== revision) result.revision = undefined;
    isFirst = false;
    let piece = '';
    for (const member of members) {
      result.members++;
      if (member.hidden) result.hidden++;
      const level = member.level ?? levelForXp(curve, member.xp);
      if (format === 'polaris') piece += `${separator}\n${polarisPair(member)}`;
      else piece += lineOf(record(member, level), format);
      separator = ',';
    }
    if (piece !== '') yield piece;
  }
  if (format === 'polaris') yield '\n}}\n';
}

/** Returns a member with the field names of Guildrank's own files, in the order of their columns. */
function record({ level, hiddenReasons, ...member }: StoredMember, shown: number) {
  const values = {
    ...member,
    level: shown,
    explicitLevel: level !== null,
    hiddenReasons: member.hidden ? hiddenReasons.join(' ') : null,
  };
  return Object.fromEntries(
    Object.entries(OWN_NAMES).map(([name, column]) => [column, values[name as keyof typeof values]]),
  );
}

/** Returns a row as a line. */
export function lineOf(row: Readonly<Record<string, unknown>>, format: 'csv' | 'ndjson'): string {
  return format === 'csv' ? csvLine(Object.values(row)) : `${JSON.stringify(row)}\n`;
}

/** Returns a member as the pair of a name and a value in an object of JSON, as Polaris has its members. */
function polarisPair({ userId, xp, hidden }: StoredMember): string {
  return `${JSON.stringify(userId)}:${JSON.stringify({ xp, ...(hidden && { hidden }) })}`;
}
