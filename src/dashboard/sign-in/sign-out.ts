import { type Response, Router } from 'express';
import type { Parts } from '../guild-page.ts';
import { actorOf, sessionOf, tokenOf } from '../visit.ts';
import { clearCookie } from './cookies.ts';

/** Creates the routes that end the session of a browser, or all sessions of its person. */
export function signOutRoutes({ sessions, auditLog, views, url }: Parts): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const end = (res: Response): void => {
    clearCookie(res, 'session', url());
    res.redirect(303, '/');
  };

  router.post('/sign-out', async (_req, res) => {
    res.context.route = '/sign-out';
    await sessions.close(tokenOf(res));
    end(res);
  });
  router.get('/sign-out-everywhere', (_req, res) => {
    res.context.route = '/sign-out-everywhere';
    views.send(res, 'sign-out-everywhere', { title: 'Sign out everywhere' });
  });
  router.post('/sign-out-everywhere', async (req, res) => {
    res.context.route = '/sign-out-everywhere';
    const session = sessionOf(res);
    const logs = [...session.guildIds, ...session.unconfirmed, ...(session.isOperator ? [null] : [])];
    const actor = actorOf(req, res);
    await Promise.all(logs.map((guildId) => auditLog.note(guildId, actor, 'Signed out everywhere', 'security')));
    await sessions.closeAllOf(tokenOf(res), session);
    end(res);
  });
  return router;
}
