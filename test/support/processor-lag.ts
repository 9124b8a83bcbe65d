import { readFileSync } from 'node:fs';

const PERIOD_MS = 10;
/** Processes that share two processors wait for each other by this much in a period. */
const USUAL_MS = 5;
/** Many short waits in this time delay as much as a long one, as in lag.js. */
const STRETCH_MS = 200;

/**
 * Watches how long the machine lets other processes wait for a processor, until they end. Linux counts this time for each process; elsewhere
 * it is taken for 0.
 * @returns a function that ends the watch, and returns the most milliseconds that one process waited in a stretch of 200 ms.
 */
export function watchProcessorLag(pids: readonly number[]): () => number {
  const watched = pids.map((pid) => ({ pid, last: waitedMs(pid), inStretch: 0 }));
  let worst = 0;
  let begun = performance.now();
  const timer = setInterval(() => {
    const isNewStretch = performance.now() - begun >= STRETCH_MS;
    if (isNewStretch) begun = performance.now();
    for (const each of watched) {
      const now = waitedMs(each.pid) ?? each.last;
      const waited = (now ?? 0) - (each.last ?? 0);
      each.last = now;
      each.inStretch = (isNewStretch ? 0 : each.inStretch) + (waited > USUAL_MS ? waited : 0);
      worst = Math.max(worst, each.inStretch);
    }
  }, PERIOD_MS);
  return () => {
    clearInterval(timer);
    return worst;
  };
}

/** Returns how long the main thread of a process has waited since its start; undefined when the process has ended. */
function waitedMs(pid: number): number | undefined {
  try {
    const [, nanoseconds] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
    return Number(nanoseconds) / 1e6;
  } catch {
    return undefined;
  }
}
