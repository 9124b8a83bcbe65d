import type { ScriptClient } from '../../src/core/store/scripts.ts';

/**
 * Returns a client that runs the scripts with a clock of its own. Redis's clock cannot be set, and the scripts take no time as an argument.
 * So the source of each script is changed on its way to Redis: only there its clock is replaced.
 * @param nowMs the time, in milliseconds since 1970.
 */
export function clocked(client: ScriptClient, nowMs: () => number): ScriptClient {
  return {
    evalsha: () => Promise.reject(new Error('NOSCRIPT the script is sent with the time in it')),
    eval: (source, ...rest) => {
      const ms = nowMs();
      const time = `({ '${Math.floor(ms / 1000)}', '${(ms % 1000) * 1000}' })`;
      return client.eval(source.replaceAll("redis.call('TIME')", time), ...rest);
    },
  };
}
