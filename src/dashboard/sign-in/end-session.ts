import type { Request, Response } from 'express';
import { formOf } from '../forms.ts';
import type { Parts } from '../guild-page.ts';
import { inTurn } from '../one-at-a-time.ts';
import { notFound } from '../refused-page.ts';
import { readServer } from '../shown-server.ts';
import { actorOf } from '../visit.ts';
import { pathOf } from './home.ts';

/** Notices of a page after the end of a session, by the query of its address. */
export const ENDED: ReadonlyMap<string, string> = new Map([
  ['session', 'The session has ended.'],
  ['no-session', 'That session had ended already.'],
]);

/** If two people end the same session at once, the second person finds that it has ended. */
const endInTurn = inTurn();

/** Ends the session that a form names, of a guild or of the operator (null), and logs it. @returns the name of what to say in {@link ENDED}. */
export function endSession(
  { sessions, auditLog }: Parts,
  req: Request,
  res: Response,
  guildId: string | null,
): Promise<string> {
  return endInTurn(guildId ?? '', async () => {
    const { id = '' } = formOf(req);
    // The session is looked up first, so that the log never names a session that does not exist.
    const listed = (await sessions.list(guildId)).find((session) => session.id === id);
    if (!listed) return 'no-session';
    const close = () => sessions.endListed(guildId, id);
    const owner = listed.userId ? ` of ${listed.userId}` : '';
    const isEnded = await auditLog.end(guildId, actorOf(req, res), `Ended the session ${id}${owner}`, close);
    return isEnded ? 'session' : 'no-session';
  });
}

/** Asks whether to end the session that an address names, of a guild or of the operator (null). @throws RefusedPage if it has ended. */
export async function askToEnd(parts: Parts, req: Request, res: Response, guildId: string | null): Promise<void> {
  const ending = (await parts.sessions.list(guildId)).find(({ id }) => id === req.query.id);
  if (!ending) throw notFound();
  const { base, serverName, back } = await formsOf(parts, guildId);
  parts.views.send(res, 'end-one', {
    title: 'End a session',
    ending,
    serverName,
    action: `${base}/sessions/end`,
    back,
  });
}

/** Returns the path of the forms about sessions of a guild, or of the operators (null), and the name of the guild. */
async function formsOf(parts: Parts, guildId: string | null) {
  if (guildId === null) return { base: '/operator', serverName: '', back: '/operator#sessions' };
  const base = `${pathOf(guildId)}/settings`;
  return { base, serverName: (await readServer(parts, guildId)).name, back: `${base}/access#sessions` };
}

/** Asks whether to end all sessions of a guild, or of the operators (null). */
export async function askToEndAll(parts: Parts, res: Response, guildId: string | null): Promise<void> {
  const { base, serverName, back } = await formsOf(parts, guildId);
  parts.views.send(res, 'end-all', { title: 'End all sessions', serverName, action: `${base}/sign-out`, back });
}

/** Ends all sessions of a guild, or of the operators (null), and logs it. */
export function endAllSessions({ sessions, auditLog }: Parts, req: Request, res: Response, guildId: string | null) {
  const what = guildId === null ? 'Ended all sessions of operators' : 'Ended all sessions of this server';
  return auditLog.end(guildId, actorOf(req, res), what, () => sessions.closeAll(guildId));
}
