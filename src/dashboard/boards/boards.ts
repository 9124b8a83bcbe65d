import type { Response } from 'express';
import * as z from 'zod';
import { readOverview } from '../../core/guilds/overview.ts';
import { parseUtcOffset } from '../../core/settings/guild-config.ts';
import { BOARD_KINDS } from '../../core/store/keys.ts';
import { addConfigForm, type ShownForm } from '../config-form.ts';
import { parsed } from '../forms.ts';
import type { GuildPage, Parts } from '../guild-page.ts';
import { guildOf } from '../visit.ts';

const PATH = '/settings/boards';
/** Clocks of the world that are not whole hours from UTC, in minutes. */
const ODD_OFFSETS = [-570, -210, 210, 270, 330, 345, 390, 525, 570, 630, 765];
const WHOLE_HOURS = Array.from({ length: 27 }, (_, i) => 60 * (i - 12));

const boardsForm = z
  .object({
    // A browser leaves out a box that is not checked.
    week: z.string().optional(),
    month: z.string().optional(),
    offset: parsed((text) => parseUtcOffset(text.trim())),
  })
  .transform(({ offset, ...boxes }) => ({
    boards: BOARD_KINDS.filter((kind) => boxes[kind] !== undefined),
    utcOffsetMinutes: offset,
  }))
  .transform((change) => ({
    change,
    what: `Set the boards to ${change.boards.join(', ') || 'none'}, at ${change.utcOffsetMinutes} minutes from UTC`,
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
  const overview = await readOverview(parts, parts.planQuotas, guildOf(res));
  const { values } = shown;
  const boxes = values ? Object.keys(values) : overview.boards;
  const data = {
    ...shown,
    boards: BOARD_KINDS.map((kind) => ({ kind, isOn: boxes.includes(kind) })),
    offset: values?.offset ?? String(overview.utc_offset_minutes),
    offsets: offsetsWith(overview.utc_offset_minutes),
  };
  parts.views.send(res, 'boards', { title: 'Boards', ...data }, shown.problem ? 400 : 200);
}

/** Returns offsets from UTC to choose from, with their names: those of the world, and the one that is stored. */
function offsetsWith(stored: number): [minutes: string, name: string][] {
  const all = [...new Set([...WHOLE_HOURS, ...ODD_OFFSETS, stored])].sort((a, b) => a - b);
  return all.map((minutes) => {
    const sign = minutes < 0 ? '-' : '+';
    const hours = Math.floor(Math.abs(minutes) / 60);
    const rest = Math.abs(minutes) % 60;
    return [String(minutes), `UTC${sign}${twoDigits(hours)}:${twoDigits(rest)}`];
  });
}

function twoDigits(n: number): string {
  return String(n).padStart(2, '0');
}
