import type { Command } from 'commander';
import { program } from './terminal.ts';

/** Returns `serve`: the service, until a signal ends the process. */
export function serveCommand(): Command {
  return program('serve', 'Start the service; settings come from the environment').action(async () => {
    // Loaded only here: the other commands need neither Express nor its start-up time.
    await import('../main.ts');
    await serviceEnd();
  });
}

/** Never settles: the service ends the process itself, when it has drained. */
function serviceEnd(): Promise<never> {
  return new Promise(() => {});
}
