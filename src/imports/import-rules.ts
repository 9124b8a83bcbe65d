import { digits } from '../core/format-numbers.ts';
import type { XpAmount } from '../core/members/gain-limits.ts';
import { parseRules } from '../core/rules/parse-rules.ts';
import type { GuildConfig } from '../core/settings/guild-config.ts';
import { type ExportedRules, RULE_SOURCES, type RuleSource, rulesOfExport } from './export-rules.ts';
import type { Input } from './inputs.ts';

/**
 * Returns the rules of the first input that has rules beside its members; undefined when no input has rules.
 * @throws InvalidInputError when the settings of that input are not as the bot writes them.
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

/** Settings by bot: an export without any of them has no rules. */
const SIGNS: Readonly<Record<RuleSource, readonly string[]>> = {
  polaris: ['settings'],
  lurkr: ['roleRewards', 'multipliers'],
  mee6: ['role_rewards', 'xp_per_message'],
};

/** Whether an export of a bot has any of the settings in which the bot keeps its rules. */
function hasRules(source: RuleSource, settings: ReadonlyMap<string, unknown>): boolean {
  return SIGNS[source].some((name) => settings.has(name));
}

/**
 * Replaces the rules of a guild by the rules of a file, and its multiplier too if the file has a multiplier.
 * @throws StoreUnavailableError
 */
export async function storeRules(
  guildConfig: GuildConfig,
  guild: string,
  { rules, multiplier }: Pick<ExportedRules, 'rules' | 'multiplier'>,
): Promise<void> {
  await guildConfig.setRules(guild, JSON.stringify(rules));
  if (multiplier !== undefined) await guildConfig.update(guild, { xpMultiplier: multiplier });
}

/**
 * Says rules in words, such as "15 to 25 XP a message, at most once in 60 s, 2 reward roles".
 * @param document rules as {@link parseRules} takes them.
 * @param multiplier the multiplier of all XP; undefined for 1.
 * @throws InvalidInputError as {@link parseRules}.
 */
export function rulesInWords(document: unknown, multiplier: number | undefined): string {
  const { message, rewards, multipliers, noXp } = parseRules(document);
  const seconds = digits(message.cooldownMs / 1000);
  const parts = [
    `${amountInWords(message.xp)} a message, at most once in ${seconds} s`,
    ...counted(rewards, 'reward role'),
    ...counted(Object.keys(multipliers.roles), 'role with a multiplier', 'roles with multipliers'),
    ...counted(Object.keys(multipliers.channels), 'channel with a multiplier', 'channels with multipliers'),
    ...counted(noXp.roles, 'role without XP', 'roles without XP'),
    ...counted(noXp.channels, 'channel without XP', 'channels without XP'),
    ...(multiplier === undefined ? [] : [`all XP times ${multiplier}`]),
  ];
  return parts.join(', ');
}

/** Says an amount of XP, such as "15 to 25 XP". */
function amountInWords(xp: XpAmount): string {
  return typeof xp === 'number' ? `${digits(xp)} XP` : `${digits(xp.min)} to ${digits(xp.max)} XP`;
}

/** Says how long a list is, such as "2 reward roles"; nothing for an empty list. */
function counted(list: readonly unknown[], one: string, several = `${one}s`): string[] {
  if (list.length === 0) return [];
  return [list.length === 1 ? `1 ${one}` : `${digits(list.length)} ${several}`];
}
