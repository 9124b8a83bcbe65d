import type { GuildPage } from '../guild-page.ts';
import { guildOf } from '../visit.ts';

const SHOWN = 200;

/** The audit log of the guild. */
export const activityPage: GuildPage = {
  path: '/activity',
  label: 'Activity',
  addTo(router, { auditLog, views }) {
    router.get('/activity', async (_req, res) => {
      views.send(res, 'activity', { title: 'Activity', entries: await auditLog.latest(guildOf(res), SHOWN) });
    });
  },
};
