import type { Response } from 'express';
import * as z from 'zod';
import { createInvite, INVITE_TTL_S } from '../../core/access/invites.ts';
import { readOverview } from '../../core/guilds/overview.ts';
import type { ShownForm } from '../config-form.ts';
import { errorsOf, formOf, parseForm, showProblem } from '../forms.ts';
import type { GuildPage, Parts } from '../guild-page.ts';
import { notFound } from '../refused-page.ts';
import { askToEnd, askToEndAll, ENDED, endAllSessions, endSession } from '../sign-in/end-session.ts';
import { actorOf, guildOf, sessionOf } from '../visit.ts';

const PATH = '/settings/access';
const LABEL = 'Who has access';
const OPERATOR_LABEL = 'Plan and access';

/** Notices of the page after a change, by the query of its address. */
const NOTICES: ReadonlyMap<string, string> = new Map([
  ['plan', 'The plan is changed.'],
  ['sign-out', 'Everybody is signed out of this server, and links that nobody has used yet no longer work.'],
  ...ENDED,
]);

const inviteForm = z.object({
  user: z
    .string()
    .trim()
    .regex(/^$|^[\w.-]{1,64}$/, 'A user id is 1 to 64 of A-Z a-z 0-9 _ - .'),
});

/** Lists the people who are signed in, and ends sessions. The operator also sets the plan and makes invites here. */
export const accessPage: GuildPage = {
  path: PATH,
  label: LABEL,
  operatorLabel: OPERATOR_LABEL,
  icon: 'shield-check',
  alsoAt: ['/settings/plan', '/settings/invite', '/settings/sign-out', '/settings/sessions'],
  addTo(router, parts) {
    const { guildConfig, auditLog, views, planQuotas, url } = parts;

    router.get(PATH, (req, res) => sendAccess(parts, res, { notice: NOTICES.get(String(req.query.saved)) ?? '' }));

    router.get('/settings/sessions/end', (req, res) => askToEnd(parts, req, res, guildOf(res)));
    router.post('/settings/sessions/end', async (req, res) => {
      const guildId = guildOf(res);
      const done = await endSession(parts, req, res, guildId);
      res.redirect(303, `/guilds/${guildId}/settings/access?saved=${done}`);
    });

    router.post(['/settings/plan', '/settings/invite'], (_req, res, next) => {
      // The plan is what the operator sells or gives, and the operator decides who gets in.
      if (!sessionOf(res).isOperator) throw notFound();
      next();
    });
    const planForm = z.object({
      plan: z.string().refine((plan) => planQuotas.has(plan), {
        error: `There is no such plan: choose one of ${[...planQuotas.keys()].join(', ')}`,
      }),
    });
    router.post('/settings/plan', (req, res) => {
      const values = formOf(req);
      const refuse = (problem: string, error: unknown) =>
        sendAccess(parts, res, { problem, errors: errorsOf(error), values });
      return showProblem(refuse, async () => {
        const { plan } = parseForm(planForm, values);
        const guildId = guildOf(res);
        const save = () => guildConfig.update(guildId, { plan });
        await auditLog.change(guildId, actorOf(req, res), `Set the plan to ${plan}`, save, 'security');
        res.redirect(303, `/guilds/${guildId}/settings/access?saved=plan`);
      });
    });
    router.post('/settings/invite', (req, res) => {
      const values = formOf(req);
      const refuse = (problem: string, error: unknown) =>
        sendAccess(parts, res, { problem, errors: errorsOf(error), values });
      return showProblem(refuse, async () => {
        const { user: userId } = parseForm(inviteForm, values);
        const guildId = guildOf(res);
        const make = () => createInvite(parts, url(), { guildId, userId });
        const what = userId ? `Made an invite for ${userId}` : 'Made an invite';
        const link = await auditLog.change(guildId, actorOf(req, res), what, make, 'security');
        views.send(res, 'invite', { title: 'A link for the owner', link, minutes: INVITE_TTL_S / 60 });
      });
    });
    router.get('/settings/sign-out', (_req, res) => askToEndAll(parts, res, guildOf(res)));
    router.post('/settings/sign-out', async (req, res) => {
      const guildId = guildOf(res);
      await endAllSessions(parts, req, res, guildId);
      // Sends an owner to the first page, because this has ended the session of the owner too.
      res.redirect(303, sessionOf(res).isOperator ? `/guilds/${guildId}/settings/access?saved=sign-out` : '/');
    });
  },
};

async function sendAccess(parts: Parts, res: Response, shown: ShownForm): Promise<void> {
  const guildId = guildOf(res);
  const [overview, sessions] = await Promise.all([
    readOverview(parts, parts.planQuotas, guildId),
    parts.sessions.list(guildId),
  ]);
  const data = {
    values: {},
    ...shown,
    overview,
    hasPublicPage: parts.publicPages && overview.public_page,
    dashboardUrl: parts.url(),
    sessions,
    plans: [...parts.planQuotas],
    sessionsPath: `/guilds/${encodeURIComponent(guildId)}/settings/sessions/end`,
    endAllPath: `/guilds/${encodeURIComponent(guildId)}/settings/sign-out`,
    ownSession: sessionOf(res).id,
  };
  const title = sessionOf(res).isOperator ? OPERATOR_LABEL : LABEL;
  parts.views.send(res, 'access', { title, ...data }, shown.problem ? 400 : 200);
}
