import type { Request, Response } from 'express';
import { z } from 'zod';
import type { ApiKeyRecord } from '../../access/api-key-record.ts';
import { type CreatedKey, KEY_NAME_PATTERN } from '../../access/api-keys.ts';
import { parseOrigins } from '../../access/origins.ts';
import { readUsage } from '../../access/usage-reader.ts';
import { InvalidInputError } from '../../errors.ts';
import { choice, formOf, parseForm } from '../forms.ts';
import type { GuildPage, Parts } from '../guild-page.ts';
import { notFound } from '../refusal.ts';
import { actorOf, guildOf } from '../visit.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Lifetimes of a new key in milliseconds, by their words. */
const LIFETIMES = {
  'until revoked': null,
  '7 days': 7 * DAY_MS,
  '30 days': 30 * DAY_MS,
  '90 days': 90 * DAY_MS,
  '1 year': 365 * DAY_MS,
};
/** How long the old key still works after a rotation. */
const OVERLAPS = { '24 hours': DAY_MS, '1 hour': HOUR_MS, '7 days': 7 * DAY_MS, 'not at all': 0 };

const newKey = z.object({
  name: z
    .string()
    .trim()
    .regex(KEY_NAME_PATTERN, 'Give the key a name of 1 to 64 characters, so that you can tell it from others.'),
  lifetime: choice(LIFETIMES),
  origins: z.string().transform((text, context) => {
    try {
      return parseOrigins(text);
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error;
      context.addIssue({ code: 'custom', message: `${error.message}.` });
      return [];
    }
  }),
});
const rotation = z.object({ overlap: choice(OVERLAPS) });

/** The API keys of the guild: make, list, rotate, revoke. Each change takes effect at once. */
export const keysPage: GuildPage = {
  path: '/keys',
  label: 'API keys',
  addTo(router, parts) {
    const { apiKeys, auditLog, views } = parts;

    router.get('/keys', (req, res) => sendList(parts, res, req.query.revoked === '1' ? 'The key is revoked.' : ''));

    router.post('/keys', async (req, res) => {
      const guildId = guildOf(res);
      const form = parseForm(newKey, formOf(req));
      if (!form.data) return sendList(parts, res, '', form.problem, formOf(req));
      const { name, lifetime, origins } = form.data;
      const what = `Made the API key "${name}", valid ${lifetime}${origins.length > 0 ? `, for ${origins.join(' ')}` : ''}`;
      const make = () => apiKeys.create(guildId, name, LIFETIMES[lifetime], origins);
      try {
        sendNewKey(parts, res, await auditLog.change(guildId, actorOf(req, res), what, make, 'security'));
      } catch (error) {
        if (!(error instanceof InvalidInputError)) throw error;
        await sendList(parts, res, '', `${error.message}.`, formOf(req));
      }
    });

    router.get('/keys/:id/revoke', async (req, res) => {
      views.send(res, 'key-revoke', { title: 'Revoke a key', key: await keyOf(parts, req, res) });
    });
    router.post('/keys/:id/revoke', async (req, res) => {
      const key = await keyOf(parts, req, res);
      const revoke = () => apiKeys.revoke(key.guildId, key.id);
      await auditLog.end(key.guildId, actorOf(req, res), `Revoked the API key ${describe(key)}`, revoke);
      res.redirect(303, `/guilds/${key.guildId}/keys?revoked=1`);
    });

    router.get('/keys/:id/rotate', async (req, res) => {
      const key = await keyOf(parts, req, res);
      views.send(res, 'key-rotate', { title: 'Rotate a key', key, overlaps: Object.keys(OVERLAPS) });
    });
    router.post('/keys/:id/rotate', async (req, res) => {
      const key = await keyOf(parts, req, res);
      const form = parseForm(rotation, formOf(req));
      if (!form.data) throw new InvalidInputError(form.problem);
      const { overlap } = form.data;
      const what = `Rotated the API key ${describe(key)}; the old one goes on: ${overlap}`;
      const rotate = () => apiKeys.rotate(key.guildId, key.id, OVERLAPS[overlap]);
      sendNewKey(parts, res, await auditLog.change(key.guildId, actorOf(req, res), what, rotate, 'security'), overlap);
    });
  },
};

async function sendList(
  parts: Parts,
  res: Response,
  notice: string,
  problem = '',
  values: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { apiKeys, views, now } = parts;
  const guildId = guildOf(res);
  const [records, usage] = await Promise.all([apiKeys.list(guildId), readUsage(parts, guildId, now())]);
  const keys = records.map((key) => ({ ...key, isExpired: isExpired(key, now()), usage: usage.ofKey(key.id) }));
  const data = { title: 'API keys', keys, notice, problem, values, lifetimes: Object.keys(LIFETIMES) };
  views.send(res, 'keys', data, problem === '' ? 200 : 400);
}

/** Answers with the new key, which is shown this once: it is in no address and no cache. */
function sendNewKey({ views, apiUrl }: Parts, res: Response, { key, record }: CreatedKey, overlap?: string): void {
  const headers = [`x-api-key: ${key}`, ...record.origins.slice(0, 1).map((origin) => `Origin: ${origin}`)];
  const address = `${apiUrl}/api/v1/servers/${record.guildId}/leaderboard?limit=5`;
  const curl = ['curl', ...headers.map((header) => `-H ${forShell(header)}`), forShell(address)].join(' ');
  views.send(res, 'key-made', { title: 'Your new key', key, record, curl, overlap });
}

/** Returns a text as one word of a POSIX shell. */
function forShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Returns the key that the address names. The guild of the address has it, or there is no such page. */
async function keyOf({ apiKeys }: Parts, req: Request<{ id: string }>, res: Response): Promise<ApiKeyRecord> {
  const key = (await apiKeys.list(guildOf(res))).find(({ id }) => id === req.params.id);
  if (!key) throw notFound();
  return key;
}

/** Decides like the service: an expiry that is not a date counts as past. */
function isExpired({ expiresAt }: ApiKeyRecord, now: number): boolean {
  return expiresAt !== null && !(now < Date.parse(expiresAt));
}

function describe({ id, name }: ApiKeyRecord): string {
  return `${id}${name && ` "${name}"`}`;
}
