import type { Response } from 'express';
import * as z from 'zod';
import { digits, withNoun } from '../../core/format-numbers.ts';
import { readOverview } from '../../core/guilds/overview.ts';
import { StatsCommand } from '../../core/reads/read-commands.ts';
import type { GuildConfigChange } from '../../core/settings/guild-config.ts';
import { timeZoneNames } from '../../core/settings/time-zone.ts';
import { BOARD_KINDS, type BoardKind } from '../../core/store/redis-keys.ts';
import { addConfigForm, type ShownForm } from '../config-form.ts';
import { parsed } from '../forms.ts';
import type { GuildPage, Parts } from '../guild-page.ts';
import type { Question } from '../questions.ts';
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
    addConfigForm(router, parts, {
      path: PATH,
      page: PATH,
      schema: boardsForm,
      question: endQuestion,
      show: sendBoards,
    });
  },
};

/** Returns the question before boards are turned off; null if all boards stay. Three round trips at most. @throws StoreUnavailableError */
async function endQuestion(
  parts: Parts,
  guildId: string,
  { boards = [] }: GuildConfigChange,
): Promise<Question | null> {
  const present = await readOverview(parts, parts.planQuotas, guildId);
  const ending = BOARD_KINDS.filter((kind) => present.boards.includes(kind) && !boards.includes(kind));
  if (ending.length === 0) return null;
  const lost = await Promise.all(ending.map((kind) => rankingsOf(parts, guildId, kind)));
  return {
    title: ending.length > 1 ? 'Turn off both boards?' : `Turn off the board of the ${ending[0]}?`,
    paragraphs: [
      `This deletes ${lost.join(', and ')}. You cannot undo this.`,
      'Total XP, levels and roles stay as they are. If you turn the board on again, it starts empty.',
    ],
    button: ending.length > 1 ? 'Turn off both boards' : 'Turn off the board',
    keep: 'Keep it',
    back: `/guilds/${encodeURIComponent(guildId)}${PATH}`,
  };
}

/** Returns the two rankings of a board in words. */
async function rankingsOf({ commands }: Parts, guildId: string, kind: BoardKind): Promise<string> {
  const { value } = await commands.read(new StatsCommand(guildId, kind));
  const gained = `${withNoun(value.total_members, 'member')} with ${digits(BigInt(value.total_xp))} XP gained`;
  return `the ranking of this ${kind} (${gained}) and the ranking of the ${kind} before`;
}

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
