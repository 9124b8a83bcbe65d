import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { InvalidInputError } from '../core/errors.ts';
import { withNoun } from '../core/format-numbers.ts';
import { moveGuildIn } from '../core/moves/move-in.ts';
import type { MoveLine } from '../core/moves/move-lines.ts';
import { GuildMoveOut } from '../core/moves/move-out.ts';
import type { CommandContext } from './context.ts';
import { interruptible } from './interrupt.ts';
import { print } from './terminal.ts';
import { withCore } from './with-core.ts';

/** Runs `guild export`: writes a guild to standard output. The bot writes until the person says on standard input that it is stopped. */
export async function moveOut(
  context: CommandContext,
  guild: string,
  { paused }: { readonly paused?: boolean },
): Promise<void> {
  const tell = (text: string) => context.stderr.write(`${text}\n`);
  const write = (line: MoveLine) => writeLine(context, line);
  const members = await interruptibleMove(context, (signal) => {
    const pause = async (members: number, seconds: number): Promise<void> => {
      if (paused) return;
      // The running round ends first, and then the last round follows.
      const round = Math.max(1, Math.ceil(seconds));
      const time = `${round} to ${2 * round} s`;
      tell(
        `Copied ${withNoun(members, 'member')}. End the bot of guild ${guild}, then press Enter: the rest takes ${time}.`,
      );
      await enter(context, signal);
    };
    return withCore(context, (core) => new GuildMoveOut(core, guild, { write, pause, signal }).run());
  });
  tell(
    `Wrote ${withNoun(members, 'member')} of guild ${guild}. When "guild import" is done on the other Redis, start the bot and the service with that Redis. The ids of events are not moved: calls that the bot keeps on a disk and repeats after the move count twice.`,
  );
}

/** Runs `guild import`: stores the guild that arrives on standard input. */
export async function moveIn(context: CommandContext, { json }: { readonly json?: boolean }): Promise<void> {
  const moved = await interruptibleMove(context, (signal) =>
    withCore(context, (core) => {
      // Created only now: a line that arrives before anything reads the lines would be lost.
      const lines = createInterface({ input: context.stdin, crlfDelay: Number.POSITIVE_INFINITY, signal });
      return moveGuildIn(core, lines, signal);
    }),
  );
  const { guild, members, hidden, keys } = moved;
  print(
    context,
    json,
    moved,
    () =>
      `Stored guild ${guild}: ${withNoun(members, 'member')}, ${hidden} of them hidden, and ${withNoun(keys, 'API key')}.`,
  );
}

/** Runs one half of a move. After a signal, any error of this half counts as the interruption. */
function interruptibleMove<T>(context: CommandContext, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const message = () => 'Interrupted: run "guild export" and "guild import" again';
  return interruptible(
    context,
    message,
    ({ signal }) => work(signal),
    (_, { aborted }) => aborted,
  );
}

/** Waits for a line on standard input. @throws InvalidInputError when standard input ends without a line. */
async function enter({ stdin }: CommandContext, signal: AbortSignal): Promise<void> {
  const input = createInterface({ input: stdin, signal });
  const [line] = await Promise.race([once(input, 'line'), once(input, 'close')]);
  input.close();
  if (line === undefined)
    throw new InvalidInputError('Standard input ended before you pressed Enter: stop the bot first, and add --paused');
}

/** Writes a line, and waits while the reader is slower. @throws when the reader is gone. */
function writeLine({ stdout }: CommandContext, line: MoveLine): Promise<void> {
  return new Promise((resolve, reject) => {
    stdout.write(`${JSON.stringify(line)}\n`, (error) =>
      error
        ? reject(
            new InvalidInputError(
              'The program that reads the stream has ended: run "guild export" and "guild import" again',
            ),
          )
        : resolve(),
    );
  });
}
