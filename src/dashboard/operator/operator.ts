import { Router } from 'express';
import { readUsage } from '../../core/access/usage-reader.ts';
import { isUnreadable } from '../../core/errors.ts';
import { readOverview } from '../../core/guilds/overview.ts';
import { ID_PATTERN } from '../../core/ranking/model.ts';
import type { Parts } from '../guild-page.ts';
import { notFound } from '../refused-page.ts';
import { askAgain } from '../sign-in/discord/discord.ts';
import { askToEnd, askToEndAll, ENDED, endAllSessions, endSession } from '../sign-in/end-session.ts';
import { sessionOf } from '../visit.ts';
import { type ServerList, SORTS, type Sort } from './server-list.ts';

/** Guilds on one page. Each is read with a few commands. */
const PER_PAGE = 50;
const SORT_NAMES = Object.keys(SORTS) as readonly Sort[];

/** Creates the page of the operator: all servers, and the people who are signed in as the operator. */
export function operatorRoutes(parts: Parts, list: ServerList): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.use('/operator', (req, res, next) => {
    const { isOperator, unconfirmed } = sessionOf(res);
    if (!isOperator && unconfirmed.includes(null)) return askAgain(parts, req, res);
    if (!isOperator) throw notFound();
    res.context.route = '/operator';
    next();
  });

  router.get('/operator', async (req, res) => {
    const search = String(req.query.search ?? '').trim();
    const sort = SORT_NAMES.find((name) => name === req.query.sort) ?? 'name';
    const { servers, isComplete, isCut, isNew } = await list.find(search, sort);
    const pages = Math.max(1, Math.ceil(servers.length / PER_PAGE));
    const page = Math.min(Math.max(1, Math.floor(Number(req.query.page)) || 1), pages);
    const shown = servers.slice((page - 1) * PER_PAGE, page * PER_PAGE);
    const [guilds, sessions] = await Promise.all([
      Promise.all(shown.map(async (server) => ({ ...(await stateOf(parts, server.id)), server }))),
      parts.sessions.list(null),
    ]);
    const notice = ENDED.get(String(req.query.saved)) ?? '';
    const listed = {
      sessions,
      sessionsPath: '/operator/sessions/end',
      endAllPath: '/operator/sign-out',
      ownSession: sessionOf(res).id,
    };
    const found = { guilds, search, page, pages, total: servers.length, isComplete, isCut, sort };
    const data = {
      ...found,
      sorts: Object.entries(SORTS),
      isNew: isNew && servers.length === 0 && ID_PATTERN.test(search),
    };
    parts.views.send(res, 'operator', { title: 'All servers', notice, ...data, ...listed });
  });
  router.get('/operator/sessions/end', (req, res) => askToEnd(parts, req, res, null));
  router.post('/operator/sessions/end', async (req, res) => {
    res.redirect(303, `/operator?saved=${await endSession(parts, req, res, null)}`);
  });
  router.get('/operator/sign-out', (_req, res) => askToEndAll(parts, res, null));
  router.post('/operator/sign-out', async (req, res) => {
    await endAllSessions(parts, req, res, null);
    res.redirect(303, '/');
  });
  return router;
}

/**
 * Returns the overview of a guild, and its requests of the running hour: the requests that were refused because the quota was used up, and the
 * requests without an API key. If the data of the guild cannot be read, returns only its id.
 */
async function stateOf(parts: Parts, guildId: string) {
  try {
    const [overview, { hours, publicUse }] = await Promise.all([
      readOverview(parts, parts.planQuotas, guildId),
      readUsage(parts, guildId, parts.now()),
    ]);
    return {
      ...overview,
      refused: hours.at(-1)?.refused ?? 0,
      publicRequests: publicUse.page.hour + publicUse.data.hour,
    };
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return { guild: guildId, isUnreadable: true };
  }
}
