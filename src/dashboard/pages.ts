import type { GuildPage } from './guild-page.ts';
import { activityPage } from './pages/activity.ts';
import { keysPage } from './pages/keys.ts';
import { overviewPage } from './pages/overview.ts';
import { settingsPage } from './pages/settings.ts';

/** The pages of a guild, in the order of the navigation. */
export const GUILD_PAGES: readonly GuildPage[] = [overviewPage, keysPage, settingsPage, activityPage];
