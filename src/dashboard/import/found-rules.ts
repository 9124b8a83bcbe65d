import { InvalidInputError } from '../../core/errors.ts';
import { rulesInWords, rulesOfInputs } from '../../imports/import-rules.ts';
import type { LoadTarget } from '../../imports/load-job.ts';
import type { Progress, Reading } from '../../imports/read-members.ts';

/** Rules of a bot, checked, and the multiplier of all XP. */
export interface FoundRules {
  readonly text: string;
  readonly multiplier: number | undefined;
  /** What they say, in words. */
  readonly words: string;
}

/** Returns the checked rules that came with the members. Rules that do not fit are told, and not offered. */
export function rulesOf({ inputs }: Reading, progress: Progress): FoundRules | undefined {
  try {
    const found = rulesOfInputs(inputs);
    if (!found) return undefined;
    const words = rulesInWords(found.rules, found.multiplier);
    for (const notice of found.notices) progress.write(`rules: ${notice}`);
    return { text: JSON.stringify(found.rules), multiplier: found.multiplier, words };
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    progress.write(`the rules that came along do not fit: ${error.message}`);
    return undefined;
  }
}

/** Stores rules that came with members, and their multiplier, in the place of the present ones. @throws StoreUnavailableError */
export async function storeRules(
  { guildConfig }: LoadTarget,
  guild: string,
  { text, multiplier }: FoundRules,
): Promise<void> {
  await guildConfig.setRules(guild, text);
  if (multiplier !== undefined) await guildConfig.update(guild, { xpMultiplier: multiplier });
}
