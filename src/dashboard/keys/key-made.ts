import type { Request, Response } from 'express';
import type { CreatedKey } from '../../core/access/api-key-issuer.ts';
import type { ApiKeyRecord } from '../../core/access/api-key-record.ts';
import type { Parts } from '../guild-page.ts';
import { actorOf, guildOf } from '../visit.ts';

/** The API key that a person wants. */
interface WantedKey {
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
 * Makes an API key of the guild with an entry of the audit log, and keeps the key in memory for the page that shows it: no address contains the key.
 * @throws RefusedError when the guild has too many API keys.
 */
export function makeKey(
  parts: Parts,
  req: Request,
  res: Response,
  { name, lifetime, lifetimeMs, origins, cap }: WantedKey,
): Promise<CreatedKey> {
  const { apiKeys, auditLog, newKeys } = parts;
  const guildId = guildOf(res);
  const facts = [`Made the API Key "${name}"`, `valid ${lifetime}`];
  if (origins.length > 0) facts.push(`for ${origins.join(' ')}`);
  if (cap !== null) facts.push(`${cap} requests an hour`);
  const make = async (): Promise<CreatedKey> => {
    const created = await apiKeys.create(guildId, name, lifetimeMs, origins, cap);
    newKeys.keep(res, created.record.id, created.key);
    return created;
  };
  return auditLog.change(guildId, actorOf(req, res), facts.join(', '), make, 'security');
}

/** Answers with the page that shows a new key. It does so once, and no cache keeps the page. @throws RefusedPage at the second request. */
export function sendNewKey(
  { apiUrl, newKeys, views }: Parts,
  record: ApiKeyRecord,
  req: Request<{ id: string }>,
  res: Response,
): void {
  const made = newKeys.take(req, res, record.id);
  const headers = [`x-api-key: ${made.key}`, ...record.origins.slice(0, 1).map((origin) => `Origin: ${origin}`)];
  const address = `${apiUrl}/api/v1/servers/${record.guildId}/leaderboard?limit=5`;
  const curl = ['curl', ...headers.map((header) => `-H ${forShell(header)}`), forShell(address)].join(' ');
  views.send(res, 'key-made', { title: 'Your new API Key', ...made, record, curl });
}

/** Returns a text as one word of a POSIX shell. */
function forShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
