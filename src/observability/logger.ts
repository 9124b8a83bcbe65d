import type { IncomingMessage, ServerResponse } from 'node:http';
import { type DestinationStream, destination, type Logger, pino } from 'pino';
import { type HttpLogger, pinoHttp } from 'pino-http';

/** Lines wait for company, because a write each would cost more than the line: at most this long, or this many bytes. */
const FLUSH_MS = 50;
const FLUSH_BYTES = 32_768;

/** A logger of JSON lines on stdout, or on `to`; the last lines go out when the process exits. @param level pino's level name. */
export function createLogger(level: string, to: DestinationStream = stdout()): Logger {
  return pino({ level, base: null, timestamp: isoTimes() }, to);
}

/** In the mode for text, the destination measures all that waits anew with every line: a third of the cost of a line. */
function stdout(): DestinationStream {
  const buffering = { minLength: FLUSH_BYTES, maxWrite: 2 * FLUSH_BYTES, periodicFlush: FLUSH_MS };
  const lines = destination({ dest: 1, sync: false, contentMode: 'buffer', ...buffering });
  const stream = {
    write: (line: string) => void lines.write(Buffer.from(line) as unknown as string),
    // pino calls it before it goes on from a fatal line.
    flushSync: () => lines.flushSync(),
  };
  return stream;
}

/** Tells the time as pino's own `isoTime` does. Lines of the same millisecond share a text, which is dear to make. */
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

/** What the log tells of a request; never its key, its path or its address. */
interface Exchanged extends ServerResponse {
  readonly context?: {
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
  const line = (req: IncomingMessage, { context, statusCode }: Exchanged) => ({
    method: req.method,
    route: context?.route,
    status: statusCode,
    // No finer than this: V8 keeps the texts of numbers that it met lately, and to make one of a fraction is dear.
    duration_ms: context && Math.round((now() - context.startedAt) * 100) / 100,
    guild: context?.identity?.guildId,
    request_id: context?.requestId,
  });
  const middleware = pinoHttp({
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
  // The child logger that it makes for each request's handlers to log with: none does here.
  middleware.logger.child = (() => middleware.logger) as never;
  return middleware;
}
