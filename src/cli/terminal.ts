import { createInterface } from 'node:readline/promises';
import { Command, CommanderError } from 'commander';
import { BIN, commandLine } from '../config/command-line.ts';
import { ConfigError, InvalidInputError, RefusedError, StoreUnavailableError } from '../core/errors.ts';
import { explainFailure } from '../core/store/failures.ts';
import type { CommandContext } from './context.ts';
import { FAILED, REFUSED, USAGE } from './exit-codes.ts';
import { COMMAND_SENTENCES } from './sentences.ts';

/** Output, errors and exit codes of all commands. */

/** The arguments contradict each other, or name something that the settings lack. The message names the fix. */
export class UsageError extends InvalidInputError {}

/** The command did nothing, to protect the data. The message says why. The process ends with exit code 3. */
export class CommandRefused extends Error {}

/**
 * The command has printed results that stand, but did not fully succeed. The message is printed as it is, and the process ends with the exit code.
 */
export class PartialResult extends Error {
  constructor(
    message: string,
    readonly exitCode: number,
  ) {
    super(message);
  }
}

/** Returns a command with the common settings for help and errors. Its usage line is {@link commandLine}. */
export function program(context: CommandContext, name: string, description: string): Command {
  return writeTo(context, new Command(name))
    .description(description)
    .showHelpAfterError('(--help shows how it is used)')
    .configureHelp({ showGlobalOptions: true, commandUsage })
    .exitOverride();
}

/** Makes a command, and each subcommand that is added to it later, write to the streams of the context. */
export function writeTo({ stdout, stderr }: CommandContext, command: Command): Command {
  return command.configureOutput({
    writeOut: (text) => void stdout.write(text),
    writeErr: (text) => void stderr.write(text),
  });
}

/** Returns the usage line: `npm run -s keys -- create [options]` for the subcommand `create` of `keys`. */
function commandUsage(command: Command): string {
  const names: string[] = [];
  for (let each: Command | null = command; each; each = each.parent) names.unshift(each.name());
  // Commands of scripts/ stand alone; all other commands stand below the bin.
  if (names[0] === BIN) names.shift();
  const [first = '', ...rest] = names;
  return commandLine(first, [...rest, command.usage()].join(' '));
}

/**
 * Runs a command. A failure becomes one line on stderr. A reader of the output that goes away changes nothing.
 * @param args arguments after the name of the command.
 * @returns the exit code, once all output is written.
 */
export async function run(context: CommandContext, command: Command, args: readonly string[]): Promise<number> {
  const outputs = [context.stdout, context.stderr];
  let lost: Error | undefined;
  const onError = (error: NodeJS.ErrnoException): void => {
    // A reader such as `head` may go away at any time. The work goes on without it.
    if (error.code !== 'EPIPE' && error.code !== 'EIO') lost ??= error;
  };
  for (const output of outputs) output.on('error', onError);
  let exitCode = 0;
  try {
    await command.parseAsync(args, { from: 'user' });
  } catch (error) {
    exitCode = report(context, error);
  }
  // Writes to a pipe are asynchronous: wait until all output is out.
  await Promise.all(outputs.map((output) => new Promise((done) => output.write('', done))));
  return lost ? report(context, new Error(`The output could not be written: ${lost.message}`)) : exitCode;
}

/** Prints one result: as JSON when asked, else the lines. */
export function print(
  { stdout }: CommandContext,
  json: boolean | undefined,
  result: unknown,
  lines: () => string | readonly string[],
): void {
  const text = json ? toJson(result) : [lines()].flat().join('\n');
  stdout.write(`${text}\n`);
}

/**
 * Asks the person at the terminal to type `word`.
 * @throws CommandRefused when something else is typed, UsageError when there is no terminal.
 */
export async function confirm({ stdin, stderr }: CommandContext, word: string, warning: string): Promise<void> {
  if (!stdin.isTTY) throw new UsageError('There is no terminal to confirm on: add --yes to go on');
  const prompt = createInterface({ input: stdin, output: stderr });
  try {
    const answer = await prompt.question(`${warning}\nType ${word} to go on: `);
    if (answer.trim() !== word) throw new CommandRefused('Not confirmed: nothing was changed');
  } finally {
    prompt.close();
  }
}

/** Reports an error on stderr. @returns the exit code. */
function report({ stderr }: CommandContext, error: unknown): number {
  // Commander has printed its own message; help ends with 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
  if (error instanceof PartialResult) {
    stderr.write(`${describe(error)}\n`);
    return error.exitCode;
  }
  stderr.write(`error: ${describe(error)}\n`);
  if (error instanceof ConfigError || error instanceof UsageError) return USAGE;
  return error instanceof RefusedError || error instanceof CommandRefused ? REFUSED : FAILED;
}

function describe(error: unknown): string {
  if (error instanceof StoreUnavailableError) return explainFailure(error.reason);
  if (error instanceof RefusedError) return error.tell(COMMAND_SENTENCES);
  return error instanceof Error ? error.message || error.name : String(error);
}

/** Returns a value as JSON. JSON.stringify rejects bigints, and a Number would round a bigint above 2^53, so bigints are written as their digits. */
function toJson(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(toJson).join()}]`;
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${toJson(field)}`).join()}}`;
}
