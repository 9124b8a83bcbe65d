import type { Response, Router } from 'express';
import * as z from 'zod';
import { ID_PATTERN, MAX_PAGE_SIZE, parseRankingId, type RankingId } from '../../core/ranking/model.ts';
import { MemberCommand, PageCommand, StatsCommand } from '../../core/reads/read-commands.ts';
import type { Parts } from '../guild-page.ts';
import { notFound, RefusedPage } from '../refused-page.ts';
import { guildOf } from '../visit.ts';

/** Address of the data of the preview, below the page: the widget adds the path of the API and of the ranking. */
const DATA = '/widget/data/api/v1/servers/:server';

const number = z
  .string()
  .regex(/^\d{1,9}$/)
  .transform(Number);
const pageQuery = z.object({
  page: number.default(1).refine((page) => page >= 1),
  limit: number.default(10).refine((limit) => limit >= 1 && limit <= MAX_PAGE_SIZE),
});

/** Adds the operations of the API for the preview of the widget: behind the sign-in, for the guild of the page, and outside its quota. */
export function addWidgetData(router: Router, { commands }: Parts): void {
  router.get(`${DATA}/leaderboard`, async (req, res) => {
    const { guildId, board } = ownRanking(req.params.server, res);
    const { data } = pageQuery.safeParse(req.query);
    if (!data) throw new RefusedPage(400, 'Bad request', 'There is no such page of the leaderboard.');
    sendJson(res, (await commands.read(new PageCommand(guildId, data.page, data.limit, board))).value);
  });
  router.get(`${DATA}/members/:user`, async (req, res) => {
    const { guildId, board } = ownRanking(req.params.server, res);
    const user = req.params.user ?? '';
    if (!ID_PATTERN.test(user)) throw notFound();
    const { value } = await commands.read(new MemberCommand(guildId, user, board));
    if (value) sendJson(res, value);
    else res.status(404).json({ code: 'member_not_found' });
  });
  router.get(`${DATA}/stats`, async (req, res) => {
    const { guildId, board } = ownRanking(req.params.server, res);
    sendJson(res, (await commands.read(new StatsCommand(guildId, board))).value);
  });
}

/** Returns the ranking with an id. @throws RefusedPage unless the ranking belongs to the guild of the page. */
function ownRanking(id: string | undefined, res: Response): RankingId {
  const ranking = parseRankingId(id ?? '');
  if (ranking?.guildId !== guildOf(res)) throw notFound();
  return ranking;
}

/** Sends data with the fields of the API. A total above 2^53 is rounded here, because the widget would round it anyway. */
function sendJson(res: Response, value: object): void {
  res.type('json').send(JSON.stringify(value, (_name, field) => (typeof field === 'bigint' ? Number(field) : field)));
}
