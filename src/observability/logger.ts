import type { IncomingMessage, ServerResponse } from 'node:http';
import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';
import { type HttpLogger, pinoHttp } from 'pino-http';

/** A logger of JSON lines on stdout, or on `destination`. @param level pino's level name. */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = { level, base: null, timestamp: stdTimeFunctions.isoTime };
  return destination ? pino(options, destination) : pino(options);
}

/** What of a request goes into its log line: never its key, its path or its address. */
export interface RequestFacts {
  readonly method: string | undefined;
  /** The pattern, such as /servers/:guild_id/stats. */
  readonly route: string;
  readonly duration_ms: number;
  readonly guild: string | undefined;
  readonly request_id: string;
}

/**
 * Logs one line a request when its answer is out. Attach it when the request comes, or just before the answer goes.
 * A 5xx is logged at error, everything else at info.
 */
export function requestLogger(
  logger: Logger,
  factsOf: (req: IncomingMessage, res: ServerResponse) => RequestFacts,
): HttpLogger {
  const line = (req: IncomingMessage, res: ServerResponse) => ({ ...factsOf(req, res), status: res.statusCode });
  return pinoHttp({
    logger,
    // pino-http binds these three to child loggers; the line has its own, smaller account of them.
    wrapSerializers: false,
    serializers: { req: () => undefined, res: () => undefined, err: () => undefined },
    quietResLogger: true,
    // Probes come every few seconds and say nothing.
    autoLogging: { ignore: (req) => req.url === '/livez' || req.url === '/readyz' },
    customLogLevel: (_req, res, error) => (error || res.statusCode >= 500 ? 'error' : 'info'),
    customSuccessObject: line,
    customErrorObject: line,
    customSuccessMessage: () => 'request',
    customErrorMessage: () => 'request',
  });
}
