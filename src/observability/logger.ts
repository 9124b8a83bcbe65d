import type { IncomingMessage, ServerResponse } from 'node:http';
import { type DestinationStream, destination, type Logger, pino, stdTimeFunctions } from 'pino';
import { type HttpLogger, pinoHttp } from 'pino-http';

/** Lines wait for company, because a write each would cost more than the line: at most this long, or this many bytes. */
const FLUSH_MS = 50;
const FLUSH_BYTES = 4096;

/** A logger of JSON lines on stdout, or on `to`; the last lines go out when the process exits. @param level pino's level name. */
export function createLogger(level: string, to?: DestinationStream): Logger {
  const buffered = { dest: 1, sync: false, minLength: FLUSH_BYTES, periodicFlush: FLUSH_MS };
  return pino({ level, base: null, timestamp: stdTimeFunctions.isoTime }, to ?? destination(buffered));
}

/** What the log tells of a request; never its key, its path or its address. */
interface Exchanged extends ServerResponse {
  readonly exchange?: {
    readonly requestId: string;
    readonly startedAt: number;
    readonly route: string;
    readonly identity: { readonly guildId: string } | undefined;
  };
}

/**
 * Logs one line a request when its answer is out: method, route pattern, status, duration in ms, guild, request id.
 * Attach it when the request comes, or just before the answer goes. A 5xx is logged at error, everything else at info.
 * @param now milliseconds on the clock of the exchanges' `startedAt`.
 */
export function requestLogger(logger: Logger, now: () => number): HttpLogger {
  const line = (req: IncomingMessage, { exchange, statusCode }: Exchanged) => ({
    method: req.method,
    route: exchange?.route,
    status: statusCode,
    duration_ms: exchange && Math.round((now() - exchange.startedAt) * 1000) / 1000,
    guild: exchange?.identity?.guildId,
    request_id: exchange?.requestId,
  });
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
