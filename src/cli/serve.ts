import type { Command } from 'commander';

/** Defines `serve`: the service, until a signal ends the process. @param start starts it. */
export function defineServe(command: Command, start: () => Promise<unknown>): void {
  command.action(async () => {
    await start();
    await serviceEnd();
  });
}

/** Never settles: the service ends the process itself, when it has drained. */
function serviceEnd(): Promise<never> {
  return new Promise(() => {});
}
