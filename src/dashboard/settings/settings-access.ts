import type { Router } from 'express';
import * as z from 'zod';
import { createInvite, INVITE_TTL_S } from '../../core/access/invites.ts';
import { InvalidInputError } from '../../core/errors.ts';
import { formOf, problemOfFields } from '../forms.ts';
import type { Parts } from '../guild-page.ts';
import { notFound } from '../refusal.ts';
import { askToEndAll, endAllSessions, endSession } from '../sign-in/end-session.ts';
import { actorOf, guildOf, sessionOf } from '../visit.ts';
import { sendSettings } from './settings-view.ts';

const inviteForm = z.object({
  user: z
    .string()
    .trim()
    .regex(/^$|^[\w.-]{1,64}$/, 'A user id is 1 to 64 of A-Z a-z 0-9 _ - .'),
});

/** Adds the ends of sessions, and for the operator the plan and invites. */
export function addAccess(router: Router, parts: Parts): void {
  const { guildConfig, auditLog, views, planQuotas, url } = parts;

  router.post('/settings/sessions/end', async (req, res) => {
    const guildId = guildOf(res);
    const done = await endSession(parts, req, res, guildId);
    res.redirect(303, `/guilds/${guildId}/settings?saved=${done}`);
  });

  router.post(['/settings/plan', '/settings/invite'], (_req, res, next) => {
    // The plan is what the operator sells or gives, and the operator decides who gets in.
    if (!sessionOf(res).isOperator) throw notFound();
    next();
  });
  router.post('/settings/plan', async (req, res) => {
    const guildId = guildOf(res);
    const { plan = '' } = formOf(req);
    if (!planQuotas.has(plan))
      throw new InvalidInputError(`There is no such plan: choose one of ${[...planQuotas.keys()].join(', ')}`);
    const save = () => guildConfig.update(guildId, { plan });
    await auditLog.change(guildId, actorOf(req, res), `Set the plan to ${plan}`, save, 'security');
    res.redirect(303, `/guilds/${guildId}/settings?saved=1`);
  });
  router.post('/settings/invite', async (req, res) => {
    const { data, error } = inviteForm.safeParse(formOf(req));
    if (error) return sendSettings(parts, res, '', problemOfFields(error), formOf(req));
    const guildId = guildOf(res);
    const { user: userId } = data;
    const make = () => createInvite(parts, url(), { guildId, userId });
    const what = userId ? `Made an invite for ${userId}` : 'Made an invite';
    const link = await auditLog.change(guildId, actorOf(req, res), what, make, 'security');
    views.send(res, 'invite', { title: 'A link to this dashboard', link, minutes: INVITE_TTL_S / 60 });
  });
  router.get('/settings/sign-out', (_req, res) => askToEndAll(parts, res, guildOf(res)));
  router.post('/settings/sign-out', async (req, res) => {
    const guildId = guildOf(res);
    await endAllSessions(parts, req, res, guildId);
    // An owner has ended the own session here too.
    res.redirect(303, sessionOf(res).isOperator ? `/guilds/${guildId}/settings?saved=sign-out` : '/');
  });
}
