const PERIOD_MS = 10;

/**
 * Watches how long this process is kept from running.
 * @typedef {object} LagWatch
 * @property {() => number} take Returns the longest pause in milliseconds since the last call, the one that lasts now included. An idle
 * machine shows 10 to 12 ms.
 * @property {() => void} stop
 */

/**
 * Starts to watch. Takes the time of each turn by itself: the histogram of node:perf_hooks forgets the pause that follows its reset, and
 * does not know of a pause that the end of the process cuts short. It is JavaScript, so that it can be loaded before a built service.
 * @returns {LagWatch}
 */
export function watchLag() {
  let last = performance.now();
  let worst = 0;
  const look = () => {
    const now = performance.now();
    worst = Math.max(worst, now - last);
    last = now;
  };
  const timer = setInterval(look, PERIOD_MS);
  timer.unref();
  return {
    take: () => {
      look();
      const taken = worst;
      worst = 0;
      return taken;
    },
    stop: () => clearInterval(timer),
  };
}
