import type { Response, Router } from 'express';
import * as z from 'zod';
import { readOverview } from '../../core/guilds/overview.ts';
import { CURVE_NAMES, type CurveText, parseCurve, xpForLevel } from '../../core/ranking/curves.ts';
import { averageLevel, StatsCommand } from '../../core/reads/read-commands.ts';
import { addConfigForm, type ShownForm } from '../config-form.ts';
import { errorsOf, formOf, parseForm, showProblem } from '../forms.ts';
import type { Parts } from '../guild-page.ts';
import { oneAtATime } from '../one-at-a-time.ts';
import { guildOf } from '../visit.ts';
import { COMPARED_LEVELS, CURVE_CHOICES, comparedCurves } from './curve-names.ts';

/** Path of the page of the curve below a guild. */
export const CURVE_PATH = '/settings/curve';

/** Levels whose thresholds are shown before a curve is saved. */
const SAMPLE_LEVELS = [1, 5, 10, 25, 50, 100];

const curveForm = z
  .object({
    curve: z.enum([...CURVE_NAMES, 'custom'], { error: 'Choose a curve of the list' }),
    custom: z.string().trim(),
  })
  .transform(({ curve, custom }): CurveText => (curve === 'custom' ? `custom=${custom.replaceAll(' ', '')}` : curve))
  .refine((curve) => curve !== 'custom=', {
    error: 'Enter the six numbers of your curve, such as 0,0,50,0,1,1',
    path: ['custom'],
    abort: true,
  })
  .refine((curve) => parseCurve(curve) !== undefined, {
    error: 'These six numbers make no curve: see the bounds below',
    path: ['custom'],
  });

/** Adds the page of the curve, where a person chooses a curve, sees what it does to the levels, and saves it. */
export function addCurve(router: Router, parts: Parts): void {
  const countOnce = oneAtATime(
    'Already counting',
    'The members of this server are being counted already. Try again in a moment.',
    5,
  );

  router.get(CURVE_PATH, (req, res) =>
    sendCurve(parts, res, { notice: req.query.saved === '1' ? 'The level curve is saved.' : '' }),
  );
  addConfigForm(router, parts, {
    path: CURVE_PATH,
    page: CURVE_PATH,
    schema: curveForm.transform((xpCurve) => ({ change: { xpCurve }, what: `Set the curve to ${xpCurve}` })),
    show: sendCurve,
  });
  router.post(`${CURVE_PATH}/preview`, (req, res) => {
    const values = formOf(req);
    const refuse = (problem: string, error: unknown) =>
      sendCurve(parts, res, { problem, errors: errorsOf(error), values });
    return showProblem(refuse, async () => {
      const curve = parseForm(curveForm, values);
      await countOnce(guildOf(res), () => sendPreview(parts, res, curve));
    });
  });
}

async function sendCurve(parts: Parts, res: Response, shown: ShownForm): Promise<void> {
  const guildId = guildOf(res);
  const [overview, custom] = await Promise.all([
    readOverview(parts, parts.planQuotas, guildId),
    parts.client.hget(parts.redisKeys.guild(guildId).config, 'xp_curve_custom'),
  ]);
  const data = {
    ...shown,
    overview,
    curve: shown.values?.curve ?? overview.xp_curve,
    custom: shown.values?.custom ?? custom ?? '',
    curves: [...CURVE_CHOICES, ['custom', 'custom, your own numbers']],
    compared: comparedCurves(custom),
    comparedLevels: COMPARED_LEVELS,
  };
  parts.views.send(res, 'curve', { title: 'Level curve', ...data }, shown.problem ? 400 : 200);
}

/** Shows what a curve does to the levels, with a button that saves it. */
async function sendPreview(parts: Parts, res: Response, curve: CurveText): Promise<void> {
  const { counters, commands, client, redisKeys, views } = parts;
  const guildId = guildOf(res);
  const presentNumbers = await client.hget(redisKeys.guild(guildId).config, 'xp_curve_custom');
  const { value: stats } = await commands.read(new StatsCommand(guildId));
  const { members, levelSum } = await counters.preview(guildId, curve);
  const after = averageLevel(String(levelSum), Number(members));
  const shape = parseCurve(curve);
  const levels = shape && SAMPLE_LEVELS.map((level) => ({ level, xp: xpForLevel(shape, level) }));
  const [name, custom] = curve.split('=');
  const present = { name: stats.xp_curve, custom: stats.xp_curve === 'custom' ? presentNumbers : null };
  const change = { name, custom, levels, before: stats.average_level, after, present };
  views.send(res, 'curve-preview', { title: 'A new level curve', ...change });
}
