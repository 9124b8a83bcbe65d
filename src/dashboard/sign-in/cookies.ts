import { parse } from 'cookie';
import type { CookieOptions, Request, Response } from 'express';

/** The cookies of the dashboard: the session, the server that was shown last, and each sign-in with Discord that has begun. */
export type CookieName = 'session' | 'server' | `discord-${string}`;

/** Returns the name that browsers see. The prefix binds a cookie to this host and to HTTPS; http:// serves this machine only. */
function nameOf(name: CookieName, url: string): string {
  const text = name === 'session' ? 'guildrank' : `guildrank-${name}`;
  return url.startsWith('https:') ? `__Host-${text}` : text;
}

function optionsOf(url: string): CookieOptions {
  return { httpOnly: true, sameSite: 'lax', secure: url.startsWith('https:'), path: '/' };
}

/** Returns the value of a cookie; undefined when the request does not have the cookie. @param url address of the dashboard. */
export function readCookie(req: Request, name: CookieName, url: string): string | undefined {
  return parse(req.headers.cookie ?? '')[nameOf(name, url)];
}

/** Sets a cookie that no script and no other host reads. @param seconds after which the browser forgets it. */
export function setCookie(res: Response, name: CookieName, value: string, url: string, seconds: number): void {
  res.cookie(nameOf(name, url), value, { ...optionsOf(url), maxAge: seconds * 1000 });
}

/** Takes a cookie out of the browser. */
export function clearCookie(res: Response, name: CookieName, url: string): void {
  res.clearCookie(nameOf(name, url), optionsOf(url));
}
