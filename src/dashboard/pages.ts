import type { GuildPage } from './guild-page.ts';
import { activityPage } from './pages/activity.ts';
import { importPage } from './pages/import.ts';
import { keysPage } from './pages/keys.ts';
import { membersPage } from './pages/members.ts';
import { overviewPage } from './pages/overview.ts';
import { settingsPage } from './pages/settings.ts';
import { widgetPage } from './pages/widget.ts';

/** The pages of a guild, in the order of the navigation. */
export const GUILD_PAGES: readonly GuildPage[] = [
  overviewPage,
  keysPage,
  widgetPage,
  importPage,
  membersPage,
  settingsPage,
  activityPage,
];
