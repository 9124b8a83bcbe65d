import { cpus } from 'node:os';
import { percentileMs } from './latency.ts';
import { runLoad } from './load.ts';
import type { LoadPlan, LoadResult } from './load-plan.ts';
import type { Pinning } from './pinning.ts';
import { cpuSeconds, type ServerProcess, stolenSeconds } from './processes.ts';
import { median } from './table.ts';
import type { Testbed } from './testbed.ts';

/** Measurements of one stretch of load. */
export interface Sample {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Median of p99 / p50 within each tenth of a second. A stall of the machine changes few of them. */
  readonly typicalSpread: number;
  /** CPU time a request, in microseconds. */
  readonly cpuUs: { readonly server: number; readonly redis: number; readonly load: number };
  /** Parts of a core that were busy; 1 is a whole core. */
  readonly busy: {
    readonly server: number;
    readonly redisAndLoad: number;
    /** All other processes on the cores in use. */
    readonly others: number;
    /** Time that a hypervisor took from the cores while they had work. */
    readonly stolen: number;
  };
  readonly answered: number;
  readonly failures: LoadResult['failures'];
}

/** Puts load on a server and reads the CPU meters of all processes over the same time. */
export async function measure(
  { redis, pinning }: Testbed,
  server: ServerProcess,
  plan: Omit<LoadPlan, 'port'>,
): Promise<Sample> {
  const pids = { server: server.pid, redis: redis.process.pid as number, load: process.pid };
  const read = () => ({
    server: cpuSeconds(pids.server),
    redis: cpuSeconds(pids.redis),
    load: cpuSeconds(pids.load),
    all: coreSeconds(pinning),
    stolen: stolenSeconds(coresInUse(pinning)),
  });
  const meters = { start: read(), end: read() };
  const result = await runLoad({ ...plan, port: server.port }, (edge) => {
    meters[edge] = read();
  });
  const used = {
    server: meters.end.server - meters.start.server,
    redis: meters.end.redis - meters.start.redis,
    load: meters.end.load - meters.start.load,
  };
  const others = meters.end.all - meters.start.all - used.server - used.redis - used.load;
  const perRequest = (seconds: number) => (seconds * 1e6) / result.answered;
  return {
    requestsPerSecond: result.answered / result.seconds,
    p50Ms: percentileMs(result.latency, 50),
    p99Ms: percentileMs(result.latency, 99),
    typicalSpread: median(result.windows.map((window) => window.percentile(99) / window.percentile(50))),
    cpuUs: { server: perRequest(used.server), redis: perRequest(used.redis), load: perRequest(used.load) },
    busy: {
      server: used.server / result.seconds,
      redisAndLoad: (used.redis + used.load) / result.seconds,
      others: Math.max(0, others) / result.seconds,
      stolen: (meters.end.stolen - meters.start.stolen) / result.seconds,
    },
    answered: result.answered,
    failures: result.failures,
  };
}

/** Returns the CPU seconds spent on the cores in use by all processes; on all cores if nothing is pinned. */
function coreSeconds({ serverCore, loadCore }: Pinning): number {
  const inUse = cpus().filter((_, core) => serverCore === undefined || core === serverCore || core === loadCore);
  return inUse.reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0) / 1000;
}

function coresInUse({ serverCore, loadCore }: Pinning): number[] | undefined {
  return serverCore === undefined || loadCore === undefined ? undefined : [serverCore, loadCore];
}
