import type { Request, Response } from 'express';
import type { ApiKeyRecord } from '../../access/api-key-record.ts';
import type { CreatedKey, KeepOptions } from '../../access/api-keys.ts';
import type { Parts } from '../guild-page.ts';
import type { NewKey } from '../new-keys.ts';
import { Refusal } from '../refusal.ts';
import { actorOf, guildOf, visitOf } from '../visit.ts';

/** The API key that a person wants. */
export interface WantedKey {
  readonly name: string;
  /** Its lifetime in words. */
  readonly lifetime: string;
  /** Milliseconds, or null for no end. */
  readonly lifetimeMs: number | null;
  readonly origins: readonly string[];
  /** Requests an hour, or null for no cap. */
  readonly cap: number | null;
}

/**
 * Makes an API key of the guild, with an entry of the audit log, and keeps it for the page that shows it, so that the key is in no address.
 * @throws InvalidInputError when the guild has too many.
 */
export function makeKey(
  parts: Parts,
  req: Request,
  res: Response,
  { name, lifetime, lifetimeMs, origins, cap }: WantedKey,
): Promise<CreatedKey> {
  const { apiKeys, auditLog } = parts;
  const guildId = guildOf(res);
  const limits = `${origins.length > 0 ? `, for ${origins.join(' ')}` : ''}${cap === null ? '' : `, ${cap} requests an hour`}`;
  const what = `Made the API key "${name}", valid ${lifetime}${limits}`;
  const make = () => apiKeys.create(guildId, name, lifetimeMs, origins, cap, keepNewKey(parts, res));
  return auditLog.change(guildId, actorOf(req, res), what, make, 'security');
}

/** Returns what keeps a key that is made for the page that shows it. @param overlap how long the key that it replaces goes on, in words. */
export function keepNewKey({ newKeys }: Parts, res: Response, overlap?: string): KeepOptions {
  return { keep: ({ key, record: { id } }) => newKeys.keep(tokenOf(res), id, { key, overlap }) };
}

/** Returns a key that was made, once. @throws Refusal at the second time, and for HEAD, whose answer would not show it. */
export async function takeNewKey(
  { newKeys }: Parts,
  { method }: Pick<Request, 'method'>,
  res: Response,
  keyId: string,
): Promise<NewKey> {
  if (method !== 'GET') throw new Refusal(405, 'Not allowed', 'A new key is shown for GET alone.');
  const made = await newKeys.take(tokenOf(res), keyId);
  if (made) return made;
  const message =
    'A key is shown once, and this one was shown already. If you did not keep it, revoke it and make another.';
  throw new Refusal(410, 'Shown already', message);
}

/** Answers with the page of a key that was made, once: it is in no cache. @throws Refusal at the second time. */
export async function sendNewKey(
  parts: Parts,
  record: ApiKeyRecord,
  req: Request<{ id: string }>,
  res: Response,
): Promise<void> {
  const { apiUrl, views } = parts;
  const made = await takeNewKey(parts, req, res, record.id);
  const headers = [`x-api-key: ${made.key}`, ...record.origins.slice(0, 1).map((origin) => `Origin: ${origin}`)];
  const address = `${apiUrl}/api/v1/servers/${record.guildId}/leaderboard?limit=5`;
  const curl = ['curl', ...headers.map((header) => `-H ${forShell(header)}`), forShell(address)].join(' ');
  views.send(res, 'key-made', { title: 'Your new key', ...made, record, curl });
}

function tokenOf(res: Response): string {
  const { token } = visitOf(res);
  if (token === undefined) throw new Error('the page needs no session');
  return token;
}

/** Returns a text as one word of a POSIX shell. */
function forShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
