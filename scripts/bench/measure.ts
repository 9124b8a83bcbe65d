import { cpus } from 'node:os';
import type { RunningContender } from './contenders.ts';
import { type LoadPlan, runLoad } from './load.ts';
import type { Cores } from './pinning.ts';
import { cpuSeconds } from './processes.ts';
import type { Testbed } from './testbed.ts';

/** Measurements of one stretch of load. */
export interface Sample {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  /** CPU time a request, in microseconds. */
  readonly cpuUs: { readonly server: number; readonly redis: number };
  /**
   * Parts of a core that were busy: with the server, with Redis and the load generator together, and with all other processes on the cores in use.
   */
  readonly busy: { readonly server: number; readonly load: number; readonly others: number };
}

/**
 * Puts load on a server and reads the CPU meters of all processes over the same time. Adds its failures to the failures of the run.
 * @throws if the server answers nothing.
 */
export async function measure(
  { redis, options }: Testbed,
  { name, pid, port }: RunningContender,
  plan: LoadPlan,
): Promise<Sample> {
  const read = () => ({
    server: cpuSeconds(pid),
    redis: cpuSeconds(redis.process.pid as number),
    load: cpuSeconds(process.pid),
    all: coreSeconds(options.cores),
  });
  const meters = { start: read(), end: read() };
  const { answered, failures, seconds, latency } = await runLoad(port, plan, (edge) => {
    meters[edge] = read();
  });
  for (const [reason, count] of Object.entries(failures)) {
    options.failures[`${name}: ${reason}`] = (options.failures[`${name}: ${reason}`] ?? 0) + count;
  }
  if (answered === 0) throw new Error(`${name} answers nothing: ${JSON.stringify(failures)}`);
  const used = (meter: keyof ReturnType<typeof read>) => meters.end[meter] - meters.start[meter];
  const others = used('all') - used('server') - used('redis') - used('load');
  return {
    requestsPerSecond: answered / seconds,
    p50Ms: latency.percentile(50) / 1e6,
    p99Ms: latency.percentile(99) / 1e6,
    p999Ms: latency.percentile(99.9) / 1e6,
    cpuUs: { server: (used('server') * 1e6) / answered, redis: (used('redis') * 1e6) / answered },
    busy: {
      server: used('server') / seconds,
      load: (used('redis') + used('load')) / seconds,
      others: Math.max(0, others) / seconds,
    },
  };
}

/** Returns the CPU seconds spent on the cores in use by all processes; on all cores if nothing is pinned. */
function coreSeconds(cores: Cores | undefined): number {
  const inUse = cpus().filter((_, core) => !cores || Object.values(cores).includes(core));
  return inUse.reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0) / 1000;
}
