import type { Request, Response } from 'express';
import type { ApiKeyRecord } from '../../access/api-key-record.ts';
import type { CreatedKey } from '../../access/api-keys.ts';
import type { Parts } from '../guild-page.ts';
import { Refusal } from '../refusal.ts';
import { visitOf } from '../visit.ts';

/**
 * Answers with the way to the page of a key that was made, which shows it. A reload of that page makes no second key, and the key is in
 * no address.
 * @param overlap how long the key that it replaces goes on, in words.
 * @throws StoreUnavailableError
 */
export async function showNewKey(
  { newKeys }: Parts,
  res: Response,
  { key, record: { guildId, id } }: CreatedKey,
  overlap?: string,
): Promise<void> {
  await newKeys.keep(tokenOf(res), id, { key, overlap });
  res.redirect(303, `/guilds/${guildId}/keys/${id}/made`);
}

/** Answers with the page of a key that was made, once: it is in no cache. @throws Refusal at the second time. */
export async function sendNewKey(
  { newKeys, views, apiUrl }: Parts,
  record: ApiKeyRecord,
  _req: Request<{ id: string }>,
  res: Response,
): Promise<void> {
  const made = await newKeys.take(tokenOf(res), record.id);
  if (!made) {
    const message =
      'A key is shown once, and this one was shown already. If you did not keep it, revoke it and make another.';
    throw new Refusal(410, 'Shown already', message);
  }
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
