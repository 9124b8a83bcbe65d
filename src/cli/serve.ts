import type { Command } from 'commander';
import type { CommandContext } from './context.ts';
import { program } from './terminal.ts';

/** Returns `serve`: the service, until a signal ends the process. @param start starts it. */
export function serveCommand(context: CommandContext, start: () => Promise<unknown>): Command {
  return program(context, 'serve', 'Start the service; settings come from the environment').action(async () => {
    await start();
    await serviceEnd();
  });
}

/** Never settles: the service ends the process itself, when it has drained. */
function serviceEnd(): Promise<never> {
  return new Promise(() => {});
}
