/** Turns Ctrl-C (SIGINT) and SIGTERM into a wish to stop; a second one ends the process at once. */
export class Interrupt {
  private readonly controller = new AbortController();
  private times = 0;
  private patient = false;
  private readonly onSignal = (): void => {
    this.times++;
    this.controller.abort();
    if (this.times > 1 && !this.patient) process.exit(INTERRUPTED);
  };

  constructor() {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, this.onSignal);
  }

  /** Aborted at the first signal. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** From now on a second signal, too, is only a wish. @returns a function that says how many came so far. */
  becomePatient(): () => number {
    this.patient = true;
    return () => this.times;
  }

  /** Gives the signals back, and lets go of everything that still waits for input. */
  end(): void {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, this.onSignal);
    this.controller.abort();
  }
}

/** Exit code of a run that was interrupted. */
export const INTERRUPTED = 130;
