import type { Response } from 'express';
import { z } from 'zod';
import { createInvite, INVITE_TTL_S } from '../../access/invites.ts';
import { InvalidInputError } from '../../errors.ts';
import { readOverview } from '../../guild/overview/overview.ts';
import { CURVE_NAMES, type CurveText, parseCurve, xpForLevel } from '../../guild/ranking/curves.ts';
import { averageLevel, StatsRead } from '../../guild/ranking/reader.ts';
import { TITLE_PATTERN, TITLE_RULE } from '../../guild/settings/guild-config.ts';
import { formOf, parseForm } from '../forms.ts';
import type { GuildPage, Parts } from '../guild-page.ts';
import { oneAtATime } from '../one-at-a-time.ts';
import { notFound, Refusal } from '../refusal.ts';
import { actorOf, guildOf, sessionOf } from '../visit.ts';

const MAX_MULTIPLIER = 1000;
/** Levels whose thresholds are shown before a curve is saved. */
const SAMPLE_LEVELS = [1, 5, 10, 25, 50, 100];

/** What the page says after a change, by the query of its address. */
const NOTICES: ReadonlyMap<string, string> = new Map([
  ['1', 'Saved.'],
  ['sign-out', 'All owners are signed out, and links made before do not work any more.'],
]);

const multiplierForm = z.object({
  multiplier: z
    .string()
    .trim()
    .regex(/^\d{1,4}(\.\d{1,10})?$/, `The multiplier is a number from 0 to ${MAX_MULTIPLIER}, such as 1.5.`)
    .transform(Number)
    .refine((n) => n <= MAX_MULTIPLIER, `The multiplier is ${MAX_MULTIPLIER} at most.`),
});
const curveForm = z
  .object({
    curve: z.enum([...CURVE_NAMES, 'custom'], { error: 'Choose a curve of the list.' }),
    custom: z.string().trim(),
  })
  .transform(({ curve, custom }): CurveText => (curve === 'custom' ? `custom=${custom.replaceAll(' ', '')}` : curve))
  .refine((curve) => parseCurve(curve) !== undefined, 'The six numbers of the curve do not fit: see the bounds below.');
const publicPageForm = z.object({
  // A browser leaves out a box that is not checked.
  public: z.string().optional(),
  title: z.string().trim().regex(TITLE_PATTERN, `${TITLE_RULE}.`),
});
const inviteForm = z.object({
  user: z
    .string()
    .trim()
    .regex(/^$|^[\w.-]{1,64}$/, 'A user id is 1 to 64 of A-Z a-z 0-9 _ - .'),
});

