import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Preloaded into a service process: logs how long the process was kept from running, if that is worth a word. */
const lag = monitorEventLoopDelay({ resolution: 10 });
lag.enable();
const tell = () => {
  const worst = Math.round(lag.max / 1e6);
  lag.reset();
  const time = new Date().toISOString();
  if (worst > 20) process.stdout.write(`${JSON.stringify({ time, lag_ms: worst })}\n`);
};
setInterval(tell, 200).unref();
// The end is when it matters most, and no interval comes after it.
process.once('exit', tell);
