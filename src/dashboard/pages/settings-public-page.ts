import type { Router } from 'express';
import * as z from 'zod';
import { fitsLook, LOOK, LOOK_SETTINGS, type LookField, type PageLook } from '../../guild/ranking/page-look.ts';
import { TITLE_PATTERN, TITLE_RULE } from '../../guild/settings/guild-config.ts';
import { formOf, parseForm } from '../forms.ts';
import type { Parts } from '../guild-page.ts';
import { actorOf, guildOf } from '../visit.ts';
import { sendSettings } from './settings-view.ts';

const lookFields = Object.fromEntries(
  LOOK_SETTINGS.map((setting) => [
    LOOK[setting].field,
    z
      .string()
      .trim()
      .refine((text) => fitsLook(setting, text), `${LOOK[setting].rule}.`),
  ]),
) as Readonly<Record<LookField, z.ZodString>>;

const publicPageForm = z
  .object({
    // A browser leaves out a box that is not checked.
    public: z.string().optional(),
    title: z.string().trim().regex(TITLE_PATTERN, `${TITLE_RULE}.`),
    ...lookFields,
  })
  .transform((form) => ({
    publicPage: form.public !== undefined,
    pageTitle: form.title,
    pageLook: Object.fromEntries(
      LOOK_SETTINGS.map((setting) => [setting, form[LOOK[setting].field]]),
    ) as unknown as PageLook,
  }));

/** Adds the form of the public page: whether it is shown, its title, colours and picture. */
export function addPublicPage(router: Router, parts: Parts): void {
  const { guildConfig, auditLog } = parts;
  router.post('/settings/public-page', async (req, res) => {
    const form = parseForm(publicPageForm, formOf(req));
    if (!form.data) return sendSettings(parts, res, '', form.problem, formOf(req));
    const change = form.data;
    const guildId = guildOf(res);
    const chosen = [
      change.pageTitle && `the title ${change.pageTitle}`,
      ...LOOK_SETTINGS.map((setting) => {
        const name = LOOK[setting].field.slice('page_'.length).replaceAll('_', ' ');
        return change.pageLook[setting] && `${name} ${change.pageLook[setting]}`;
      }),
    ].filter(Boolean);
    const state = `Switched the public page ${change.publicPage ? 'on' : 'off'}`;
    const what = chosen.length > 0 ? `${state}, with ${chosen.join(', ')}` : state;
    await auditLog.change(guildId, actorOf(req, res), what, () => guildConfig.update(guildId, change));
    res.redirect(303, `/guilds/${guildId}/settings?saved=1`);
  });
}
