import type { Request, Response } from 'express';
import { cutText } from '../core/text-bounds.ts';
import { type Actor, onOneLine } from './audit-log.ts';
import type { ShownServer } from './shown-server.ts';
import type { Session } from './sign-in/session-types.ts';

/** The known facts about a request: the session that makes the request, and the guild that its page shows. */
interface Visit {
  session?: Session;
  /** Token of the session, as the cookie carries it. */
  token?: string;
  /** Servers that the session opens. */
  serverCount?: number;
  guildId?: string;
  /** The server of the page, as the navigation shows it. */
  server?: ShownServer;
  /** Ends a request whose body takes too long. */
  bodyTimer?: NodeJS.Timeout;
}

/** Returns the facts of a request, to read or to set. */
export function visitOf(res: Response): Visit {
  const locals = res.locals as { visit?: Visit };
  locals.visit ??= {};
  return locals.visit;
}

/** Returns the guild of a page below /guilds. */
export function guildOf(res: Response): string {
  const { guildId } = visitOf(res);
  if (guildId === undefined) throw new Error('the page stands below no guild');
  return guildId;
}

/** Returns the session of a page that needs a session. */
export function sessionOf(res: Response): Session {
  const { session } = visitOf(res);
  if (!session) throw new Error('the page needs no session');
  return session;
}

/** Returns the token of the session of a page that needs a session. */
export function tokenOf(res: Response): string {
  const { token } = visitOf(res);
  if (token === undefined) throw new Error('the page needs no session');
  return token;
}

/** The most bytes of a name in an entry of the audit log, so that name, user id and session together stay within the bound of their field. */
const ACTOR_NAME_BYTES = 40;

/**
 * Returns the author of a change, for the audit log.
 * @param session the session of the author, if it has just begun; otherwise the session of the visit.
 */
export function actorOf(req: Request, res: Response, session = sessionOf(res)): Actor {
  const { isOperator, userId, name, id } = session;
  const role = isOperator ? 'operator' : 'owner';
  const shownName = cutText(onOneLine(name), ACTOR_NAME_BYTES);
  const person = [role, userId, shownName && `(${shownName})`].filter(Boolean).join(' ');
  return { role, who: `${person}, session ${id}`, from: req.ip ?? '' };
}
