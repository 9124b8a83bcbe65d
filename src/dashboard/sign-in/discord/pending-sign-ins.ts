import { parse } from 'cookie';
import type { Request, Response } from 'express';
import { generateRandomCodeVerifier, generateRandomState } from 'oauth4webapi';
import { clearCookie, readCookie, setCookie } from '../cookies.ts';
import type { SignInSecrets } from './discord-client.ts';

/** A sign-in with Discord that has begun. Only the browser keeps it, in a cookie, so that a flood of sign-ins fills no memory here. */
export interface PendingSignIn extends SignInSecrets {
  /** Whether it renews the rights of a session, without a question to the person. */
  readonly isAgain: boolean;
  /** Path of the page that the browser goes to afterwards. */
  readonly returnTo: string;
}

/** How long a person may take, in seconds. */
const TTL_S = 600;

/**
 * Most sign-ins of one browser at once, such as in tabs that were opened together. The browser sends the cookies of all of them with each request.
 */
const MAX_PENDING = 5;

/** State, verifier, "again" or "first", and the path in base64url. */
const STORED = /^([\w-]{43})\.([\w-]{43})\.(again|first)\.([\w-]{1,700})$/;

/** Paths that a sign-in leads back to: pages of the dashboard, at most 512 characters long. */
const OWN_PATH =
  /^\/(?:(?:guilds\/[\w.-]{1,64}|servers|operator|sign-in\/discord\/confirmed)(?:[/?][\x21-\x7e]{0,400})?)?$/;

/** Begins a sign-in and gives its browser the cookie. @param returnTo the path of a page; any other path becomes the path of the first page. */
export function beginPending(
  req: Request,
  res: Response,
  url: string,
  isAgain: boolean,
  returnTo: string,
): PendingSignIn {
  const pending = {
    state: generateRandomState(),
    verifier: generateRandomCodeVerifier(),
    isAgain,
    returnTo: OWN_PATH.test(returnTo) ? returnTo : '/',
  };
  const started = Object.keys(parse(req.headers.cookie ?? '')).flatMap(
    (name) => /guildrank-(discord-[\w-]{12})$/.exec(name)?.[1] ?? [],
  );
  if (started.length >= MAX_PENDING) for (const name of started) clearCookie(res, name as `discord-${string}`, url);
  const { state, verifier } = pending;
  const path = Buffer.from(pending.returnTo).toString('base64url');
  setCookie(res, nameOf(state), [state, verifier, isAgain ? 'again' : 'first', path].join('.'), url, TTL_S);
  return pending;
}

/** Returns the sign-in of this browser that a state names, and removes its cookie, so that it can end only once; null if there is no such sign-in. */
export function takePending(req: Request, res: Response, url: string, state: string | null): PendingSignIn | null {
  if (!state || !/^[\w-]{43}$/.test(state)) return null;
  const [, stored = '', verifier = '', kind, path = ''] = STORED.exec(readCookie(req, nameOf(state), url) ?? '') ?? [];
  if (stored !== state) return null;
  clearCookie(res, nameOf(state), url);
  const returnTo = Buffer.from(path, 'base64url').toString();
  return { state, verifier, isAgain: kind === 'again', returnTo: OWN_PATH.test(returnTo) ? returnTo : '/' };
}

function nameOf(state: string): `discord-${string}` {
  return `discord-${state.slice(0, 12)}`;
}
