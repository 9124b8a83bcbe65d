import { parse } from 'cookie';
import { type CookieOptions, type RequestHandler, type Response, Router } from 'express';
import { AddressLimiter } from '../../core/access/address-limiter.ts';
import { formOf } from '../forms.ts';
import type { Parts } from '../guild-page.ts';
import { Refusal } from '../refusal.ts';
import { oncePerForm } from '../repeats.ts';
import { readServer } from '../servers.ts';
import { actorOf, sessionOf, tokenOf, visitOf } from '../visit.ts';
import { SESSION_TTL_S, type Sessions } from './sessions.ts';

/** Sign-ins with a bad link that one network may try at once, and the time after which it may try one more. */
const ATTEMPTS = { burst: 10, intervalMs: 30_000 };

/** Name and attributes of the cookie. The prefix binds it to this host and to HTTPS; http:// serves this machine only. */
function cookieOf(url: string): { readonly name: string; readonly options: CookieOptions } {
  const secure = url.startsWith('https:');
  return {
    name: secure ? '__Host-guildrank' : 'guildrank',
    options: { httpOnly: true, sameSite: 'lax', secure, path: '/' },
  };
}

/** Finds the session that the cookie of a request names. */
export function readSession({ sessions, url }: Parts): RequestHandler {
  return async (req, res, next) => {
    const token = parse(req.headers.cookie ?? '')[cookieOf(url()).name];
    if (token) {
      const session = await sessions.find(token);
      if (session) Object.assign(visitOf(res), { session, token });
    }
    next();
  };
}

/** Creates the routes that sign in. They need no session. */
export function signInRoutes(parts: Parts, monotonic: () => number): Router {
  const { sessions, auditLog, views, url } = parts;
  const limiter = new AddressLimiter(monotonic, ATTEMPTS);
  const once = oncePerForm<Awaited<ReturnType<Sessions['open']>>>();
  const router = Router({ caseSensitive: true, strict: true });

  // A chat program opens a link that it sees: nothing is read or used up before the button is pressed.
  router.get('/sign-in/:invite', (req, res) => {
    res.context.route = '/sign-in';
    views.send(res, 'sign-in', { title: 'Sign in', invite: req.params.invite });
  });

  router.post('/sign-in', async (req, res) => {
    res.context.route = '/sign-in';
    // Before the limit: people of one address, such as behind a proxy, must not lock each other out.
    // The entry is written first, as for each change.
    const invite = formOf(req).invite ?? '';
    const open = () =>
      sessions.open(invite, (session) =>
        auditLog.note(session.guildId, actorOf(req, res, session), 'Signed in', 'security'),
      );
    // A button that is pressed twice sends its form twice, and the browser takes the last answer.
    const browser = `${req.ip} ${req.headers['user-agent'] ?? ''}`;
    const opened = await once(`${invite} ${browser}`, open);
    if (!opened || !(await sessions.find(opened.token))) {
      const waitMs = limiter.take(req.ip);
      if (waitMs > 0) throw tooManyAttempts(Math.ceil(waitMs / 1000));
      throw new Refusal(
        410,
        'This link does not work',
        'It was used already, it is too old, or all sessions of its server were ended. Ask your bot or the operator for a new link.',
      );
    }
    const { token, session } = opened;
    const { name, options } = cookieOf(url());
    const earlier = parse(req.headers.cookie ?? '')[name];
    if (earlier && earlier !== token) await sessions.close(earlier);
    res.cookie(name, token, { ...options, maxAge: SESSION_TTL_S * 1000 });
    res.redirect(303, homeOf(session.guildId));
  });
  return router;
}

/** Creates the routes of a person who is signed in: the first page, and the ends of sessions. */
export function sessionRoutes(parts: Parts): Router {
  const { sessions, auditLog, views, url } = parts;
  const router = Router({ caseSensitive: true, strict: true });
  const end = (res: Response): void => {
    const { name, options } = cookieOf(url());
    res.clearCookie(name, options).redirect(303, '/');
  };

  router.get('/', (_req, res) => {
    res.context.route = '/';
    res.redirect(303, homeOf(sessionOf(res).guildId));
  });
  router.post('/sign-out', async (_req, res) => {
    res.context.route = '/sign-out';
    await sessions.close(tokenOf(res));
    end(res);
  });
  // It asks first, because everybody else is signed out too.
  router.get('/sign-out-everywhere', async (_req, res) => {
    res.context.route = '/sign-out-everywhere';
    const { guildId } = sessionOf(res);
    if (guildId !== null) visitOf(res).server = await readServer(parts, guildId);
    views.send(res, 'sign-out-everywhere', { title: 'Sign out everywhere' });
  });
  router.post('/sign-out-everywhere', async (req, res) => {
    res.context.route = '/sign-out-everywhere';
    const { guildId } = sessionOf(res);
    const closeAll = () => sessions.closeAll(guildId);
    await auditLog.end(guildId, actorOf(req, res), 'Signed out everywhere', closeAll);
    end(res);
  });
  return router;
}

/** Refuses a request without a session, with a page that says how to sign in. */
export const requireSession: RequestHandler = (req, res, next) => {
  if (visitOf(res).session) return next();
  if (req.method === 'POST') throw new Refusal(401, 'Your session has ended', 'Nothing was changed.');
  throw new Refusal(401, 'Sign in', 'You are not signed in, or your session has ended.');
};

function tooManyAttempts(seconds: number): Refusal {
  return new Refusal(
    429,
    'Too many attempts',
    `Too many links that do not work came from this address. Try again in ${seconds} s.`,
    seconds,
  );
}

function homeOf(guildId: string | null): string {
  return guildId === null ? '/operator' : `/guilds/${encodeURIComponent(guildId)}`;
}
