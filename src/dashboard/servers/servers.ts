import { type RequestHandler, Router } from 'express';
import type { Parts } from '../guild-page.ts';
import { readServersOf } from '../shown-server.ts';
import { readCookie, setCookie } from '../sign-in/cookies.ts';
import { askAgain } from '../sign-in/discord/discord.ts';
import { guildIdsOf, homeOf } from '../sign-in/home.ts';
import { guildOf, sessionOf, visitOf } from '../visit.ts';

/** Most servers in the menu. The page of all servers shows every server. */
const OFFERED = 20;
/** How long a browser remembers the server that it showed last. */
const REMEMBERED_S = 30 * 86_400;

/** Tells the pages how many servers the session opens. Their names are read only when somebody opens the menu, or the page of all servers. */
export const countServers: RequestHandler = (_req, res, next) => {
  visitOf(res).serverCount = guildIdsOf(sessionOf(res)).length;
  next();
};

/** Lets the browser remember the server of a page, so that its next sign-in begins there. */
export function rememberServer({ url }: Parts): RequestHandler {
  return (req, res, next) => {
    const guildId = guildOf(res);
    const isNew = req.method === 'GET' && readCookie(req, 'server', url()) !== guildId;
    if (isNew) setCookie(res, 'server', guildId, url(), REMEMBERED_S);
    next();
  };
}

/**
 * Creates the address "/", which redirects to the page that a session begins with, and the page of all servers of a session. That page names no server
 * for which Discord has to confirm the rights again, because the person may have lost them.
 */
export function serverRoutes(parts: Parts): Router {
  const { views, url } = parts;
  const router = Router({ caseSensitive: true, strict: true });

  router.get('/', (req, res) => {
    res.context.route = '/';
    res.redirect(303, homeOf(sessionOf(res), readCookie(req, 'server', url())));
  });
  router.get('/servers', async (req, res) => {
    res.context.route = '/servers';
    const { guildIds, unconfirmed } = sessionOf(res);
    if (guildIds.length === 0 && unconfirmed.length > 0) return askAgain(parts, req, res);
    const all = await readServersOf(parts, guildIds);
    all.sort((a, b) => a.name.localeCompare(b.name, 'en'));
    const unnamed = unconfirmed.filter((guildId) => guildId !== null).length;
    views.send(res, 'servers', { title: 'Your servers', all, unnamed });
  });
  // The servers that links have opened can be listed while Discord is away, so Discord is asked only if the person wants the other servers.
  router.get('/servers/confirm', (req, res) => {
    res.context.route = '/servers/confirm';
    if (sessionOf(res).unconfirmed.length > 0) return askAgain(parts, req, res);
    res.redirect(303, '/servers');
  });
  // The menu of servers, for the script of the pages.
  router.get('/servers/menu', async (_req, res) => {
    res.context.route = '/servers/menu';
    res.json(await readServersOf(parts, sessionOf(res).guildIds.slice(0, OFFERED)));
  });
  return router;
}
