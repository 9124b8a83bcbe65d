import { createInterface } from 'node:readline/promises';
import { Command, InvalidArgumentError } from 'commander';
import { ConfigError } from '../config.ts';
import { InvalidInputError, StoreUnavailableError } from '../errors.ts';
import { ID_PATTERN } from '../leaderboard/model.ts';

/** What every command shares at the terminal: output, errors, exit codes. */

/** A command whose results stand, but not completely: printed as is, with its own exit code. */
export class PartialResult extends Error {
  constructor(
    message: string,
    readonly exitCode: number,
  ) {
    super(message);
  }
}

/** How a person types a command here: through npm in the repository, through the package's bin where it is installed. */
export function commandLine(name: string): string {
  return import.meta.url.endsWith('.ts') ? `npm run ${name} --` : `guildrank ${name}`;
}

/** A program named as people type it. */
export function program(name: string, description: string): Command {
  return new Command(commandLine(name))
    .description(description)
    .showHelpAfterError('(--help shows how it is used)')
    .configureHelp({ showGlobalOptions: true })
    .exitOverride();
}

/**
 * Runs the program on the process's arguments and ends the process; every failure becomes one readable line on stderr
 * and an exit code.
 */
export async function run(command: Command): Promise<never> {
  try {
    await command.parseAsync();
  } catch (error) {
    process.exitCode = report(error);
  }
  // A pipe takes output later than it is written: what is left must be out before the end.
  await Promise.all([process.stdout, process.stderr].map((stream) => new Promise((done) => stream.write('', done))));
  // Not left to the last timer: ioredis keeps one for up to two minutes after a connection that broke.
  process.exit();
}

/** One result: as JSON when asked, else as the lines given. */
export function print(json: boolean | undefined, result: unknown, lines: () => string | readonly string[]): void {
  const text = json ? JSON.stringify(result, bigintsAsDigits) : [lines()].flat().join('\n');
  process.stdout.write(`${text}\n`);
}

/**
 * Rows under headings: aligned columns on a terminal, tab-separated values in a pipe. Control characters, which could
 * steer the terminal, are shown as "?".
 */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [headings, ...rows].map((row) => row.map((cell) => cell.replace(/\p{Cc}/gu, '?')));
  if (!process.stdout.isTTY) return all.map((row) => row.join('\t'));
  const widths = headings.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const lines = all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return lines.map((line, index) => (index === 0 && !process.env.NO_COLOR ? `\x1b[1m${line}\x1b[22m` : line));
}

/**
 * Lets go on only when the person at the terminal types `word`.
 * @throws InvalidInputError when something else is typed, or nobody is there to ask.
 */
export async function confirm(word: string, warning: string): Promise<void> {
  if (!process.stdin.isTTY) throw new InvalidInputError('There is no terminal to confirm on: add --yes to go on');
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await prompt.question(`${warning}\nType ${word} to go on: `);
    if (answer.trim() !== word) throw new InvalidInputError('Not confirmed: nothing was changed');
  } finally {
    prompt.close();
  }
}

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Commander argument parser for durations such as 30m, 24h, 90d, 2w; in milliseconds, at most a hundred years. */
export function duration(text: string): number {
  const [, count, unit] = /^(\d{1,9})([mhdw])$/.exec(text) ?? [];
  const ms = Number(count) * (UNIT_MS[unit ?? ''] ?? Number.NaN);
  if (!(ms <= 36_500 * 86_400_000)) {
    throw new InvalidArgumentError('It must be a whole number with a unit, such as 30m, 24h, 90d or 2w.');
  }
  return ms;
}

/** Commander argument parser for guild and user ids. */
export function id(text: string): string {
  if (!ID_PATTERN.test(text)) throw new InvalidArgumentError('It must be 1 to 64 of A-Z a-z 0-9 _ - .');
  return text;
}

function report(error: unknown): number {
  // Commander has printed its own message; help and version end with 0.
  if (isCommanderError(error)) return error.exitCode;
  const line = error instanceof Error ? describe(error) : String(error);
  process.stderr.write(`${error instanceof PartialResult ? '' : 'error: '}${line}\n`);
  return error instanceof PartialResult ? error.exitCode : 1;
}

function describe(error: Error): string {
  if (error instanceof StoreUnavailableError) return `Redis refused or did not answer: ${error.reason}`;
  if (error instanceof ConfigError || error instanceof InvalidInputError) return error.message;
  return error.message || error.name;
}

function isCommanderError(error: unknown): error is { exitCode: number } {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('commander.');
}

function bigintsAsDigits(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}
