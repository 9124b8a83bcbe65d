import * as z from 'zod';
import type { CurveText } from '../core/ranking/curves.ts';
import type { FormatName } from './formats.ts';
import type { FoundMembers } from './found-members.ts';
import { curveOfSettings } from './polaris-settings.ts';

/** A setting that is left out has Polaris's default. */
const polarisSettings = z.object({
  curve: z.object({ 1: z.number().default(100), 2: z.number().default(50), 3: z.number().default(1) }).prefault({}),
  rounding: z.number().default(100),
  maxLevel: z.number().default(1000),
});

/** A setting that is left out has LevelUp's default: XP to reach level n is base n^exp. */
const levelUpAlgorithm = z.object({ base: z.number().default(100), exp: z.number().default(2) });

/**
 * Returns the curve in the settings of a file; undefined when the file has no such settings, or they make no curve.
 * @param guild the guild whose settings count in a file with several guilds.
 * @param write receives a line about levels that will differ from the levels of the bot.
 */
export function curveInSettings(
  format: FormatName | undefined,
  { settings }: FoundMembers,
  guild: string | undefined,
  file: string,
  write: (line: string) => void,
): CurveText | undefined {
  if (format === 'polaris' && settings.has('settings')) return polarisCurve(settings.get('settings'), file, write);
  if (format === 'levelup') {
    const algorithm =
      settings.get(guild === undefined ? 'algorithm' : `${guild}.algorithm`) ?? settings.get('algorithm');
    return algorithm === undefined ? undefined : levelUpCurve(algorithm, file, write);
  }
  return undefined;
}

/** Returns the curve in the settings of Polaris, and writes a line if some levels will begin at other XP. */
function polarisCurve(document: unknown, file: string, write: (line: string) => void): CurveText | undefined {
  const { data: settings } = polarisSettings.safeParse(document);
  const found = settings && curveOfSettings(settings);
  if (!found) write(`${file}: its settings make no curve: levels will differ from the levels that the bot showed`);
  else if (found.wrong > 0) {
    write(
      `${file}: ${found.wrong} of its ${settings.maxLevel} levels will begin at other XP, because its curve has many decimals`,
    );
  }
  return found?.curve;
}

/** Returns the curve of the algorithm of LevelUp; undefined for an exponent that no curve has. */
function levelUpCurve(document: unknown, file: string, write: (line: string) => void): CurveText | undefined {
  const { data } = levelUpAlgorithm.safeParse(document);
  if (data && Number.isInteger(data.base) && data.base > 0 && data.base <= 1_000_000) {
    if (data.exp === 1) return `custom=0,0,${data.base},0,1,1`;
    if (data.exp === 2) return `custom=0,${data.base},0,0,1,1`;
    if (data.exp === 3) return `custom=${data.base},0,0,0,1,1`;
  }
  write(
    `${file}: Guildrank has no curve for its levels (base ${data?.base}, exponent ${data?.exp}): levels will differ from the levels that the bot showed`,
  );
  return undefined;
}
