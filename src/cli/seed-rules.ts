import type { Core } from '../core/core.ts';
import { parseRules } from '../core/rules/parse-rules.ts';
import { rulesOfInputs } from '../imports/import-rules.ts';
import type { Input } from '../imports/inputs.ts';
import type { CommandContext } from './context.ts';
import type { SeedOptions } from './seed-options.ts';
import { UsageError } from './terminal.ts';

/** Returns the checked rules of the inputs, if a person wants them. @throws UsageError when the inputs have none. */
export function takeRules({ stderr }: CommandContext, { rules: wanted }: SeedOptions, inputs: readonly Input[]) {
  const rules = rulesOfInputs(inputs);
  if (!wanted) {
    if (rules) stderr.write(`${rules.file}: it has rules of XP and roles too: add --rules to store them\n`);
    return undefined;
  }
  if (!rules) throw new UsageError('--rules stores the rules that came with the members, and there are none');
  parseRules(rules.rules);
  for (const notice of rules.notices) stderr.write(`${rules.file}: ${notice}\n`);
  return rules;
}

/** Stores rules that came with the members, and their multiplier, in the place of the present ones. @throws StoreUnavailableError */
export async function storeRules(
  { guildConfig }: Core,
  guild: string,
  { rules, multiplier }: NonNullable<ReturnType<typeof takeRules>>,
): Promise<void> {
  await guildConfig.setRules(guild, JSON.stringify(rules));
  if (multiplier !== undefined) await guildConfig.update(guild, { xpMultiplier: multiplier });
}
