import { setMaxListeners } from 'node:events';
import { isAbort } from '../core/errors.ts';
import type { CommandContext } from './context.ts';
import { INTERRUPTED } from './exit-codes.ts';
import { PartialResult } from './terminal.ts';

/** Turns Ctrl-C (SIGINT), SIGTERM and SIGHUP into requests to stop. The second signal ends the process, unless the exit is held. */
export class Interrupt {
  private readonly controller = new AbortController();
  private requests = 0;
  private exitHeld = false;
  private readonly restore: () => void;

  constructor({ onStop, exit }: CommandContext) {
    // No warning about many listeners: each open file adds a listener, and there can be hundreds of files.
    setMaxListeners(0, this.controller.signal);
    this.restore = onStop((signal) => {
      // A terminal that goes away can send SIGHUP more than once.
      if (signal === 'SIGHUP' && this.requests > 0) return;
      this.requests++;
      this.controller.abort();
      if (this.requests > 1 && !this.exitHeld) exit(INTERRUPTED);
    });
  }

  /** Aborted at the first signal of the process. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** From now on the second signal no longer ends the process. */
  holdExit(): void {
    this.exitHeld = true;
  }

  /** Restores the default of the signals, and aborts everything that still waits for input. */
  end(): void {
    this.restore();
    this.controller.abort();
  }
}

/**
 * Runs work that a signal can interrupt.
 * @param message returns what a person is told about the interruption.
 * @param isInterruption whether an error of the work was caused by the signal; if left out, only an abort was.
 * @throws PartialResult when the work was interrupted.
 */
export async function interruptible<T>(
  context: CommandContext,
  message: () => string,
  work: (interrupt: Interrupt) => Promise<T>,
  isInterruption: (error: unknown, signal: AbortSignal) => boolean = isAbort,
): Promise<T> {
  const interrupt = new Interrupt(context);
  try {
    return await work(interrupt);
  } catch (error) {
    if (!isInterruption(error, interrupt.signal)) throw error;
    throw new PartialResult(message(), INTERRUPTED);
  } finally {
    interrupt.end();
  }
}
