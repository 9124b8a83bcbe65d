import type { Request, Response } from 'express';
import * as z from 'zod';
import { InvalidInputError } from '../../core/errors.ts';
import { type Overview, readOverview } from '../../core/guilds/overview.ts';
import { BOARDS, kindOfBoard } from '../../core/store/redis-keys.ts';
import { ATTRIBUTES } from '../../widget/attributes.ts';
import type { ShownForm } from '../config-form.ts';
import {
  capField,
  choice,
  errorsOf,
  errorsOfFields,
  formOf,
  parseForm,
  problemOfFields,
  showProblem,
  WrongFieldsError,
} from '../forms.ts';
import type { GuildPage, Parts } from '../guild-page.ts';
import { makeKey } from '../keys/key-made.ts';
import { notFound } from '../refused-page.ts';
import { sentence } from '../sentences.ts';
import { guildOf } from '../visit.ts';
import { isNotionAllowed, keyForTarget, NOTION_SITE, usableTargets } from './target-access.ts';
import { addWidgetData } from './widget-data.ts';
import {
  attributesOf,
  BOARD_LABELS,
  COLOURS,
  fieldsOf,
  LANGUAGE_LABELS,
  PART_LABELS,
  propertiesOf,
  widgetForm,
} from './widget-form.ts';
import {
  codeOf,
  codesOf,
  costsOf,
  isOnSite,
  SNIPPET_TARGETS,
  type SnippetService,
  type SnippetTarget,
  takesKey,
} from './widget-snippet.ts';

/** The form that makes a key has the settings of the widget too. */
const keyForm = widgetForm.extend({ target: choice(SNIPPET_TARGETS), site: z.string().default(''), cap: capField });

/** The page that puts the leaderboard on a site: the look with a preview, a key for the site, the code with the key, and what it costs. */
export const widgetPage: GuildPage = {
  path: '/widget',
  label: 'Put it on your site',
  icon: 'code-xml',
  addTo(router, parts) {
    const { apiKeys, newKeys, views } = parts;

    router.get('/widget', (req, res) => sendPage(parts, res, req.query));
    router.get('/widget/settings', async (req, res) => {
      const { settings: _, overview: __, ...shown } = await shownOf(parts, res, req.query);
      res.status(shown.problem === '' ? 200 : 400).json(shown);
    });

    router.post('/widget', (req, res) => {
      const fields = formOf(req);
      const showPage = (problem: string, error: unknown) =>
        sendPage(parts, res, fields, { problem, errors: errorsOf(error) });
      return showProblem(showPage, () => makeSiteKey(parts, req, res, fields));
    });

    router.get('/widget/made/:id', async (req, res) => {
      const record = (await apiKeys.list(guildOf(res))).find(({ id }) => id === req.params.id);
      const { data } = widgetForm.extend({ target: choice(SNIPPET_TARGETS) }).safeParse(req.query);
      if (!record || !data) throw notFound();
      const { target } = data;
      const service = serviceOf(parts, await overviewOf(parts, res));
      // This comes last, because the key can be shown only once.
      const { key } = newKeys.take(req, res, record.id);
      const code = codeOf(target, data, service, key);
      const settings = String(new URLSearchParams(fieldsOf(data)));
      const { hasPublicPage } = service;
      const shown = { record, code, target, settings, hasPublicPage, ...frameFacts(parts) };
      views.send(res, 'widget-made', { title: 'Your code', ...shown });
    });
    addWidgetData(router, parts);
  },
};

/** The messages about a form that was refused. */
type RefusedForm = Required<Pick<ShownForm, 'problem' | 'errors'>>;

