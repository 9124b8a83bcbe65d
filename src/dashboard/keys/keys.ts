import type { Request, RequestHandler, Response } from 'express';
import * as z from 'zod';
import { type CreatedKey, KEY_NAME_PATTERN } from '../../core/access/api-key-issuer.ts';
import { type ApiKeyRecord, isExpired } from '../../core/access/api-key-record.ts';
import { newToken } from '../../core/access/invites.ts';
import { parseOrigins } from '../../core/access/origins.ts';
import { HOUR_MS } from '../../core/access/usage.ts';
import { readUsage, sumOfHours } from '../../core/access/usage-reader.ts';
import { type RefusalCode, RefusedError } from '../../core/errors.ts';
import { capField, choice, errorsOf, type FormErrors, formOf, parsed, parseForm, showProblem } from '../forms.ts';
import type { GuildPage, Parts } from '../guild-page.ts';
import { oncePerForm } from '../once-per-form.ts';
import { actorOf, guildOf, sessionOf } from '../visit.ts';
import { makeKey, sendNewKey } from './key-made.ts';

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
    .regex(
      KEY_NAME_PATTERN,
      'Give the API Key a name of 1 to 64 characters, so that you can tell it from other API Keys',
    ),
  lifetime: choice(LIFETIMES),
  origins: parsed(parseOrigins),
  cap: capField,
});
const rotation = z.object({ overlap: choice(OVERLAPS) });

/** The API keys of the guild: make, list, rotate, revoke. Each change takes effect at once. */
export const keysPage: GuildPage = {
  path: '/keys',
  label: 'API Keys',
  icon: 'key-round',
  addTo(router, parts) {
    const { apiKeys, auditLog, newKeys, views } = parts;
    const once = oncePerForm<CreatedKey>();
    /** Makes a key, once for each time that the form was shown. */
    const make = (req: Request, res: Response, work: () => Promise<CreatedKey>): Promise<CreatedKey> => {
      const { once: form } = formOf(req);
      return form ? once(`${sessionOf(res).id} ${form}`, work) : work();
    };

    router.get('/keys', (req, res) =>
      sendList(parts, res, { notice: req.query.revoked === '1' ? 'API Key revoked.' : '' }),
    );

    router.post('/keys', (req, res) => {
      const values = formOf(req);
      const show = (problem: string, error: unknown) =>
        sendList(parts, res, { problem, errors: errorsOf(error), values }, 400);
      return showProblem(show, async () => {
        const form = parseForm(newKey, values);
        const wanted = { ...form, lifetimeMs: LIFETIMES[form.lifetime] };
        const { record } = await make(req, res, () => makeKey(parts, req, res, wanted));
        res.redirect(303, `/guilds/${record.guildId}/keys/${record.id}/made`);
      });
    });

    router.get(
      '/keys/:id/made',
      ofKey(parts, (key, req, res) => sendNewKey(parts, key, req, res)),
    );

    router.get(
      '/keys/:id/revoke',
      ofKey(parts, (key, _req, res) => views.send(res, 'key-revoke', { title: 'Revoke an API Key', key })),
    );
    router.post(
      '/keys/:id/revoke',
      ofKey(parts, async (key, req, res) => {
        const revoke = () => apiKeys.revoke(key.guildId, key.id);
        await auditLog.end(key.guildId, actorOf(req, res), `Revoked the API Key ${describe(key)}`, revoke);
        res.redirect(303, `/guilds/${key.guildId}/keys?revoked=1`);
      }),
    );

    router.get(
      '/keys/:id/rotate',
      ofKey(parts, (key, _req, res) =>
        views.send(res, 'key-rotate', {
          title: 'Rotate an API Key',
          key,
          overlaps: Object.keys(OVERLAPS),
          once: newToken(),
        }),
      ),
    );
    router.post(
      '/keys/:id/rotate',
      ofKey(parts, async (key, req, res) => {
        const { overlap } = parseForm(rotation, formOf(req));
        const what = `Rotated the API Key ${describe(key)}; the old API Key works on: ${overlap}`;
        const rotate = async (): Promise<CreatedKey> => {
          const created = await apiKeys.rotate(key.guildId, key.id, OVERLAPS[overlap]);
          newKeys.keep(res, created.record.id, created.key, overlap);
          return created;
        };
        const change = () => auditLog.change(key.guildId, actorOf(req, res), what, rotate, 'security');
        const { record } = await make(req, res, change);
        res.redirect(303, `/guilds/${record.guildId}/keys/${record.id}/made`);
      }),
    );
  },
};

/** The texts of the list: a notice or a problem, and the fields of the form that had it. */
interface ListTexts {
  readonly notice?: string;
  readonly problem?: string;
  readonly errors?: FormErrors;
  readonly values?: Readonly<Record<string, string>>;
}

async function sendList(parts: Parts, res: Response, texts: ListTexts, status = 200): Promise<void> {
  const { apiKeys, views, now } = parts;
  const guildId = guildOf(res);
  const [records, usage] = await Promise.all([apiKeys.list(guildId), readUsage(parts, guildId, now())]);
  const { requests: all } = sumOfHours(usage.hours);
  const keys = records.map((key) => {
    const used = usage.ofKey(key.id);
    const share = all === 0 ? 0 : (100 * used.week.requests) / all;
    return { ...key, isExpired: isExpired(key, now()), usage: used, share };
  });
  const data = { title: 'API Keys', keys, lifetimes: Object.keys(LIFETIMES), values: {}, once: newToken() };
  views.send(res, 'keys', { ...data, ...texts }, status);
}

/** Returns the handler of a page of the key that the address names. If the guild does not have the key, shows the list of keys with a message. */
function ofKey(
  parts: Parts,
  work: (key: ApiKeyRecord, req: Request<{ id: string }>, res: Response) => void | Promise<void>,
): RequestHandler<{ id: string }> {
  return (req, res) => {
    const guild = guildOf(res);
    const { id } = req.params;
    const show = (problem: string, error: unknown) => {
      if (!(error instanceof RefusedError && KEY_GONE.includes(error.code))) throw error;
      return sendList(parts, res, { problem }, 404);
    };
    return showProblem(show, async () => {
      const key = (await parts.apiKeys.list(guild)).find((each) => each.id === id);
      if (!key) throw new RefusedError('key_unknown', { guild, key: id });
      await work(key, req, res);
    });
  };
}

/** Codes of refusals for a key that is already revoked, or is revoked during the request. */
const KEY_GONE: readonly RefusalCode[] = ['key_unknown', 'key_revoked', 'key_unfinished'];

function describe({ id, name }: ApiKeyRecord): string {
  return name ? `${id} "${name}"` : id;
}
