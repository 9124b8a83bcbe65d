import { Command, InvalidArgumentError } from 'commander';
import { ConfigError } from '../src/config.ts';
import { InvalidInputError, StoreUnavailableError } from '../src/errors.ts';
import { ID_PATTERN } from '../src/leaderboard/model.ts';

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

/** A program named as people type it. */
export function program(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .showHelpAfterError('(--help shows how it is used)')
    .configureHelp({ showGlobalOptions: true })
    .exitOverride();
}

/** Runs the program on the process's arguments; every failure becomes one readable line on stderr and an exit code. */
export async function run(command: Command): Promise<void> {
  try {
    await command.parseAsync();
  } catch (error) {
    process.exitCode = report(error);
  }
}

/** One result: as JSON when asked, else as the lines given. */
export function print(json: boolean | undefined, result: unknown, lines: () => string | readonly string[]): void {
  const text = json ? JSON.stringify(result, bigintsAsDigits) : [lines()].flat().join('\n');
  process.stdout.write(`${text}\n`);
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
