import type { GuildPage } from '../guild-page.ts';
import { guildOf } from '../visit.ts';

/** Entries of each kind. */
const SHOWN = 200;

/** The audit log of the guild. */
export const activityPage: GuildPage = {
  path: '/activity',
  label: 'Activity',
  icon: 'history',
  addTo(router, { auditLog, views }) {
    router.get('/activity', async (_req, res) => {
      const entries = await auditLog.latest(guildOf(res), SHOWN);
      views.send(res, 'activity', { title: 'Activity', entries, shown: SHOWN });
    });
  },
};
