import type { Response } from 'express';
import { type Overview, readOverview } from '../../core/guilds/overview.ts';
import { CURVE_NAMES } from '../../core/ranking/curves.ts';
import { DEFAULT_COLOURS, type LookField } from '../../core/settings/page-look.ts';
import { timeZoneNames } from '../../core/settings/time-zone.ts';
import { BOARD_KINDS } from '../../core/store/keys.ts';
import { clockOf, periodsOf } from '../boards/boards-clock.ts';
import type { Parts } from '../guild-page.ts';
import { guildOf, sessionOf } from '../visit.ts';

/** Colours of the public page, with their labels, and those that the page has by itself. */
const PAGE_COLOURS = [
  ['page_accent', 'Accent', DEFAULT_COLOURS.accent],
  ['page_accent_dark', 'Accent, dark', DEFAULT_COLOURS.accentDark],
  ['page_background', 'Background', DEFAULT_COLOURS.background],
  ['page_background_dark', 'Background, dark', DEFAULT_COLOURS.backgroundDark],
] as const satisfies readonly (readonly [field: LookField, label: string, own: string])[];

/** Shows the settings of the guild. @param values of the form that was refused: they stay in its fields. */
export async function sendSettings(
  parts: Parts,
  res: Response,
  notice: string,
  problem = '',
  values: Readonly<Record<string, string>> = {},
): Promise<void> {
  const guildId = guildOf(res);
  await parts.guildConfig.renewTimeZone(guildId);
  const [overview, [custom, rules], sessions] = await Promise.all([
    readOverview(parts, parts.planQuotas, guildId),
    parts.client.hmget(parts.redisKeys.guild(guildId).config, 'xp_curve_custom', 'rules'),
    parts.sessions.list(guildId),
  ]);
  const data = {
    overview,
    custom,
    notice,
    problem,
    values,
    sessions,
    hasRules: Boolean(rules),
    curves: CURVE_NAMES,
    boardKinds: BOARD_KINDS,
    periods: await periodsOf(
      parts,
      guildId,
      BOARD_KINDS.filter((kind) => overview.boards.includes(kind)),
    ),
    clock: clockOf(overview),
    timeZones: timeZoneNames(),
    plans: [...parts.planQuotas],
    pageColours: PAGE_COLOURS,
    publicUrl: `${parts.apiUrl}/g/${encodeURIComponent(guildId)}`,
    previewProblem: previewProblem(parts, overview),
    sessionsPath: `/guilds/${encodeURIComponent(guildId)}/settings/sessions/end`,
    ownSession: sessionOf(res).id,
  };
  parts.views.send(res, 'settings', { title: 'Settings', ...data }, problem === '' ? 200 : 400);
}

/** Returns why there is no preview of the public page; "" when there is one. */
function previewProblem({ publicPages, embedOrigins, url }: Parts, { public_page }: Overview): string {
  if (!publicPages)
    return 'There is no preview: this dashboard knows of no public pages. The operator sets PUBLIC_PAGES=1 for it and for the service.';
  if (!embedOrigins.includes('*') && !embedOrigins.includes(url()))
    return `There is no preview: the operator sets EMBED_ORIGINS=${url()} for this dashboard and for the service.`;
  return public_page ? '' : 'Show the page, and its preview is here.';
}
