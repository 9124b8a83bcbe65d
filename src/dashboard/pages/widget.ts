import type { Request, Response } from 'express';
import { z } from 'zod';
import { readOverview } from '../../guild/overview/overview.ts';
import { ID_PATTERN, MAX_PAGE_SIZE } from '../../guild/ranking/model.ts';
import { MemberRead, PageRead, StatsRead } from '../../guild/ranking/reader.ts';
import { parseForm } from '../forms.ts';
import type { GuildPage, Parts } from '../guild-page.ts';
import { notFound, Refusal } from '../refusal.ts';
import { guildOf } from '../visit.ts';
import { attributesOf, COLOURS, costsOf, propertiesOf, snippetOf, widgetForm } from '../widget-snippet.ts';

/** Address of the data of the preview, below the page: the widget adds the path of the API and of the guild. */
const DATA = '/widget/data/api/v1/servers/:server';

const number = z
  .string()
  .regex(/^\d{1,9}$/)
  .transform(Number);
const pageQuery = z.object({
  page: number.default(1).refine((page) => page >= 1),
  limit: number.default(10).refine((limit) => limit >= 1 && limit <= MAX_PAGE_SIZE),
});

/** The widget with other settings: a preview with the data of the guild, the HTML to copy, and what it costs. */
export const widgetPage: GuildPage = {
  path: '/widget',
  label: 'Widget',
  addTo(router, parts) {
    const { commands, views } = parts;

    router.get('/widget', async (req, res) => {
      const { settings, problem, ...shown } = await show(parts, req, res);
      const data = { title: 'Widget', settings, notice: '', problem, colours: Object.keys(COLOURS), ...shown };
      views.send(res, 'widget', data, problem === '' ? 200 : 400);
    });
    router.get('/widget/settings', async (req, res) => {
      const { settings: _, ...shown } = await show(parts, req, res);
      res.status(shown.problem === '' ? 200 : 400).json(shown);
    });

    router.get(`${DATA}/leaderboard`, requireOwn, async (req, res) => {
      const { data } = parseForm(pageQuery, req.query);
      if (!data) throw new Refusal(400, 'Bad request', 'There is no such page of the leaderboard.');
      sendJson(res, (await commands.read(new PageRead(guildOf(res), data.page, data.limit))).value);
    });
    router.get(`${DATA}/members/:user`, requireOwn, async (req, res) => {
      const user = String(req.params.user ?? '');
      if (!ID_PATTERN.test(user)) throw notFound();
      const { value } = await commands.read(new MemberRead(guildOf(res), user));
      if (value) sendJson(res, value);
      else res.status(404).json({ code: 'member_not_found' });
    });
    router.get(`${DATA}/stats`, requireOwn, async (_req, res) => {
      sendJson(res, (await commands.read(new StatsRead(guildOf(res)))).value);
    });
  },
};

/** Returns the settings that the address names, and what follows from them. Wrong settings give those of the widget. */
async function show(parts: Parts, req: Request, res: Response) {
  const form = parseForm(widgetForm, req.query);
  const settings = form.data ?? widgetForm.parse({});
  const guildId = guildOf(res);
  const { plan, requests_per_hour } = await readOverview(parts, parts.planQuotas, guildId);
  return {
    settings,
    problem: form.problem,
    plan,
    perHour: requests_per_hour,
    attributes: attributesOf(settings),
    properties: propertiesOf(settings),
    snippet: snippetOf(settings, parts.apiUrl, guildId),
    costs: costsOf(settings, requests_per_hour),
  };
}

/** Lets a read of the preview through for the guild of the page alone. */
function requireOwn(req: Request, res: Response, next: () => void): void {
  if (req.params.server !== guildOf(res)) throw notFound();
  next();
}

/** Sends data with the fields of the API. A total beyond 2^53 is rounded, for the preview only. */
function sendJson(res: Response, value: object): void {
  res.type('json').send(JSON.stringify(value, (_name, field) => (typeof field === 'bigint' ? Number(field) : field)));
}
