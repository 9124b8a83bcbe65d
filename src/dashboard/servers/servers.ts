import { type RequestHandler, Router } from 'express';
import type { Parts } from '../guild-page.ts';
import { readCookie, setCookie } from '../sign-in/cookies.ts';
import { guildIdsOf, homeOf } from '../sign-in/home.ts';
import { guildOf, sessionOf, visitOf } from '../visit.ts';
import { readServersOf } from './server.ts';

/** Servers that the menu offers. The page of all servers has the others. */
const OFFERED = 20;
/** How long a browser remembers the server that it showed last. */
const REMEMBERED_S = 30 * 86_400;

/** Reads the names of the servers that the menu offers: those of the session, the first ones. */
export function readServers(parts: Parts): RequestHandler {
  return async (_req, res, next) => {
    visitOf(res).servers = await readServersOf(parts, guildIdsOf(sessionOf(res)).slice(0, OFFERED));
    next();
  };
}

/** Lets the browser remember the server of a page, so that its next sign-in begins there. */
export function rememberServer({ url }: Parts): RequestHandler {
  return (req, res, next) => {
    const guildId = guildOf(res);
    const isNew = req.method === 'GET' && readCookie(req, 'server', url()) !== guildId;
    if (isNew) setCookie(res, 'server', guildId, url(), REMEMBERED_S);
    next();
  };
}

/** Creates the first page, which leads on, and the page of all servers of a session. */
export function serverRoutes(parts: Parts): Router {
  const { views, url } = parts;
  const router = Router({ caseSensitive: true, strict: true });

  router.get('/', (req, res) => {
    res.context.route = '/';
    res.redirect(303, homeOf(sessionOf(res), readCookie(req, 'server', url())));
  });
  router.get('/servers', async (_req, res) => {
    res.context.route = '/servers';
    const all = await readServersOf(parts, guildIdsOf(sessionOf(res)));
    all.sort((a, b) => a.name.localeCompare(b.name, 'en'));
    views.send(res, 'servers', { title: 'Your servers', all });
  });
  return router;
}
