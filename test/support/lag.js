const PERIOD_MS = 10;
/** A timer of an idle machine is late by this much. */
const USUAL_MS = 2;
/** Many short pauses in this time delay as much as a long one. It is a little less than the promises about time. */
const STRETCH_MS = 200;

/**
 * Watches how long the machine keeps this process from running. Its own work is no pause, however long it takes.
 * @typedef {object} LagWatch
 * @property {() => number} take Returns the most milliseconds that pauses took in a stretch of 200 ms since the last call, the pause that
 * lasts now included. A longer pause counts whole. An idle machine shows 0 to 10 ms.
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
  let begun = last;
  let paused = 0;
  let used = process.cpuUsage();
  const look = () => {
    const now = performance.now();
    const { user, system } = process.cpuUsage(used);
    used = process.cpuUsage();
    const worked = (user + system) / 1000;
    const pause = Math.min(now - last - PERIOD_MS, now - last - worked);
    if (pause > USUAL_MS) paused += pause;
    worst = Math.max(worst, paused);
    last = now;
    if (now - begun < STRETCH_MS) return;
    begun = now;
    paused = 0;
  };
  const timer = setInterval(look, PERIOD_MS);
  timer.unref();
  return {
    take: () => {
      look();
      const taken = worst;
      begun = last;
      paused = 0;
      worst = 0;
      return taken;
    },
    stop: () => clearInterval(timer),
  };
}
