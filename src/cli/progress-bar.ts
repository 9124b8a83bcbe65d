import cliProgress from 'cli-progress';
import { digits } from '../core/format-numbers.ts';
import type { ImportProgress } from '../imports/read-members.ts';
import type { Output } from './context.ts';
import { formatDuration } from './duration.ts';

/** The progress of a run on the terminal. */
export interface ProgressBar extends Pick<ImportProgress, 'update'> {
  /** Removes the bar. */
  stop(): void;
}

/**
 * Shows a bar with the rate and the time left. Where the stream is not a terminal, nothing is written.
 * @param size amount to read, in the unit of {@link ImportProgress.update}; undefined = unknown, without a time left.
 */
export function startProgress(size: number | undefined, stream: Output): ProgressBar {
  if (!stream.isTTY) {
    return { update: () => {}, stop: () => {} };
  }
  const bar = new cliProgress.SingleBar({
    stream,
    format:
      size === undefined
        ? '{members} members | {rate}/s'
        : '{bar} {percentage}% | {members} members | {rate}/s | {left} left',
    barCompleteChar: '#',
    barIncompleteChar: '-',
    barsize: 24,
    clearOnComplete: true,
    // A line that is longer than the terminal is wide continues in the next row.
    linewrap: true,
    // The bar must not handle Ctrl-C: the command does.
    gracefulExit: false,
    fps: 8,
  });
  const start = performance.now();
  bar.start(size ?? 1, 0, { members: '0', rate: '-', left: '-' });
  return {
    update(done, members) {
      const seconds = (performance.now() - start) / 1000;
      bar.update(size === undefined ? 0 : Math.min(done, size), {
        members: digits(members),
        rate: digits(Math.round(members / seconds)),
        left: size === undefined || done === 0 ? '-' : formatDuration((seconds * Math.max(0, size - done)) / done),
      });
    },
    stop: () => bar.stop(),
  };
}
