import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import { type ApiParts, type ApiRoutes, apiRoutes } from './api/routes.ts';
import { healthRoutes, type Readiness } from './health.ts';
import type { PublicPages, PublicPagesParts } from './public/routes.ts';
import { openContext, type RequestContext, type RequestContextParts } from './request-context.ts';
import { answerPreflight, type CorsPolicy } from './response/headers.ts';
import { Problem, toProblem } from './response/problem.ts';
import { staticRoutes } from './site/static-routes.ts';

/** What public pages need beside what the API needs. */
export interface PublicPagesSettings extends Pick<PublicPagesParts, 'limiter' | 'url' | 'hasComponentEmbeds'> {
  /** Files of the fonts of their pictures; none = known ones. */
  readonly fonts: readonly string[];
  /** Draws their pictures, instead of the optional package. */
  readonly painter: PublicPagesParts['painter'];
  /** Called with a text for the log, about what the operator should know. */
  readonly warn: (text: string) => void;
}

export interface AppParts extends ApiParts, RequestContextParts {
  /** Layers that every request passes, once it has its context. */
  readonly middleware: readonly RequestHandler[];
  readonly readiness: Readiness;
  /** Further routes that need no key, when some are wanted. */
  readonly extraRoutes: RequestHandler | undefined;
  readonly cors: CorsPolicy;
  /** Sites that may show public pages, and the widget's page, in a frame; none = there is no page of the widget. */
  readonly embedOrigins: readonly string[];
  /** Undefined = there are no public pages. */
  readonly publicPages: PublicPagesSettings | undefined;
  readonly trustProxy: number | readonly string[];
  /** Called for each request that is no operation of the API and gets an answer all the same. */
  readonly countOther: (kind: 'options' | 'page' | 'probe') => void;
  /** Called before a problem is sent. */
  readonly onProblem: ((req: Request, res: Response) => void) | undefined;
  /** Called with an error of this service or its store, for the log. */
  readonly report: (error: unknown, context: RequestContext) => void;
}

/** Assembles the HTTP application. It opens nothing and listens on nothing. */
export function createApp(parts: AppParts): Express {
  const api = apiRoutes(parts);
  const { countOther, publicPages } = parts;
  const pages = publicPages && loadPages(parts, publicPages);
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.set('trust proxy', parts.trustProxy);
  app.enable('case sensitive routing');
  app.enable('strict routing');

  // Each layer that a request passes costs: the operations come first, health last.
  const context = openContext({ ...parts, isTrusted: parts.trustProxy === 0 ? undefined : app.get('trust proxy fn') });
  for (const layer of [context, ...parts.middleware, api.knownAddresses]) app.use(layer);
  app.use(api.requireHost);
  app.use(answerPreflight(parts.cors, () => countOther('options')));
  if (pages) app.use(pages.knownAddresses);
  api.addTo(app);
  app.use(healthRoutes(parts.readiness, () => countOther('probe')));
  app.use(staticRoutes(parts.embedOrigins, () => countOther('page')));
  if (pages) app.use(pages.route);
  if (parts.extraRoutes) app.use(parts.extraRoutes);
  app.use(api.refuse(notFound));
  app.use(countBadPath(api));
  app.use(answerProblem(parts, pages?.refuse));
  return app;
}

function notFound(): Problem {
  return new Problem('not_found', 'There is no such resource. The operations are under /api/v1/servers/{guild_id}.');
}

/** Counts a request whose path is not valid percent-encoding: the router throws for it before it finds a route. */
function countBadPath(api: ApiRoutes): ErrorRequestHandler {
  return (error, req, res, next) => {
    if (!(error instanceof URIError)) return next(error);
    return api.refuse(() => toProblem(error))(req, res, next);
  };
}

/** Loads the public pages. A service without them starts without their templates and what else they need. */
function loadPages(parts: AppParts, settings: PublicPagesSettings) {
  let loaded: PublicPages | undefined;
  const load = async (): Promise<PublicPages> => {
    const [{ publicPages }, { loadPainter }] = await Promise.all([
      import('./public/routes.ts'),
      import('./public/resvg.ts'),
    ]);
    const painter = settings.painter ?? (await loadPainter(settings.fonts, settings.warn));
    loaded = publicPages({ ...parts, ...settings, painter }, () => parts.countOther('page'));
    return loaded;
  };
  const loading = load();
  loading.catch(() => {}); // Each request gets the error.
  const route: RequestHandler = async (req, res, next) => (loaded ?? (await loading)).router(req, res, next);
  const knownAddresses: RequestHandler = (req, res, next) => (loaded ? loaded.knownAddresses(req, res, next) : next());
  const refuse: PublicPages['refuse'] = (...answer) => loaded?.refuse(...answer) ?? false;
  return { route, knownAddresses, refuse };
}

/** Answers a request that failed with the problem that it is. */
function answerProblem(
  { responses, report, onProblem }: AppParts,
  refusePage: PublicPages['refuse'] = () => false,
): ErrorRequestHandler {
  return (error, req, res, _next) => {
    const problem = toProblem(error);
    res.context.problem = problem;
    onProblem?.(req, res);
    if (problem.extra.cause !== undefined) report(problem.extra.cause, res.context);
    if (res.headersSent) res.destroy();
    else if (!refusePage(req, res, problem)) responses.problem(req, res, problem);
  };
}
