import type { GuildPage } from './guild-page.ts';
import { activityPage } from './pages/activity.ts';
import { overviewPage } from './pages/overview.ts';

/** The pages of a guild, in the order of the navigation. */
export const GUILD_PAGES: readonly GuildPage[] = [overviewPage, activityPage];
