import { type ExportedRules, RULE_SOURCES, type RuleSource, rulesOfExport } from './export-rules.ts';
import type { Input } from './inputs.ts';

/**
 * Returns the rules that came with the members, of the first input that has some; undefined when none has.
 * @throws InvalidInputError when its settings are none of the bot.
 */
export function rulesOfInputs(inputs: readonly Input[]): (ExportedRules & { readonly file: string }) | undefined {
  for (const { name, format, found } of inputs) {
    const source = RULE_SOURCES.find((each) => each === format);
    if (source && found && hasRules(source, found.settings)) {
      return { file: name, ...rulesOfExport(source, Object.fromEntries(found.settings), name) };
    }
  }
  return undefined;
}

/** The setting without which an export has no rules, by bot. */
const SIGNS: Readonly<Record<RuleSource, readonly string[]>> = {
  polaris: ['settings'],
  lurkr: ['roleRewards', 'multipliers'],
  mee6: ['role_rewards', 'xp_per_message'],
};

function hasRules(source: RuleSource, settings: ReadonlyMap<string, unknown>): boolean {
  return SIGNS[source].some((name) => settings.has(name));
}
