import type { Response } from 'express';
import * as z from 'zod';
import { CURVE_NAMES, type CurveText, parseCurve, xpForLevel } from '../../core/ranking/curves.ts';
import { averageLevel, StatsRead } from '../../core/reads/reader.ts';
import { type GuildConfigChange, parseMultiplier } from '../../core/settings/guild-config.ts';
import { BOARD_KINDS } from '../../core/store/keys.ts';
import { clockText, parseClock } from '../boards/boards-clock.ts';
import { formOf, parsed, problemOfFields } from '../forms.ts';
import type { GuildPage, Parts } from '../guild-page.ts';
import { oneAtATime } from '../one-at-a-time.ts';
import { addRules, RULES_UPLOAD } from '../rules/rules.ts';
import { ENDED } from '../sign-in/end-session.ts';
import { actorOf, guildOf } from '../visit.ts';
import { addAccess } from './settings-access.ts';
import { describePageChange, publicPageForm } from './settings-public-page.ts';
import { sendSettings } from './settings-view.ts';

/** Levels whose thresholds are shown before a curve is saved. */
const SAMPLE_LEVELS = [1, 5, 10, 25, 50, 100];

/** What the page says after a change, by the query of its address. */
const NOTICES: ReadonlyMap<string, string> = new Map([
  ['1', 'Saved.'],
  ['sign-out', 'All owners are signed out, and links made before do not work any more.'],
  ...ENDED,
]);

const multiplierForm = z.object({ multiplier: parsed((text) => parseMultiplier(text.trim())) });
const curveForm = z
  .object({
    curve: z.enum([...CURVE_NAMES, 'custom'], { error: 'Choose a curve of the list' }),
    custom: z.string().trim(),
  })
  .transform(({ curve, custom }): CurveText => (curve === 'custom' ? `custom=${custom.replaceAll(' ', '')}` : curve))
  .refine((curve) => parseCurve(curve) !== undefined, 'The six numbers of the curve do not fit: see the bounds below');
const boardsForm = z
  .object({
    // A browser leaves out a box that is not checked.
    week: z.string().optional(),
    month: z.string().optional(),
    clock: parsed(parseClock),
  })
  .transform(({ clock, ...boxes }) => ({
    boards: BOARD_KINDS.filter((kind) => boxes[kind] !== undefined),
    ...clock,
  }));

/** The forms that change the configuration, by their paths: the change, and its words for the audit log. */
const CHANGES: Readonly<Record<string, z.ZodType<{ readonly change: GuildConfigChange; readonly what: string }>>> = {
  '/settings/multiplier': multiplierForm.transform(({ multiplier }) => ({
    change: { xpMultiplier: multiplier },
    what: `Set the XP multiplier to ${multiplier}`,
  })),
  '/settings/boards': boardsForm.transform((change) => ({
    change,
    what: `Set the boards to ${change.boards.join(', ') || 'none'}, by the clock of ${clockText(change)}`,
  })),
  '/settings/curve': curveForm.transform((xpCurve) => ({ change: { xpCurve }, what: `Set the curve to ${xpCurve}` })),
  '/settings/public-page': publicPageForm.transform((change) => ({ change, what: describePageChange(change) })),
};

/** Curve, multiplier, boards, rules, public page and sessions of the guild; for the operator also its plan, and invites. */
export const settingsPage: GuildPage = {
  path: '/settings',
  label: 'Settings',
  uploads: [RULES_UPLOAD],
  addTo(router, parts) {
    const { guildConfig, auditLog } = parts;
    const countOnce = oneAtATime(
      'Already counting',
      'The members of this guild are being counted already. Try again in a moment.',
      5,
    );

    router.get('/settings', (req, res) => sendSettings(parts, res, NOTICES.get(String(req.query.saved)) ?? ''));

    for (const [path, schema] of Object.entries(CHANGES)) {
      router.post(path, async (req, res) => {
        const { data, error } = schema.safeParse(formOf(req));
        if (error) return sendSettings(parts, res, '', problemOfFields(error), formOf(req));
        const { change, what } = data;
        const guildId = guildOf(res);
        await auditLog.change(guildId, actorOf(req, res), what, () => guildConfig.update(guildId, change));
        res.redirect(303, `/guilds/${guildId}/settings?saved=1`);
      });
    }
    router.post('/settings/curve/preview', async (req, res) => {
      const { data: curve, error } = curveForm.safeParse(formOf(req));
      if (error) return sendSettings(parts, res, '', problemOfFields(error), formOf(req));
      await countOnce(guildOf(res), () => sendPreview(parts, res, curve));
    });
    addAccess(router, parts);
    addRules(router, parts);
  },
};

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
