import type { Core } from '../core/core.ts';
import { rulesInWords, rulesOfInputs } from '../imports/import-rules.ts';
import type { Input } from '../imports/inputs.ts';
import type { SeedOptions } from './seed-options.ts';
import type { SeedReport } from './seed-report.ts';
import { UsageError } from './terminal.ts';

/**
 * Returns the checked rules of the inputs, and the same in words; undefined without --rules.
 * @throws UsageError when --rules is given and the inputs have no rules.
 */
export function takeRules({ note }: SeedReport, { rules: wanted }: SeedOptions, inputs: readonly Input[]) {
  const rules = rulesOfInputs(inputs);
  if (!wanted) {
    if (rules) note(`${rules.file}: it has rules of XP and roles too, which are not loaded: add --rules to store them`);
    return undefined;
  }
  if (!rules) throw new UsageError('--rules stores the rules that came with the members, and there are none');
  const words = rulesInWords(rules.rules, rules.multiplier);
  for (const notice of rules.notices) note(`${rules.file}: ${notice}`);
  return { ...rules, words };
}

/** Replaces the rules of a guild by the rules that came with the members, and its multiplier too if they name one. @throws StoreUnavailableError */
export async function storeTakenRules(
  { guildConfig }: Core,
  guild: string,
  { rules, multiplier }: NonNullable<ReturnType<typeof takeRules>>,
): Promise<void> {
  await guildConfig.setRules(guild, JSON.stringify(rules));
  if (multiplier !== undefined) await guildConfig.update(guild, { xpMultiplier: multiplier });
}
