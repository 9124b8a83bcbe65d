import { setMaxListeners } from 'node:events';
import type { CommandContext } from './context.ts';
import { INTERRUPTED } from './exit-codes.ts';

/** Turns Ctrl-C (SIGINT), SIGTERM and SIGHUP into requests to stop. The second one ends the process, unless the exit is held. */
export class Interrupt {
  private readonly controller = new AbortController();
  private requests = 0;
  private exitHeld = false;
  private readonly restore: () => void;

  constructor({ onStop, exit }: CommandContext) {
    // Each open file listens, and there can be hundreds.
    setMaxListeners(0, this.controller.signal);
    this.restore = onStop((signal) => {
      // A terminal that goes away can send it more than once.
      if (signal === 'SIGHUP' && this.requests > 0) return;
      this.requests++;
      this.controller.abort();
      if (this.requests > 1 && !this.exitHeld) exit(INTERRUPTED);
    });
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** From now on the second request no longer ends the process. */
  holdExit(): void {
    this.exitHeld = true;
  }

  /** Restores the default of the signals, and aborts everything that still waits for input. */
  end(): void {
    this.restore();
    this.controller.abort();
  }
}
