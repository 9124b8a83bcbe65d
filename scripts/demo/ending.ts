/**
 * Settles when the demo should end: Ctrl-C, a termination, a closed terminal, or the shell that npm started it
 * in gone. Repeated signals change nothing: a terminal's Ctrl-C can arrive twice, from the terminal and through npm.
 */
export function endRequested(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
    if (process.env.npm_lifecycle_event === undefined) return;
    // npm hands a SIGTERM to the shell between it and this process, and the shell dies of it without handing it on.
    const parent = process.ppid;
    setInterval(() => {
      // 1: it was gone before this process had come to look.
      if (process.ppid !== parent || process.ppid === 1) resolve();
    }, 500).unref();
  });
}
