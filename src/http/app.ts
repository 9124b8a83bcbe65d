import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import { answerOptions, corsPolicy } from './cors.ts';
import { type Demo, demoPage } from './demo-page.ts';
import type { Exchange } from './exchange.ts';
import { healthRoutes, type Readiness } from './health.ts';
import { pages } from './pages.ts';
import { invalidRequest, Problem, toProblem } from './problem.ts';
import { type ApiParts, addOperations, refuse } from './routes.ts';

export interface AppParts extends ApiParts {
  readonly readiness: Readiness;
  /** A demonstration page at /, when one is wanted. */
  readonly demo: Demo | undefined;
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
  readonly report: (error: unknown, exchange: Exchange) => void;
}

type Observer = (req: Request, res: Response) => void;

/** The HTTP application. Pure assembly: it opens nothing and listens on nothing. */
export function createApp(parts: AppParts): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.set('trust proxy', parts.trustProxy);
  app.enable('case sensitive routing');
  app.enable('strict routing');

  // Each layer that a request passes costs; the operations come as early as they can, and health last.
  app.use(openExchange(parts));
  addOperations(app, parts);
  app.use(healthRoutes(parts.readiness));
  app.use(pages());
  if (parts.demo) app.use(demoPage(parts.demo));
  app.use(refuse(parts.gate, notFound));
  app.use(countUnroutable(parts));
  app.use(answerProblem(parts));
  return app;
}

function openExchange({ gate, now, requestId, isDraining, onRequest, corsOrigins }: AppParts): RequestHandler {
  const corsFor = corsPolicy(corsOrigins);
  const refuseHostless = refuse(gate, missingHost);
  return (req, res, next) => {
    res.exchange = {
      requestId: requestId(),
      startedAt: now(),
      route: 'unmatched',
      cors: corsFor(req.headers.origin),
      identity: undefined,
      quota: undefined,
    };
    if (isDraining()) res.shouldKeepAlive = false;
    onRequest?.(req, res);
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

function answerProblem({ replies, report, onProblem }: AppParts): ErrorRequestHandler {
  return (error, req, res, _next) => {
    const problem = toProblem(error);
    onProblem?.(req, res);
    if (problem.extra.cause !== undefined) report(problem.extra.cause, res.exchange);
    if (res.headersSent) res.destroy();
    else replies.problem(req, res, problem);
  };
}
