import { InvalidInputError } from '../../core/errors.ts';
import { rulesInWords, rulesOfInputs } from '../../imports/import-rules.ts';
import type { LoadTarget } from '../../imports/load-job.ts';
import type { Progress, Reading } from '../../imports/read-members.ts';

/** The checked rules of a bot, and its multiplier of all XP. */
export interface FoundRules {
  readonly text: string;
  readonly multiplier: number | undefined;
  /** The rules in words. */
  readonly words: string;
}

/** Returns the checked rules that came with the members. For wrong rules, writes a line and returns undefined. */
export function rulesOf({ inputs }: Reading, progress: Progress): FoundRules | undefined {
  try {
    const found = rulesOfInputs(inputs);
    if (!found) return undefined;
    const words = rulesInWords(found.rules, found.multiplier);
    for (const notice of found.notices) progress.write(`rules: ${notice}`);
    return { text: JSON.stringify(found.rules), multiplier: found.multiplier, words };
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    progress.write(`the file has rules too, which are not offered because they are wrong: ${error.message}`);
    return undefined;
  }
}

/** Replaces the rules of a guild by rules that came with members, and its multiplier too if they have one. @throws StoreUnavailableError */
export async function storeFoundRules(
  { guildConfig }: LoadTarget,
  guild: string,
  { text, multiplier }: FoundRules,
): Promise<void> {
  await guildConfig.setRules(guild, text);
  if (multiplier !== undefined) await guildConfig.update(guild, { xpMultiplier: multiplier });
}
