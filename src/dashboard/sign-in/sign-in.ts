import { type RequestHandler, type Response, Router } from 'express';
import { AddressLimiter } from '../../core/access/address-limiter.ts';
import { INVITE_TTL_S } from '../../core/access/invites.ts';
import { formOf } from '../forms.ts';
import type { Parts } from '../guild-page.ts';
import { oncePerForm } from '../once-per-form.ts';
import { RefusedPage } from '../refused-page.ts';
import { readServer } from '../shown-server.ts';
import { actorOf, visitOf } from '../visit.ts';
import { readCookie, setCookie } from './cookies.ts';
import { pathOf } from './home.ts';
import { SESSION_TTL_S } from './session-records.ts';
import type { Session } from './session-types.ts';
import { isOnePerson } from './session-view.ts';
import type { Opened } from './sessions.ts';

/** Bad links that one network may try at once, and the time after which it may try one more. */
const ATTEMPTS = { burst: 10, intervalMs: 30_000 };

/** Finds the session that the cookie of a request names. */
export function readSession({ sessions, url }: Parts): RequestHandler {
  return async (req, res, next) => {
    const token = readCookie(req, 'session', url());
    if (token) {
      const session = await sessions.find(token);
      if (session) Object.assign(visitOf(res), { session, token });
    }
    next();
  };
}

/** Creates the routes that sign in by a link. They need no session. */
export function signInRoutes(parts: Parts, monotonic: () => number): Router {
  const { sessions, auditLog, views } = parts;
  const limiter = new AddressLimiter(monotonic, ATTEMPTS);
  const once = oncePerForm<Opened | null>();
  const router = Router({ caseSensitive: true, strict: true });
  /** Refuses a bad link. Only bad links count for the limit, so that people with one address, such as behind a proxy, do not lock each other out. */
  const refusedPageOf = (address: string | undefined): RefusedPage => {
    const waitMs = limiter.take(address);
    return waitMs > 0 ? tooManyAttempts(Math.ceil(waitMs / 1000)) : badLink();
  };

  // Chat programs open links by themselves to show a preview, so only the button uses a link up.
  router.get('/sign-in/:invite', async (req, res) => {
    res.context.route = '/sign-in';
    const token = req.params.invite;
    const invite = await sessions.findInvite(token);
    if (!invite) throw refusedPageOf(req.ip);
    const { guildId, userId } = invite;
    const { session } = visitOf(res);
    const opened = guildId === null ? null : await readServer(parts, guildId);
    const shown = { invite: token, opened, userId, effect: effectOf(session, userId), hours: SESSION_TTL_S / 3600 };
    views.send(res, 'sign-in', { title: 'Sign in', ...shown });
  });

  router.post('/sign-in', async (req, res) => {
    res.context.route = '/sign-in';
    const invite = formOf(req).invite ?? '';
    const { token: earlier } = visitOf(res);
    // The entry is written first, as for each change.
    const open = () =>
      sessions.openByInvite(invite, earlier, (guildId, session) =>
        auditLog.note(guildId, actorOf(req, res, session), 'Signed in', 'security'),
      );
    // A button that is pressed twice sends its form twice, and the browser takes the last answer.
    const browser = `${req.ip} ${req.headers['user-agent'] ?? ''}`;
    const opened = await once(`${invite} ${browser}`, open);
    if (!opened || !(await sessions.find(opened.token))) throw refusedPageOf(req.ip);
    await enter(parts, res, opened);
    res.redirect(303, pathOf(opened.opens[0] ?? null));
  });
  return router;
}

/** Gives a browser its new session, and ends its earlier session. */
export async function enter({ sessions, url }: Parts, res: Response, { token }: Opened): Promise<void> {
  const { token: earlier } = visitOf(res);
  if (earlier && earlier !== token) await sessions.close(earlier);
  setCookie(res, 'session', token, url(), SESSION_TTL_S);
}

/** Refuses a request without a session, with a page that says how to sign in. */
export const requireSession: RequestHandler = (req, res, next) => {
  if (visitOf(res).session) return next();
  if (req.method === 'POST') throw new RefusedPage(401, 'Your session has ended', 'Nothing was changed.');
  throw new RefusedPage(401, 'Sign in', 'You are not signed in, or your session has ended.');
};

/** The effect of a link on a browser: the link signs the browser in, adds a server to its session, or signs another person out. */
function effectOf(session: Session | undefined, userId: string): 'first' | 'adds' | 'replaces' {
  if (!session) return 'first';
  return isOnePerson(session.userId, userId) ? 'adds' : 'replaces';
}

function badLink(): RefusedPage {
  const message = `The link was used, its ${INVITE_TTL_S / 60} minutes are over, or all sessions were ended. Ask your bot, or the operator, for a new link.`;
  return new RefusedPage(410, 'This link does not work', message);
}

function tooManyAttempts(seconds: number): RefusedPage {
  return new RefusedPage(
    429,
    'Too many attempts',
    `Too many links that do not work came from this address. Try again in ${seconds} s.`,
    seconds,
  );
}
