import { writeSync } from 'node:fs';
import { watchLag } from './lag.js';

/**
 * Preloaded into a service process: reports how long the process was kept from running. It writes to file descriptor 3,
 * because a report on stdout can come in the middle of a log line. A worker reports nothing: its channel to the first process has that number.
 */
const SIDE_CHANNEL = 3;
const PERIOD_MS = 200;
const WORTH_REPORTING_MS = 20;

const lag = watchLag();
const report = () => {
  const worst = Math.round(lag.take());
  if (worst <= WORTH_REPORTING_MS) return;
  try {
    writeSync(SIDE_CHANNEL, `${JSON.stringify({ time: Date.now(), lag_ms: worst })}\n`);
  } catch {
    // The test process is gone, or the process that started this one gave it no such channel.
  }
};
if (!process.channel) {
  setInterval(report, PERIOD_MS).unref();
  // The end matters most, and no interval comes after it.
  process.once('exit', report);
}
