import type { IncomingMessage, ServerResponse } from 'node:http';
import { type DestinationStream, destination, type Logger, pino } from 'pino';
import { type HttpLogger, pinoHttp } from 'pino-http';

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
  readonly context: {
    readonly requestId: string;
    readonly startedAt: number;
    readonly route: string;
    readonly traceId: string | undefined;
    readonly identity: { readonly guildId: string; readonly plan: string; readonly keyId: string } | undefined;
    readonly problem: { readonly code: string; readonly reason: string | undefined } | undefined;
  };
}

/**
 * Creates a layer that logs one line a request when its response is sent: method, route pattern, status, problem
 * code and the reason of a 503, duration in ms, guild, plan, id of the key, request id, trace id.
 * It may also be called just before the response is sent. A 5xx is logged at error, everything else at info.
 * @param now milliseconds on the clock of the contexts' `startedAt`.
 */
export function requestLogger(logger: Logger, now: () => number): HttpLogger<IncomingMessage, LoggedResponse> {
  const line = (req: IncomingMessage, { context, statusCode }: LoggedResponse) => ({
    method: req.method,
    route: context.route,
    status: statusCode,
    code: context.problem?.code,
    reason: context.problem?.reason,
    // Rounded, because V8 caches the texts of recent numbers, and formatting a fraction is slow.
    duration_ms: Math.round((now() - context.startedAt) * 100) / 100,
    guild: context.identity?.guildId,
    plan: context.identity?.plan,
    key_id: context.identity?.keyId,
    request_id: context.requestId,
    trace_id: context.traceId,
  });
  const middleware = pinoHttp<IncomingMessage, LoggedResponse>({
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

/** Lines are buffered, because one write each costs more than the line: at most this long, or this many bytes. */
const FLUSH_MS = 50;
const FLUSH_BYTES = 32_768;
/** Lines that standard output does not take are dropped beyond this. */
const MAX_BYTES = 4 * 1024 * 1024;
/** The end of the process waits this long for a standard output that takes nothing. */
const LAST_FLUSH_MS = 1000;

/** Standard output as a destination of log lines. */
export interface LogLines extends DestinationStream {
  /** Returns the number of lines that were dropped, because standard output did not take them. */
  dropped(): number;
  /** Sets a function that is called with the number of dropped lines when standard output takes lines again. */
  onRecovered(listener: (dropped: number) => void): void;
  /** Writes what is left. pino calls it after a fatal line and when the process exits. */
  flushSync(): void;
}

/**
 * Opens standard output for log lines. If it is not read, or its other side is gone, the log holds 4 MiB of lines, drops further lines, and tries
 * again. It neither ends nor blocks the process.
 * @param output `process.stdout`. Node makes a pipe non-blocking when it is first used: a write to a blocking pipe that nobody reads would hold a
 * thread.
 */
export function logLinesTo(output: { readonly fd?: number }): LogLines {
  let dropped = 0;
  let reported = 0;
  let recovered: (dropped: number) => void = () => {};
  let giveUpAt = Number.POSITIVE_INFINITY;
  let isBroken = false;

  // Bytes: a destination that buffers text measures its whole buffer with each line, a third of the cost of a line.
  const lines = destination({
    dest: output.fd ?? 1,
    sync: false,
    contentMode: 'buffer',
    minLength: FLUSH_BYTES,
    maxWrite: 2 * FLUSH_BYTES,
    maxLength: MAX_BYTES,
    periodicFlush: FLUSH_MS,
    retryEAGAIN: () => performance.now() < giveUpAt,
  });
  // pino's own listener ends all output at EPIPE, and the process at EIO. The destination keeps the lines and tries again.
  lines.removeAllListeners('error').on('error', () => {
    isBroken = true;
  });
  lines.on('drop', () => dropped++);
  lines.on('drain', () => {
    isBroken = false;
    if (dropped === reported) return;
    const lost = dropped - reported;
    reported = dropped;
    recovered(lost);
  });
  const { flushSync } = lines;
  // Without an end to its tries, it would wait for ever.
  lines.flushSync = () => {
    if (isBroken) return;
    giveUpAt = performance.now() + LAST_FLUSH_MS;
    try {
      flushSync.call(lines);
    } catch {
      // The lines are lost with the process.
    }
    giveUpAt = Number.POSITIVE_INFINITY;
  };
  return {
    // Its types know only text.
    write: (line: string) => void lines.write(Buffer.from(line) as string & Buffer),
    flushSync: () => lines.flushSync(),
    dropped: () => dropped,
    onRecovered: (listener) => {
      recovered = listener;
    },
  };
}
