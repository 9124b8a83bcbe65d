import type { IncomingMessage, ServerResponse } from 'node:http';
import { type DestinationStream, type Logger, pino } from 'pino';
import { type HttpLogger, pinoHttp } from 'pino-http';
import type { LogLines } from './log-lines.ts';

/**
 * Creates a logger of JSON lines. The last lines go out when the process exits.
 * @param level pino's level name.
 * @param worker number of this process, if it is one of several.
 */
export function createLogger(level: string, to: DestinationStream & Partial<LogLines>, worker?: number): Logger {
  const logger = pino({ level, base: worker === undefined ? null : { worker }, timestamp: isoTimes() }, to);
  to.onRecovered?.((dropped) => logger.warn({ dropped }, 'log lines were dropped: standard output was not read'));
  return logger;
}

/** Formats the time as pino's own `isoTime` does. Lines of the same millisecond share the text, because Date is slow to format. */
function isoTimes(): () => string {
  let last = Number.NaN;
  let text = '';
  return () => {
    const now = Date.now();
    if (now !== last) {
      last = now;
      text = `,"time":"${new Date(now).toISOString()}"`;
    }
    return text;
  };
}

/** The parts of a response that the log uses; never a key, a path or an address. */
interface LoggedResponse extends ServerResponse {
  readonly context?: {
    readonly requestId: string;
    readonly startedAt: number;
    readonly route: string;
    readonly traceId: string | undefined;
    readonly identity: { readonly guildId: string; readonly plan: string; readonly keyId: string } | undefined;
    readonly problem: { readonly code: string; readonly reason: string | undefined } | undefined;
  };
}

/**
 * Creates a layer that logs one line a request when its answer is sent: method, route pattern, status, problem
 * code and the reason of a 503, duration in ms, guild, plan, id of the key, request id, trace id.
 * It may also be called just before the answer is sent. A 5xx is logged at error, everything else at info.
 * @param now milliseconds on the clock of the contexts' `startedAt`.
 */
export function requestLogger(logger: Logger, now: () => number): HttpLogger {
  const line = (req: IncomingMessage, { context, statusCode }: LoggedResponse) => ({
    method: req.method,
    route: context?.route,
    status: statusCode,
    code: context?.problem?.code,
    reason: context?.problem?.reason,
    // Rounded, because V8 caches the texts of recent numbers, and formatting a fraction is slow.
    duration_ms: context && Math.round((now() - context.startedAt) * 100) / 100,
    guild: context?.identity?.guildId,
    plan: context?.identity?.plan,
    key_id: context?.identity?.keyId,
    request_id: context?.requestId,
    trace_id: context?.traceId,
  });
  const middleware = pinoHttp({
    logger,
    // pino-http binds these three to child loggers; the line has its own, smaller fields.
    wrapSerializers: false,
    serializers: { req: () => undefined, res: () => undefined, err: () => undefined },
    quietResLogger: true,
    // Probes come every few seconds and carry no news.
    autoLogging: { ignore: (req) => req.url === '/livez' || req.url === '/readyz' },
    customLogLevel: (_req, res, error) => (error || res.statusCode >= 500 ? 'error' : 'info'),
    customSuccessObject: line,
    customErrorObject: line,
    customSuccessMessage: () => 'request',
    customErrorMessage: () => 'request',
  });
  // It makes a child logger for each request's handlers to log with; no handler here does.
  Object.assign(middleware.logger, { child: () => middleware.logger });
  return middleware;
}
