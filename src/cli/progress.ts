import cliProgress from 'cli-progress';
import { digits } from '../core/readable.ts';
import type { Progress } from '../imports/reading.ts';
import type { Output } from './context.ts';
import { formatDuration } from './duration.ts';
import { COMMAND_ADVICE } from './sentences.ts';

/** The progress of a run on the terminal. */
export interface ProgressBar extends Progress {
  /** Removes the bar. */
  stop(): void;
}

/**
 * Shows a bar with the rate and the time left. Where the stream is not a terminal, only lines are written.
 * @param size amount to read, in the unit of {@link Progress.update}; undefined = unknown, without a time left.
 */
export function startProgress(size: number | undefined, stream: Output): ProgressBar {
  if (!stream.isTTY) {
    return {
      advice: COMMAND_ADVICE,
      update: () => {},
      write: (line) => void stream.write(`${line}\n`),
      stop: () => {},
    };
  }
  // MultiBar writes lines above its bars. SingleBar returns to where the cursor was at the start, and overwrites them.
  const bars = new cliProgress.MultiBar({
    stream,
    format:
      size === undefined
        ? '{members} members | {rate}/s'
        : '{bar} {percentage}% | {members} members | {rate}/s | {left} left',
    barCompleteChar: '#',
    barIncompleteChar: '-',
    barsize: 24,
    clearOnComplete: true,
    // A line longer than the terminal is wide goes on in the next row.
    linewrap: true,
    // The run ends by itself after Ctrl-C, and may have a line to write first.
    gracefulExit: false,
    fps: 8,
  });
  const start = performance.now();
  const bar = bars.create(size ?? 1, 0, { members: '0', rate: '-', left: '-' });
  return {
    advice: COMMAND_ADVICE,
    update(done, members) {
      const seconds = (performance.now() - start) / 1000;
      bar.update(size === undefined ? 0 : Math.min(done, size), {
        members: digits(members),
        rate: digits(Math.round(members / seconds)),
        left: size === undefined || done === 0 ? '-' : formatDuration((seconds * Math.max(0, size - done)) / done),
      });
    },
    write: (line) => bars.log(`${line}\n`),
    stop() {
      // Lines wait for the next drawing of the bar.
      bars.update();
      bars.stop();
    },
  };
}
