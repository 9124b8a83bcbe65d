import { StatsRead } from '../../core/reads/reader.ts';
import { earningFields, earningOf, VOICE_BOXES } from './rules-form.ts';
import { RULES_PATH, type RulesPage } from './rules-page.ts';
import { trialOf } from './trial.ts';

/** How members earn XP: messages, voice, and who earns none; with a trial of the rules that are stored. */
export const earningPage: RulesPage = {
  path: RULES_PATH,
  template: 'earning',
  title: 'XP and rewards',
  rows: {},
  fields: earningFields,
  part: earningOf,
  async more({ parts, guildId, rules, choices, query }) {
    const { value: stats } = await parts.commands.read(new StatsRead(guildId));
    const trial = trialOf(rules, stats.xp_multiplier, choices, query);
    return { voiceBoxes: Object.entries(VOICE_BOXES), trial };
  },
};
