import express, { type ErrorRequestHandler, type Express, type RequestHandler, Router } from 'express';
import { StoreUnavailableError } from '../core/errors.ts';
import { GuildDirectory } from '../core/guilds/guild-directory.ts';
import { ID_PATTERN } from '../core/ranking/model.ts';
import { PICTURE_HOST } from '../core/ranking/picture-hash.ts';
import { healthRoutes, type Readiness } from '../service/http/health-routes.ts';
import { type Activity, openContext } from '../service/http/request-context.ts';
import type { Assets } from './assets.ts';
import { checkForm, enteredOf, FORM_LIMITS, limitBodyTime, readForm, requireSameOrigin } from './forms.ts';
import type { Parts } from './guild-page.ts';
import { operatorRoutes } from './operator/operator.ts';
import { ServerList } from './operator/server-list.ts';
import { GUILD_PAGES } from './pages.ts';
import { notFound, RefusedPage } from './refused-page.ts';
import { messageForPerson } from './sentences.ts';
import { countServers, rememberServer, serverRoutes } from './servers/servers.ts';
import { readServer } from './shown-server.ts';
import { askAgain, discordRoutes } from './sign-in/discord/discord.ts';
import { readSession, requireSession, signInRoutes } from './sign-in/sign-in.ts';
import { signOutRoutes } from './sign-in/sign-out.ts';
import { sessionOf, visitOf } from './visit.ts';

/** The parts that the Express application of the dashboard uses. */
export interface DashboardParts extends Parts {
  readonly assets: Assets;
  readonly trustProxy: number | readonly string[];
  /** Middleware for every request, after the request has its context. */
  readonly middleware: readonly RequestHandler[];
  readonly readiness: Readiness;
  readonly requestId: () => string;
  /** Milliseconds on a clock that never goes back. */
  readonly monotonic: () => number;
  readonly activity: Activity;
  /** Called with an error of the dashboard or its store, for the log. */
  readonly report: (error: unknown, requestId: string) => void;
}

/**
 * Returns the Content-Security-Policy. A page frames nothing except the preview of a public page, and loads nothing from other hosts except the
 * pictures of servers if people sign in with Discord. Trusted types keep scripts from writing text as markup.
 */
function policyOf({ discord, publicPages, apiUrl }: DashboardParts): string {
  return [
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'self'",
    `img-src 'self' data:${discord ? ` ${PICTURE_HOST}` : ''}`,
    "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    ...(publicPages ? [`frame-src ${apiUrl}`] : []),
  ].join('; ');
}

/**
 * Headers of all answers. No cache keeps an answer. The referrer policy is "same-origin", because with "no-referrer" browsers would send forms with
 * `Origin: null`.
 */
const HEADERS = {
  'Cache-Control': 'no-store',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

/** Assembles the application. It opens nothing and listens on nothing. */
export function createDashboardApp(parts: DashboardParts): Express {
  const { assets, url, readiness, monotonic, requestId, activity } = parts;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.set('trust proxy', parts.trustProxy);

  app.use(openContext({ now: monotonic, requestId, activity }));
  const policy = policyOf(parts);
  app.use((_req, res, next) => {
    res.set({
      ...HEADERS,
      'Content-Security-Policy': policy,
      ...(url().startsWith('https:') && { 'Strict-Transport-Security': 'max-age=31536000' }),
    });
    next();
  });
  for (const layer of parts.middleware) app.use(layer);
  app.use(healthRoutes(readiness));
  app.use(assets.routes);
  app.use(requireSameOrigin(url));
  app.use(limitBodyTime);
  app.use(readForm);
  app.use(readSession(parts));
  app.use(discordRoutes(parts, monotonic));
  app.use(signInRoutes(parts, monotonic));
  app.use(requireSession);
  app.use(checkForm(GUILD_PAGES.flatMap(({ uploads = [] }) => uploads)));
  app.use(countServers);
  app.use(serverRoutes(parts));
  app.use(signOutRoutes(parts));
  app.use(operatorRoutes(parts, new ServerList(parts, new GuildDirectory(parts, monotonic), monotonic)));
  app.use('/guilds/:guild', guildRoutes(parts));
  app.use(() => {
    throw notFound();
  });
  app.use(answerError(parts));
  return app;
}

/** Creates the routes of the guild pages, behind the one check that the session may see the guild. */
function guildRoutes(parts: DashboardParts): Router {
  const router = Router({ mergeParams: true });
  router.use(async (req, res, next) => {
    const guild = String(req.params.guild ?? '');
    if (!ID_PATTERN.test(guild)) throw notFound();
    const { isOperator, guildIds, unconfirmed } = sessionOf(res);
    if (!isOperator && !guildIds.includes(guild)) {
      if (unconfirmed.includes(guild) || unconfirmed.includes(null)) return askAgain(parts, req, res);
      throw notFound();
    }
    visitOf(res).guildId = guild;
    const page = GUILD_PAGES.find(
      ({ path, alsoAt = [] }) =>
        req.path === (path || '/') || [path, ...alsoAt].some((each) => each && `${req.path}/`.startsWith(`${each}/`)),
    );
    if (page) res.context.route = `/guilds/:guild${page.path}`;
    visitOf(res).server = await readServer(parts, guild);
    next();
  });
  router.use(rememberServer(parts));
  for (const page of GUILD_PAGES) page.addTo(router, parts);
  return router;
}

/** Answers a request that failed with a page that says why. */
function answerError({ views, report }: DashboardParts): ErrorRequestHandler {
  return (error, req, res, _next) => {
    const page = refusedPageOf(error);
    if (page.status >= 500 && !(error instanceof RefusedPage)) report(error, res.context.requestId);
    if (res.headersSent) return void res.destroy();
    if (page.retryAfterS !== undefined) res.set('Retry-After', String(page.retryAfterS));
    const { status, title, message } = page;
    // The page of a refused form shows its input again, because the page of the form would be empty. A form that is too large was not read.
    const entered = enteredOf(req);
    views.send(res, 'refused-page', { title, status, message, entered, requestId: res.context.requestId }, status);
  };
}

/** Returns the page that a thrown value becomes. */
function refusedPageOf(error: unknown): RefusedPage {
  if (error instanceof RefusedPage) return error;
  const problem = messageForPerson(error);
  if (problem !== undefined) return new RefusedPage(400, 'That does not work', problem);
  if (error instanceof StoreUnavailableError) {
    const message = 'The database does not answer. Nothing was lost; try again in a moment.';
    return new RefusedPage(503, 'Not available just now', message, 5);
  }
  // Express and its body parser name the status of a bad request.
  const { status } = error as { status?: unknown };
  if (status === 413) {
    const message = `A form has at most ${FORM_LIMITS} here. Nothing was changed: shorten it, and send it again.`;
    return new RefusedPage(413, 'Too large', message);
  }
  if (error instanceof URIError || (typeof status === 'number' && status >= 400 && status < 500)) {
    return new RefusedPage(
      400,
      'Bad request',
      'The dashboard cannot read this request. Go back, load the page again, and repeat it.',
    );
  }
  return new RefusedPage(500, 'Something went wrong', 'The dashboard failed. Its log has the reason.');
}
