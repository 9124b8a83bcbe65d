import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import type { Gate } from './api/require-api-key.ts';
import { type ApiParts, addOperations, refuse } from './api/routes.ts';
import { type Shortcut, type ShortcutParts, shortcutTo } from './api/shortcut.ts';
import { healthRoutes, type Readiness } from './health.ts';
import type { RequestContext } from './request-context.ts';
import { answerOptions, corsPolicy } from './response/cors.ts';
import { invalidRequest, Problem, toProblem } from './response/problem.ts';
import type { ResponseWriter } from './response/response-writer.ts';
import { pages } from './site/static-routes.ts';

export interface AppParts extends ApiParts {
  readonly replies: ResponseWriter;
  readonly readiness: Readiness;
  /** Further routes that need no key, when some are wanted. */
  readonly extraRoutes: RequestHandler | undefined;
  readonly corsOrigins: readonly string[];
  readonly trustProxy: number | readonly string[];
  /** Milliseconds on a clock that never goes back. */
  readonly now: () => number;
  readonly requestId: () => string;
  /** Whether the process is going away: each answer then closes its connection. */
  readonly isDraining: () => boolean;
  /** Called for every request, with its exchange in place. */
  readonly onRequest: Observer | undefined;
  /** Called before a problem is answered. */
  readonly onProblem: Observer | undefined;
  /** Called with what went wrong inside, for the log. */
  readonly report: (error: unknown, context: RequestContext) => void;
}

type Observer = (req: Request, res: Response) => void;

export interface Application {
  readonly app: Express;
  readonly shortcut: Shortcut;
}

/** The HTTP application, and its shortcut. Pure assembly: it opens nothing and listens on nothing. */
export function createApp(parts: AppParts): Application {
  const open = openExchange(parts);
  const fail = answerProblem(parts);
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.set('trust proxy', parts.trustProxy);
  app.enable('case sensitive routing');
  app.enable('strict routing');

  // Each layer that a request passes costs; the operations come as early as they can, and health last.
  app.use(receive(parts.gate, open));
  addOperations(app, parts);
  app.use(healthRoutes(parts.readiness));
  app.use(pages());
  if (parts.extraRoutes) app.use(parts.extraRoutes);
  app.use(refuse(parts.gate, notFound));
  app.use(countUnroutable(parts));
  const answerFailed: ErrorRequestHandler = (error, req, res, _next) => fail(error, req, res);
  app.use(answerFailed);
  return { app, shortcut: shortcutTo({ operations: parts.operations, gate: parts.gate, open, fail }) };
}

/** Gives each request its context. */
function openExchange({ now, requestId, isDraining, onRequest, corsOrigins }: AppParts): Observer {
  const corsFor = corsPolicy(corsOrigins);
  return (req, res) => {
    res.context = {
      requestId: requestId(),
      startedAt: now(),
      route: 'unmatched',
      cors: corsFor(req.headers.origin),
      identity: undefined,
      quota: undefined,
    };
    if (isDraining()) res.shouldKeepAlive = false;
    onRequest?.(req, res);
  };
}

/** Takes in each request, and turns away what no route has to see. */
function receive(gate: Gate, open: Observer): RequestHandler {
  const refuseHostless = refuse(gate, missingHost);
  return (req, res, next) => {
    open(req, res);
    if (req.headers.host === undefined && req.httpVersion === '1.1') refuseHostless(req, res, next);
    else if (req.method === 'OPTIONS') answerOptions(res);
    else next();
  };
}

/** RFC 9112 section 3.2. Node's own check answers with an empty body. */
function missingHost(): Problem {
  return invalidRequest([{ parameter: 'Host', detail: 'must be sent, as HTTP/1.1 asks' }]);
}

function notFound(): Problem {
  return new Problem('not_found', 'There is no such resource. The operations are under /api/v1/servers/{guild_id}.');
}

/** A path that is not valid percent-encoding fails before any route is found: count it like every other bad request. */
function countUnroutable({ gate }: AppParts): ErrorRequestHandler {
  return (error, req, res, next) => {
    if (error instanceof URIError) refuse(gate, () => toProblem(error))(req, res, next);
    else next(error);
  };
}

/** Answers a request that failed with the problem that it is. */
function answerProblem({ replies, report, onProblem }: AppParts): ShortcutParts['fail'] {
  return (error, req, res) => {
    const problem = toProblem(error);
    onProblem?.(req, res);
    if (problem.extra.cause !== undefined) report(problem.extra.cause, res.context);
    if (res.headersSent) res.destroy();
    else replies.problem(req, res, problem);
  };
}
