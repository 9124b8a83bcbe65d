import { InvalidInputError } from '../errors.ts';
import type { CurveName } from '../leaderboard/curves.ts';
import { curveNameOf } from '../leaderboard/curves.ts';
import { type FormatName, formatNamed } from './formats.ts';

/** The guild as it is found. */
export interface GuildState {
  /** The curve in its config, or null. */
  readonly configured: string | null;
  /** Members in the ranking that will stay there. */
  readonly members: number;
}

export interface CurveChoice {
  /** By which levels are counted. */
  readonly curve: CurveName;
  /** Whether it is to be stored in the guild's config. */
  readonly store: boolean;
  /** For the person, where there is something to know. */
  readonly notice: string | undefined;
}

/**
 * Which curve the guild counts by from now on. An explicit one wins; else the one it has; else, for a guild that is
 * new, the one of the files' format.
 */
export function chooseCurve(
  explicit: CurveName | undefined,
  fromFormat: { readonly curve: CurveName; readonly format: FormatName } | undefined,
  { configured, members }: GuildState,
): CurveChoice {
  if (explicit) return { curve: explicit, store: true, notice: `curve: ${explicit}` };
  const present = curveNameOf(configured ?? '');
  if (!fromFormat) return { curve: present, store: false, notice: undefined };
  const { curve, format } = fromFormat;
  const source = format === 'tatsu' ? 'tatsu publishes none of its own' : 'from the format';
  if (configured === null && members === 0) return { curve, store: true, notice: `curve: ${curve} (${source})` };
  if (present === curve)
    return { curve, store: false, notice: `curve: ${curve} (${source}; the guild has it already)` };
  const kept =
    configured === null ? 'the default, by which the guild has members already' : 'as the guild is configured';
  return {
    curve: present,
    store: false,
    notice: `curve: ${present} (${kept}; ${format} counts by ${curve}: add --curve ${curve} to switch)`,
  };
}

/**
 * The curve that the files' formats agree on; undefined when none of them has one.
 * @throws InvalidInputError when they do not agree.
 */
export function curveOfFormats(formats: readonly FormatName[]) {
  let found: { curve: CurveName; format: FormatName } | undefined;
  for (const format of formats) {
    const { curve } = formatNamed(format);
    if (!curve) continue;
    if (found && found.curve !== curve) {
      throw new InvalidInputError(
        `${found.format} counts levels by the curve ${found.curve}, ${format} by ${curve}: name one with --curve`,
      );
    }
    found ??= { curve, format };
  }
  return found;
}
