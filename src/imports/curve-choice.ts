import { InvalidInputError } from '../core/errors.ts';
import { type CurveText, curveNameOf, curveTextOf } from '../core/ranking/curves.ts';
import type { Advice } from './advice.ts';
import { type FormatName, formatNamed } from './formats.ts';
import type { Input } from './inputs.ts';

/** The guild before the import. */
export interface GuildState {
  /** The curve as text in the config of the guild; null = the default curve. */
  readonly configured: string | null;
  /** Members in the ranking that will stay there. */
  readonly members: number;
}

/** The curve of the files or of their format. */
export interface FormatCurve {
  readonly curve: CurveText;
  readonly format: FormatName;
}

/** The curve that an import uses, and what becomes of the curve of the guild. */
export interface CurveChoice {
  /** Curve to count levels on. */
  readonly curve: CurveText;
  /** Whether to store it in the guild's config. */
  readonly store: boolean;
  /** Line for the person, if there is something to know. */
  readonly notice: string | undefined;
}

/**
 * Chooses the curve of the guild: the curve that a person names, else the guild's own curve, else, for a new guild, the curve of the files or of
 * their format.
 */
export function chooseCurve(
  explicit: CurveText | undefined,
  fromFormat: FormatCurve | undefined,
  { configured, members }: GuildState,
  advice: Advice,
): CurveChoice {
  const present = curveTextOf(configured ?? '');
  if (explicit) {
    const changes = members > 0 && explicit !== present;
    const effect = changes
      ? ` (instead of ${curveNameOf(present)}: the levels of all members of the guild change)`
      : '';
    return { curve: explicit, store: true, notice: `curve: ${explicit}${effect}` };
  }
  if (!fromFormat) return { curve: present, store: false, notice: undefined };
  const { curve, format } = fromFormat;
  const source = sourceOf(curve, format);
  if (configured === null && members === 0) return { curve, store: true, notice: `curve: ${curve} (${source})` };
  if (present === curve)
    return { curve, store: false, notice: `curve: ${curve} (${source}; the guild has it already)` };
  const kept =
    configured === null ? 'the default, by which the guild has members already' : 'as the guild is configured';
  return {
    curve: present,
    store: false,
    notice: `curve: ${curveNameOf(present)}, ${kept}. The bot ${format} uses the curve ${curve}: ${advice.switchCurve(curve)}`,
  };
}

/**
 * Returns the curve that all files have, in their settings or by their format; undefined when no file has a curve.
 * @throws InvalidInputError when two files have different curves.
 */
export function curveOfFiles(
  files: readonly Pick<Input, 'format' | 'curve'>[],
  advice: Advice,
): FormatCurve | undefined {
  let found: FormatCurve | undefined;
  for (const { format, curve: own } of files) {
    const curve = own ?? (format && formatNamed(format).curve);
    if (!format || !curve) continue;
    if (found && found.curve !== curve) {
      throw new InvalidInputError(
        `${found.format} has the curve ${found.curve}, and ${format} has the curve ${curve}: ${advice.nameCurve}`,
      );
    }
    found ??= { curve, format };
  }
  return found;
}

/** Says where the curve of an import comes from. */
function sourceOf(curve: CurveText, format: FormatName): string {
  if (format === 'tatsu') return 'the bot tatsu publishes no curve of its own';
  return curve === formatNamed(format).curve ? 'from the format' : 'from the file';
}
