import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Recording } from './player.ts';

const file = (name: string): URL => new URL(`answers/${name}.txt`, import.meta.url);
const MARK = '### ';
const HEADING = '# A word that begins with @ stands for lines of a head: see SHARED in ../transcript.ts.\n';

/**
 * Reads a recording. Where Node's own part of an answer differs between its lines, there is a recording of the same name that
 * ends in a line's name and holds the exchanges that differ there.
 */
export function readRecording(name: string, nodeLine: string): Recording {
  return { ...parse(file(name)), ...parse(file(`${name}.node-${nodeLine}`)) };
}

/** Writes a recording; on a line of Node other than `floor`, what differs from the recording of `floor`. */
export function writeRecording(name: string, recording: Recording, nodeLine: string, floor: string): void {
  if (nodeLine === floor) {
    write(file(name), recording);
    return;
  }
  const common = parse(file(name));
  const own = Object.entries(recording).filter(([title, text]) => common[title] !== text);
  if (own.length > 0) write(file(`${name}.node-${nodeLine}`), Object.fromEntries(own));
}

function write(to: URL, recording: Recording): void {
  const parts = Object.entries(recording).map(([title, text]) => `\n${MARK}${title}\n${text}\n`);
  writeFileSync(to, HEADING + parts.join(''));
}

function parse(from: URL): Recording {
  if (!existsSync(from)) return {};
  const parts = readFileSync(from, 'utf8').split(`\n${MARK}`).slice(1);
  return Object.fromEntries(
    parts.map((part) => {
      const end = part.indexOf('\n');
      return [part.slice(0, end), part.slice(end + 1).replace(/\n$/, '')];
    }),
  );
}
