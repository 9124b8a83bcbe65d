import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Preloaded into a service process: logs a line whenever the process was kept from running for longer than ever before. */
const lag = monitorEventLoopDelay({ resolution: 10 });
lag.enable();
let worst = 0;
setInterval(() => {
  const now = lag.max / 1e6;
  if (now <= worst) return;
  worst = now;
  process.stdout.write(`${JSON.stringify({ lag_ms: Math.round(now) })}\n`);
}, 200).unref();
