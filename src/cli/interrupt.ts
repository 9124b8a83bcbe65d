import type { StopRequests } from '../import/load-job.ts';

/** Exit code of a run that was interrupted. */
export const INTERRUPTED = 130;

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Turns Ctrl-C (SIGINT) and SIGTERM into requests to stop. The second one ends the process, unless the exit is held. */
export class Interrupt implements StopRequests {
  private readonly controller = new AbortController();
  private requests = 0;
  private exitHeld = false;
  private readonly onSignal = (): void => {
    this.requests++;
    this.controller.abort();
    if (this.requests > 1 && !this.exitHeld) process.exit(INTERRUPTED);
  };

  constructor() {
    for (const name of SIGNALS) process.on(name, this.onSignal);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get count(): number {
    return this.requests;
  }

  holdExit(): void {
    this.exitHeld = true;
  }

  /** Restores the default of the signals, and aborts everything that still waits for input. */
  end(): void {
    for (const name of SIGNALS) process.off(name, this.onSignal);
    this.controller.abort();
  }
}
