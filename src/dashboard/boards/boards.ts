import type { Response } from 'express';
import * as z from 'zod';
import { readOverview } from '../../core/guilds/overview.ts';
import { timeZoneNames } from '../../core/settings/time-zone.ts';
import { BOARD_KINDS } from '../../core/store/keys.ts';
import { addConfigForm, type ShownForm } from '../config-form.ts';
import { parsed } from '../forms.ts';
import type { GuildPage, Parts } from '../guild-page.ts';
import { guildOf } from '../visit.ts';
import { clockOf, clockText, parseClock, periodsOf } from './boards-clock.ts';

const PATH = '/settings/boards';

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
  }))
  .transform((change) => ({
    change,
    what: `Set the boards to ${change.boards.join(', ') || 'none'}, by the clock of ${clockText(change)}`,
  }));

/** The boards of the guild, and the clock by which they begin. */
export const boardsPage: GuildPage = {
  path: PATH,
  label: 'Boards',
  icon: 'trophy',
  addTo(router, parts) {
    router.get(PATH, (req, res) =>
      sendBoards(parts, res, { notice: req.query.saved === '1' ? 'Your boards are saved.' : '' }),
    );
    addConfigForm(router, parts, { path: PATH, page: PATH, schema: boardsForm, show: sendBoards });
  },
};

async function sendBoards(parts: Parts, res: Response, shown: ShownForm): Promise<void> {
  const guildId = guildOf(res);
  await parts.guildConfig.renewTimeZone(guildId);
  const overview = await readOverview(parts, parts.planQuotas, guildId);
  const { values } = shown;
  const boxes = values ? Object.keys(values) : overview.boards;
  const periods = await periodsOf(
    parts,
    guildId,
    BOARD_KINDS.filter((kind) => overview.boards.includes(kind)),
  );
  const data = {
    ...shown,
    boards: BOARD_KINDS.map((kind) => ({
      kind,
      isOn: boxes.includes(kind),
      period: periods.find((each) => each.kind === kind)?.text ?? '',
    })),
    clock: values?.clock ?? clockOf(overview),
    timeZones: timeZoneNames(),
  };
  parts.views.send(res, 'boards', { title: 'Boards', ...data }, shown.problem ? 400 : 200);
}
