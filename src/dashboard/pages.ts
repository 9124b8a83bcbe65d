import { activityPage } from './activity/activity.ts';
import type { GuildPage } from './guild-page.ts';
import { importPage } from './import/import.ts';
import { keysPage } from './keys/keys.ts';
import { membersPage } from './members/members.ts';
import { overviewPage } from './overview/overview.ts';
import { settingsPage } from './settings/settings.ts';
import { widgetPage } from './widget/widget.ts';

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
