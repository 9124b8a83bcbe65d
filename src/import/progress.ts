import cliProgress from 'cli-progress';

/** What a person watching sees of a run. Lines written through it do not tear the bar. */
export interface Progress {
  /** `done` of the size that the bar was made with, and how many members that is. */
  update(done: number, members: number): void;
  /** A line for stderr. */
  write(line: string): void;
  stop(): void;
}

/**
 * A bar on stderr with rate and time left, or without the latter when the size is not known. It has no colours.
 * Where stderr is no terminal there are only the lines.
 */
export function startProgress(size: number | undefined, stream: NodeJS.WriteStream = process.stderr): Progress {
  if (!stream.isTTY) {
    return { update: () => {}, write: (line) => void stream.write(`${line}\n`), stop: () => {} };
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
    hideCursor: true,
    clearOnComplete: true,
    fps: 8,
  });
  const start = performance.now();
  bar.start(size ?? 1, 0, { members: '0', rate: '-', left: '-' });
  return {
    update(done, members) {
      const seconds = (performance.now() - start) / 1000;
      bar.update(size === undefined ? 0 : Math.min(done, size), {
        members: members.toLocaleString('en-US'),
        rate: Math.round(members / seconds).toLocaleString('en-US'),
        left: size === undefined || done === 0 ? '-' : duration((seconds * Math.max(0, size - done)) / done),
      });
    },
    write(line) {
      // The bar redraws itself in place: its remains must not stand behind the line.
      stream.write(`\r\x1b[K${line}\n`);
    },
    stop: () => bar.stop(),
  };
}

function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
