import type { ScriptClient } from '../../src/core/store/scripts.ts';

/** Takes the time of the call from the end of ARGV, before the script reads ARGV. */
const TAKE_TIME = 'local CLOCK = { table.remove(ARGV, #ARGV - 1), table.remove(ARGV) } ';

/**
 * Returns a client that runs the scripts with a clock of its own. Redis's clock cannot be set, and the scripts take no time as an argument.
 * So the client changes the source of each script on its way to Redis, and sends the time behind the arguments. The source stays the same at
 * all times, because Redis and the mock translate each new source.
 * @param nowMs the time, in milliseconds since 1970.
 */
export function clocked(client: ScriptClient, nowMs: () => number): ScriptClient {
  return {
    evalsha: () => Promise.reject(new Error('NOSCRIPT the script is sent with another clock')),
    eval: (source, ...rest) => {
      const ms = nowMs();
      const time = [`${Math.floor(ms / 1000)}`, `${(ms % 1000) * 1000}`];
      return client.eval(TAKE_TIME + source.replaceAll("redis.call('TIME')", 'CLOCK'), ...rest, ...time);
    },
  };
}
