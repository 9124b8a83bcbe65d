import { type Request, type Response, Router } from 'express';
import { AddressLimiter } from '../../../core/access/address-limiter.ts';
import { enteredOf, sentFields } from '../../forms.ts';
import type { Parts } from '../../guild-page.ts';
import { knownServers } from '../../known-servers.ts';
import { RefusedPage } from '../../refused-page.ts';
import { actorOf, visitOf } from '../../visit.ts';
import type { Announce } from '../sessions.ts';
import { enter } from '../sign-in.ts';
import { NoAnswer } from './bounded-fetch.ts';
import { type DiscordPerson, RefusedByDiscord, WrongAnswer } from './discord-client.ts';
import { CALLBACK, type DiscordSignIn } from './discord-sign-in.ts';
import { beginPending, type PendingSignIn, takePending } from './pending-sign-ins.ts';

/** Failed sign-ins that one network may make at once, and the time after which it may make one more. */
const ATTEMPTS = { burst: 20, intervalMs: 15_000 };

/** Sends a browser to Discord. It cannot answer a form, because the Content-Security-Policy keeps forms from leading to another site. */
async function begin({ discord, url }: Parts, req: Request, res: Response, isAgain: boolean, returnTo: string) {
  if (!discord) throw new Error('there is no sign-in with Discord');
  const pending = beginPending(req, res, url(), isAgain, returnTo);
  res.redirect(303, await discord.authorizationUrl(pending, isAgain));
}

/**
 * Answers a request of a session whose rights Discord has to confirm again. After that, the browser loads the page again. A form is shown with its
 * values, so that the person can send it again.
 */
export async function askAgain(parts: Parts, req: Request, res: Response): Promise<void> {
  // A script cannot follow a browser to Discord.
  const isPage = (req.headers['sec-fetch-dest'] ?? 'document') === 'document';
  if (req.method === 'GET' && isPage) return begin(parts, req, res, true, req.originalUrl);
  const shown = { action: req.originalUrl, fields: sentFields(req), entered: enteredOf(req) };
  parts.views.send(res, 'confirm-rights', { title: 'Discord has to confirm your rights', ...shown }, 401);
}

/** Creates the routes that sign in with Discord. They need no session. */
export function discordRoutes(parts: Parts, monotonic: () => number): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const { discord, url, views } = parts;
  if (!discord) return router;
  const limiter = new AddressLimiter(monotonic, ATTEMPTS);

  router.get('/sign-in/discord', (req, res) => {
    res.context.route = '/sign-in/discord';
    return begin(parts, req, res, false, '/');
  });
  router.get('/sign-in/discord/again', (req, res) => {
    res.context.route = '/sign-in/discord/again';
    return begin(parts, req, res, true, '/sign-in/discord/confirmed');
  });
  router.get('/sign-in/discord/confirmed', (_req, res) => {
    res.context.route = '/sign-in/discord/confirmed';
    views.send(res, 'rights-confirmed', { title: 'Discord has confirmed your rights' });
  });

  router.get(CALLBACK, async (req, res) => {
    res.context.route = CALLBACK;
    const waitMs = limiter.take(req.ip);
    if (waitMs > 0) throw tooManyAttempts(Math.ceil(waitMs / 1000));
    const answer = new URL(req.originalUrl, url()).searchParams;
    const pending = takePending(req, res, url(), answer.get('state'));
    if (!pending) throw wrongAnswer();
    try {
      await finish(parts, discord, req, res, pending, await discord.personOf(answer, pending));
    } catch (error) {
      throw await refusedPageOf(parts, res, pending, error);
    }
    limiter.giveBack(req.ip);
  });
  return router;
}

/** Opens a session for a person whom Discord has named, or renews the rights of the session that the browser has. */
async function finish(
  parts: Parts,
  { operators }: DiscordSignIn,
  req: Request,
  res: Response,
  { isAgain, returnTo }: PendingSignIn,
  { userId, name, manages }: DiscordPerson,
): Promise<void> {
  const { sessions, auditLog } = parts;
  const known = await knownServers(parts, manages);
  const opens = operators.includes(userId) ? [null, ...known] : known;
  const announce: Announce = (guildId, session) =>
    auditLog.note(guildId, actorOf(req, res, session), 'Signed in with Discord', 'security');
  const { session, token } = visitOf(res);
  // Only a session of the same person by Discord keeps its token: somebody else may know the token of a session that a link has opened.
  if (isAgain && token && session?.isByDiscord && session.userId === userId) {
    const goesOn = await sessions.confirm(token, { guildIds: opens, name }, announce);
    if (opens.length === 0 || !goesOn) throw noServers(userId);
    return res.redirect(303, returnTo);
  }
  if (opens.length === 0) throw noServers(userId);
  await enter(parts, res, await sessions.openByDiscord({ userId, name }, opens, token, announce));
  res.redirect(303, '/');
}

/** Returns the page for a failed sign-in. If Discord refuses to confirm the rights of a session, these rights end. */
async function refusedPageOf({ sessions }: Parts, res: Response, { isAgain }: PendingSignIn, error: unknown) {
  if (error instanceof NoAnswer) return noAnswer(error, isAgain);
  if (error instanceof RefusedByDiscord) {
    const { token } = visitOf(res);
    if (isAgain && token) await sessions.confirm(token, { guildIds: [] }, async () => {});
    return refused(isAgain);
  }
  return error instanceof WrongAnswer ? wrongAnswer() : error;
}

function noAnswer({ retryAfterS }: NoAnswer, isAgain: boolean): RefusedPage {
  const effect = isAgain
    ? 'You are still signed in, but what you opened with Discord stays closed until Discord confirms your rights.'
    : 'You are not signed in.';
  const links = `A link of your bot ${isAgain ? 'opens a server' : 'signs you in'} without Discord.`;
  if (retryAfterS !== undefined) {
    const message = `Discord limits the sign-ins of this service. ${effect} Nothing was changed: try again in ${retryAfterS} s. ${links}`;
    return new RefusedPage(503, 'Discord is busy', message, retryAfterS);
  }
  const message = `Discord does not answer as it should. ${effect} Nothing was changed: try again in a minute. ${links}`;
  return new RefusedPage(503, 'Discord does not answer', message, 60);
}

function refused(isAgain: boolean): RefusedPage {
  return isAgain
    ? new RefusedPage(
        401,
        'Sign in again',
        'Discord did not confirm your rights, so the pages that you opened with Discord are closed. Nothing was changed.',
      )
    : new RefusedPage(403, 'Not signed in', 'Discord was not allowed to tell who you are. Nothing was changed.');
}

function wrongAnswer(): RefusedPage {
  return new RefusedPage(
    400,
    'This sign-in is over',
    'The sign-in was begun in another browser or more than ten minutes ago, or it has ended already. Nothing was changed. Begin again.',
  );
}

function noServers(userId: string): RefusedPage {
  return new RefusedPage(
    403,
    'No server to open',
    `This service knows no server that Discord user ${userId} owns or has Manage Server in. Add its bot to your server, or sign in with another account of Discord.`,
  );
}

function tooManyAttempts(seconds: number): RefusedPage {
  const message = `Too many sign-ins that failed came from this address. Try again in ${seconds} s.`;
  return new RefusedPage(429, 'Too many attempts', message, seconds);
}
