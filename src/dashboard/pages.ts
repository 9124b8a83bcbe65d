import { accessPage } from './access/access.ts';
import { activityPage } from './activity/activity.ts';
import { boardsPage } from './boards/boards.ts';
import type { GuildPage } from './guild-page.ts';
import { importPage } from './import/import.ts';
import { keysPage } from './keys/keys.ts';
import { levelsPage } from './levels/levels.ts';
import { membersPage } from './members/members.ts';
import { overviewPage } from './overview/overview.ts';
import { publicPagePage } from './public-page/public-page.ts';
import type { NavigationGroup } from './views.ts';
import { widgetPage } from './widget/widget.ts';

const START = [overviewPage, membersPage];
const LEVELS = [levelsPage, boardsPage];
const SHARE = [publicPagePage, widgetPage, keysPage];
const DATA = [importPage, activityPage, accessPage];

/** The pages of a guild in the groups of the navigation. */
export const NAVIGATION: readonly NavigationGroup[] = [
  { label: '', pages: START },
  { label: 'Levels', pages: LEVELS },
  { label: 'Share', pages: SHARE },
  { label: 'Data', pages: DATA },
];

/** All pages of a guild. */
export const GUILD_PAGES: readonly GuildPage[] = [...START, ...LEVELS, ...SHARE, ...DATA];
