import { type DestinationStream, destination } from 'pino';

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
}

/**
 * Opens standard output for log lines. If it is not read, or its other side is gone, it holds 4 MiB of lines, drops further ones, and tries
 * again: it neither ends nor blocks the process.
 */
export function standardOutput(): LogLines {
  // Makes a pipe non-blocking, or a write to one that is not read would hold a thread, and the end of the process.
  void process.stdout;
  let dropped = 0;
  let reported = 0;
  let recovered: (dropped: number) => void = () => {};
  let giveUpAt = Number.POSITIVE_INFINITY;
  let isBroken = false;

  // Bytes: a destination that buffers text measures its whole buffer with each line, a third of the cost of a line.
  const lines = destination({
    dest: 1,
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
  // pino calls it after a fatal line and when the process exits. It would wait for ever.
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
  } as LogLines;
}
