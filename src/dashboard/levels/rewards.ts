import { rowsOf } from './row-changes.ts';
import { REWARD_ENDS, rewardFields, rewardsOf } from './rules-form.ts';
import { RULES_PATH, type RulesPage } from './rules-page.ts';

const FIELDS = ['reward_level', 'reward_role', 'reward_end'] as const;

/** The roles that levels give, a row for each. */
export const rewardsPage: RulesPage = {
  path: `${RULES_PATH}/rewards`,
  template: 'rewards',
  title: 'Rewards',
  rows: { reward: { names: FIELDS, blank: ['', '', 'kept'] } },
  fields: rewardFields,
  part: rewardsOf,
  more: ({ values }) => ({ rewards: rowsOf(values, FIELDS), ends: Object.entries(REWARD_ENDS) }),
};
