import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import { cors } from './cors.ts';
import { type Demo, demoPage } from './demo-page.ts';
import type { Exchange } from './exchange.ts';
import { healthRoutes, type Readiness } from './health.ts';
import { pages } from './pages.ts';
import { Problem, toProblem } from './problem.ts';
import { type ApiParts, apiRoutes, counted } from './routes.ts';

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

  app.use(healthRoutes(parts.readiness));
  app.use(openExchange(parts));
  app.use(cors(parts.corsOrigins));
  app.use('/api/v1', apiRoutes(parts));
  app.use(pages());
  if (parts.demo) app.use(demoPage(parts.demo));
  app.use(counted(parts.gate, notFound));
  app.use(countUnroutable(parts));
  app.use(answerProblem(parts));
  return app;
}

function openExchange({ now, requestId, isDraining, onRequest }: AppParts): RequestHandler {
  return (req, res, next) => {
    res.exchange = { requestId: requestId(), startedAt: now(), route: 'unmatched', cors: [] };
    if (isDraining()) res.shouldKeepAlive = false;
    onRequest?.(req, res);
    next();
  };
}

const notFound: RequestHandler = () => {
  throw new Problem('not_found', 'There is no such resource. The operations are under /api/v1/servers/{guild_id}.');
};

/** A path that is not valid percent-encoding fails before any route is found: count it like every other bad request. */
function countUnroutable({ gate }: AppParts): ErrorRequestHandler {
  return async (error, req, res, next) => {
    if (error instanceof URIError && req.headers['x-api-key'] !== undefined) {
      await gate.pass(req, res, async () => undefined);
    }
    next(error);
  };
}

function answerProblem({ replies, report, onProblem }: AppParts): ErrorRequestHandler {
  return (error, req, res, _next) => {
    const problem = toProblem(error);
    onProblem?.(req, res);
    if (problem.extra.cause !== undefined) report(problem.extra.cause, res.exchange);
    if (res.headersSent) res.destroy();
    else replies.problem(res, problem);
  };
}