/** Curve, multiplier and public page of the guild; for the operator also its plan, and invites. */
export const settingsPage: GuildPage = {
  path: '/settings',
  label: 'Settings',
  addTo(router, parts) {
    const { guildConfig, auditLog, views, planQuotas, scripts, redisKeys, sessions, url } = parts;
    const countOnce = oneAtATime(busy);

    router.get('/settings', (req, res) => sendSettings(parts, res, NOTICES.get(String(req.query.saved)) ?? ''));

    router.post('/settings/multiplier', async (req, res) => {
      const form = parseForm(multiplierForm, formOf(req));
      if (!form.data) return sendSettings(parts, res, '', form.problem, formOf(req));
      const { multiplier } = form.data;
      const guildId = guildOf(res);
      const save = () => guildConfig.update(guildId, { xpMultiplier: multiplier });
      await auditLog.change(guildId, actorOf(req, res), `Set the XP multiplier to ${multiplier}`, save);
      res.redirect(303, `/guilds/${guildId}/settings?saved=1`);
    });

    router.post('/settings/public-page', async (req, res) => {
      const form = parseForm(publicPageForm, formOf(req));
      if (!form.data) return sendSettings(parts, res, '', form.problem, formOf(req));
      const { title: pageTitle } = form.data;
      const publicPage = form.data.public !== undefined;
      const guildId = guildOf(res);
      const save = () => guildConfig.update(guildId, { publicPage, pageTitle });
      const what = `Switched the public page ${publicPage ? 'on' : 'off'}${pageTitle && `, with the title ${pageTitle}`}`;
      await auditLog.change(guildId, actorOf(req, res), what, save);
      res.redirect(303, `/guilds/${guildId}/settings?saved=1`);
    });

    router.post('/settings/curve/preview', async (req, res) => {
      const form = parseForm(curveForm, formOf(req));
      if (!form.data) return sendSettings(parts, res, '', form.problem, formOf(req));
      const curve = form.data;
      await countOnce(guildOf(res), () => sendPreview(parts, res, curve));
    });
    router.post('/settings/curve', async (req, res) => {
      const form = parseForm(curveForm, formOf(req));
      if (!form.data) return sendSettings(parts, res, '', form.problem, formOf(req));
      const guildId = guildOf(res);
      const xpCurve = form.data;
      const save = () => guildConfig.update(guildId, { xpCurve });
      await auditLog.change(guildId, actorOf(req, res), `Set the curve to ${xpCurve}`, save);
      res.redirect(303, `/guilds/${guildId}/settings?saved=1`);
    });

    router.post(['/settings/plan', '/settings/invite', '/settings/sign-out'], (_req, res, next) => {
      // The plan is what the operator sells or gives, and the operator decides who gets in.
      if (sessionOf(res).guildId !== null) throw notFound();
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
      const form = parseForm(inviteForm, formOf(req));
      if (!form.data) return sendSettings(parts, res, '', form.problem, formOf(req));
      const guildId = guildOf(res);
      const { user: userId } = form.data;
      const make = () => createInvite(scripts, redisKeys, url(), { guildId, userId });
      const link = await auditLog.change(
        guildId,
        actorOf(req, res),
        `Made an invite${userId && ` for ${userId}`}`,
        make,
        'security',
      );
      views.send(res, 'invite', { title: 'A link to this dashboard', link, minutes: INVITE_TTL_S / 60 });
    });
    router.post('/settings/sign-out', async (req, res) => {
      const guildId = guildOf(res);
      const closeAll = () => sessions.closeAll({ guildId });
      await auditLog.end(guildId, actorOf(req, res), 'Signed out all owners', closeAll);
      res.redirect(303, `/guilds/${guildId}/settings?saved=sign-out`);
    });
  },
};

async function sendSettings(
  parts: Parts,
  res: Response,
  notice: string,
  problem = '',
  values: Readonly<Record<string, string>> = {},
): Promise<void> {
  const guildId = guildOf(res);
  const overview = await readOverview(parts, parts.planQuotas, guildId);
  const custom = await parts.client.hget(parts.redisKeys.guild(guildId).config, 'xp_curve_custom');
  const publicUrl = `${parts.apiUrl}/g/${encodeURIComponent(guildId)}`;
  const data = { overview, custom, notice, problem, values, curves: CURVE_NAMES, publicUrl };
  const plans = [...parts.planQuotas];
  parts.views.send(res, 'settings', { title: 'Settings', ...data, plans }, problem === '' ? 200 : 400);
}

/** Shows what a curve does to the levels, with a button that saves it. */
async function sendPreview({ counters, commands, views }: Parts, res: Response, curve: CurveText): Promise<void> {
  const guildId = guildOf(res);
  const { value: stats } = await commands.read(new StatsRead(guildId));
  const { members, levelSum } = await counters.preview(guildId, curve);
  const after = averageLevel(String(levelSum), Number(members));
  const shape = parseCurve(curve);
  const levels = shape && SAMPLE_LEVELS.map((level) => ({ level, xp: xpForLevel(shape, level) }));
  const [name, custom] = curve.split('=');
  views.send(res, 'curve-preview', { title: 'A new curve', name, custom, levels, before: stats.average_level, after });
}

function busy(): Refusal {
  return new Refusal(
    409,
    'Already counting',
    'The members of this guild are being counted already. Try again in a moment.',
    5,
  );
}
