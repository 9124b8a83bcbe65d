import type { GuildPage } from '../guild-page.ts';
import { addCurve, CURVE_PATH } from './curve.ts';
import { earningPage } from './earning.ts';
import { addMultiplier, MULTIPLIER_PATH, multipliersPage } from './multipliers.ts';
import { rewardsPage } from './rewards.ts';
import { addRulesFile, RULES_UPLOAD } from './rules-file.ts';
import { addRulesPage } from './rules-page.ts';

/** How members earn XP, and the roles that levels give: a page for each part of the rules, a page for the curve, and a page for files. */
export const levelsPage: GuildPage = {
  path: earningPage.path,
  label: 'XP and rewards',
  icon: 'sparkles',
  alsoAt: [CURVE_PATH, MULTIPLIER_PATH],
  uploads: [RULES_UPLOAD],
  addTo(router, parts) {
    addRulesFile(router, parts);
    for (const page of [earningPage, rewardsPage, multipliersPage]) addRulesPage(router, parts, page);
    addMultiplier(router, parts);
    addCurve(router, parts);
  },
};
