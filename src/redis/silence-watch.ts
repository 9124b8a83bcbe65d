import type { Redis } from 'ioredis';

/** Time is counted in ticks of this length: time in which this process was kept from running is one tick at most. */
const TICK_MS = 100;
const CONNECT_TICKS = 5;

/**
 * Closes the socket of a connection that takes longer than half a second to be made, or that is silent for `limitMs` although data was
 * sent: until then the commands that were given up on stay in its queue. ioredis's `connectTimeout` and `socketTimeout` go by the clock.
 * On a machine without CPU to spare they close healthy connections before the replies are read. Like a TimeoutQueue, this goes by the time
 * in which the process runs.
 */
export function watchSilence(client: Redis, limitMs: number): Redis {
  const silentTicks = Math.ceil(limitMs / TICK_MS);
  /** Bytes that were sent when the last reply came. */
  let answeredBytes = 0;
  let waited = 0;
  client.on('connect', () => {
    const { stream } = client;
    answeredBytes = 0;
    waited = 0;
    stream.on('data', () => {
      answeredBytes = stream.bytesWritten;
      waited = 0;
    });
  });
  const tick = (): void => {
    const { stream } = client;
    if (!stream || stream.destroyed) {
      waited = 0;
      return;
    }
    const isWaiting = stream.connecting || stream.bytesWritten !== answeredBytes;
    waited = isWaiting ? waited + 1 : 0;
    if (waited <= (stream.connecting ? CONNECT_TICKS : silentTicks)) return;
    stream.destroy(new Error(stream.connecting ? 'connect ETIMEDOUT' : `Redis was silent for ${limitMs} ms`));
  };
  const timer = setInterval(tick, TICK_MS).unref();
  return client.once('end', () => clearInterval(timer));
}
