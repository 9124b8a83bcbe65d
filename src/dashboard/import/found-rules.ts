import { InvalidInputError } from '../../core/errors.ts';
import type { ExportedRules } from '../../imports/export-rules.ts';
import { rulesInWords, rulesOfInputs } from '../../imports/import-rules.ts';
import type { ImportProgress, Reading } from '../../imports/read-members.ts';

/** The checked rules of a bot, and its multiplier of all XP. */
export interface FoundRules extends Pick<ExportedRules, 'rules' | 'multiplier'> {
  /** The rules in words. */
  readonly words: string;
}

/** Returns the checked rules that came with the members. For wrong rules, writes a line and returns undefined. */
export function rulesOf({ inputs }: Reading, progress: ImportProgress): FoundRules | undefined {
  try {
    const found = rulesOfInputs(inputs);
    if (!found) return undefined;
    const words = rulesInWords(found.rules, found.multiplier);
    for (const notice of found.notices) progress.write(`rules: ${notice}`);
    return { ...found, words };
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    progress.write(`the file has rules too, which are not offered because they are wrong: ${error.message}`);
    return undefined;
  }
}
