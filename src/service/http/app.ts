import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import type { PublicPages } from '../public/routes.ts';
import { type ApiParts, type ApiRoutes, apiRoutes } from './api/routes.ts';
import { healthRoutes, type Readiness } from './health-routes.ts';
import { openContext, type RequestContext, type RequestContextParts } from './request-context.ts';
import { answerPreflight, type CorsPolicy } from './response/headers.ts';
import { Problem, toProblem } from './response/problem.ts';
import { staticRoutes } from './site/static-routes.ts';

/** The parts of the service that the Express application uses. */
export interface AppParts extends ApiParts, RequestContextParts {
  /** Layers that every request passes, once it has its context. */
  readonly middleware: readonly RequestHandler[];
  readonly readiness: Readiness;
  /** Further routes that need no key, when some are wanted. */
  readonly extraRoutes: RequestHandler | undefined;
  readonly cors: CorsPolicy;
  /** Sites that may show public pages, and the page for frames, in a frame; an empty list = there is no page for frames. */
  readonly embedOrigins: readonly string[];
  /** Undefined = there are no public pages. */
  readonly publicPages: PublicPages | undefined;
  readonly trustProxy: number | readonly string[];
  /** Called for each request that gets a response although it is not an operation of the API. */
  readonly countOther: (kind: 'options' | 'page' | 'probe') => void;
  /** Called before a problem is sent. */
  readonly onProblem: ((req: Request, res: Response) => void) | undefined;
  /** Called with an error of this service or its store, for the log. */
  readonly report: (error: unknown, context: RequestContext) => void;
}

/** Assembles the HTTP application. It opens nothing and listens on nothing. */
export function createApp(parts: AppParts): Express {
  const api = apiRoutes(parts);
  const { countOther, publicPages: pages } = parts;
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
  const isPublicData = (path: string) => pages?.isData(path) ?? false;
  app.use(answerPreflight(parts.cors, isPublicData, () => countOther('options')));
  if (pages) app.use(pages.knownAddresses);
  api.addTo(app);
  app.use(healthRoutes(parts.readiness, () => countOther('probe')));
  if (parts.extraRoutes) app.use(parts.extraRoutes);
  app.use(staticRoutes(parts.embedOrigins, () => countOther('page')));
  if (pages) app.use(pages.router);
  app.use(api.refuse(notFound));
  app.use(countBadPath(api));
  app.use(answerProblem(parts));
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

/** Answers a failed request with its problem document. */
function answerProblem({ responses, report, onProblem, publicPages }: AppParts): ErrorRequestHandler {
  return (error, req, res, _next) => {
    const problem = toProblem(error);
    res.context.problem = problem;
    onProblem?.(req, res);
    if (problem.extra.cause !== undefined) report(problem.extra.cause, res.context);
    if (res.headersSent) res.destroy();
    else if (!publicPages?.refuse(req, res, problem)) responses.problem(req, res, problem);
  };
}