/** Makes a key for the target that the form names, and answers with the way to its code. @throws InvalidInputError with what to change. */
async function makeSiteKey(parts: Parts, req: Request, res: Response, fields: Readonly<Record<string, string>>) {
  const { target, site, cap, ...settings } = parseForm(keyForm, fields);
  if (!takesKey(target, serviceOf(parts, await overviewOf(parts, res)))) {
    throw new InvalidInputError('The public page needs no API Key: copy its address as it is');
  }
  const { name, origin } = keyOfSite(target, site, parts);
  const wanted = { name, lifetime: 'until revoked', lifetimeMs: null, origins: [origin], cap };
  const { record } = await makeKey(parts, req, res, wanted);
  const query = new URLSearchParams({ target, ...fieldsOf(settings) });
  res.redirect(303, `/guilds/${record.guildId}/widget/made/${record.id}?${query}`);
}

/** Returns the name and the origin of a key, as {@link keyForTarget} does. An error about the site belongs to its field. @throws InvalidInputError */
function keyOfSite(target: SnippetTarget, site: string, parts: Parts) {
  try {
    return keyForTarget(target, site, parts);
  } catch (error) {
    const isAboutSite = isOnSite(target) || (target === 'iframe' && parts.embedOrigins.length > 0);
    if (!(error instanceof InvalidInputError && isAboutSite)) throw error;
    throw new WrongFieldsError(error.message, { site: error.message });
  }
}

/** @param fields the fields of the address, or of a refused form. @param refused what is wrong with that form. */
async function sendPage(parts: Parts, res: Response, fields: Request['query'], refused?: RefusedForm): Promise<void> {
  const { overview, ...shown } = await shownOf(parts, res, fields);
  const { problem, errors } = refused ?? shown;
  const data = {
    title: 'Put it on your site',
    ...shown,
    overview,
    problem,
    errors,
    // The other half of the quota is left for everything else.
    cap: fields.cap ?? Math.max(1, Math.floor(overview.requests_per_hour / 2)),
    site: fields.site ?? '',
    target: Object.hasOwn(SNIPPET_TARGETS, String(fields.target)) ? fields.target : 'html',
    boards: BOARDS.filter((board) => overview.boards.includes(kindOfBoard(board))),
    ...frameFacts(parts),
    usableTargets: usableTargets(parts, shown.hasPublicPage),
    names: {
      targets: SNIPPET_TARGETS,
      boards: BOARD_LABELS,
      parts: PART_LABELS,
      languages: LANGUAGE_LABELS,
      colours: Object.keys(COLOURS),
      attributes: ATTRIBUTES,
    },
  };
  parts.views.send(res, 'widget', data, problem === '' ? 200 : 400);
}

/** Returns the settings in the fields, and the data of the page that follow from them. If a setting is wrong, all settings have their defaults. */
async function shownOf(parts: Parts, res: Response, fields: Request['query']) {
  const { data: settings = widgetForm.parse({}), error } = widgetForm.safeParse(fields);
  const overview = await overviewOf(parts, res);
  const service = serviceOf(parts, overview);
  return {
    settings,
    overview,
    problem: error ? sentence(problemOfFields(error)) : '',
    errors: error ? errorsOfFields(error) : {},
    attributes: attributesOf(settings),
    properties: propertiesOf(settings),
    fields: fieldsOf(settings),
    codes: codesOf(settings, service),
    hasPublicPage: service.hasPublicPage,
    costs: costsOf(settings, overview.requests_per_hour),
  };
}

function overviewOf(parts: Parts, res: Response): Promise<Overview> {
  return readOverview(parts, parts.planQuotas, guildOf(res));
}

/** Returns what the texts of the targets say of the service: its address, and the sites that may show its pages in a frame. */
function frameFacts({ apiUrl, embedOrigins }: Parts) {
  return { apiUrl, embedOrigins, notion: NOTION_SITE, isNotionAllowed: isNotionAllowed(embedOrigins) };
}

function serviceOf({ apiUrl, publicPages }: Parts, { guild, public_page }: Overview): SnippetService {
  return { apiUrl, guildId: guild, hasPublicPage: publicPages && public_page };
}
