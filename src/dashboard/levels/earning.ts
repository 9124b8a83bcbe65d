import { StatsCommand } from '../../core/reads/read-commands.ts';
import { earningFields, earningOf, VOICE_BOXES } from './rules-form.ts';
import { RULES_PATH, type RulesPage } from './rules-page.ts';
import { trialOf } from './trial.ts';

/**
 * The page about how members earn XP, by messages and in voice, and about members who earn no XP. The page also shows what a message would earn by
 * the stored rules.
 */
export const earningPage: RulesPage = {
  path: RULES_PATH,
  template: 'earning',
  title: 'XP and rewards',
  rows: {},
  fields: earningFields,
  part: earningOf,
  async more({ parts, guildId, rules, choices, query }) {
    const { value: stats } = await parts.commands.read(new StatsCommand(guildId));
    const trial = trialOf(rules, stats.xp_multiplier, choices, query);
    return { voiceBoxes: Object.entries(VOICE_BOXES), trial };
  },
};
