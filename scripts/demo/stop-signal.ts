/**
 * Settles when the demo should stop: on SIGINT, SIGTERM or SIGHUP, or when the shell between npm and this process ends.
 * Repeated signals change nothing: Ctrl-C can arrive twice, from the terminal and through npm.
 */
export function stopRequested(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
    if (process.env.npm_lifecycle_event === undefined) return;
    // npm sends SIGTERM to the shell between it and this process. The shell ends without passing it on.
    const parent = process.ppid;
    setInterval(() => {
      // Parent 1: the shell ended before the first look at it.
      if (process.ppid !== parent || process.ppid === 1) resolve();
    }, 500).unref();
  });
}
