import { cpus } from 'node:os';
import { type LoadPlan, type LoadResult, putLoad } from './load.ts';
import type { Pinning } from './pinning.ts';
import { cpuSeconds, type ServerProcess, stolenSeconds } from './processes.ts';
import type { Stage } from './stage.ts';
import { median } from './table.ts';

/** What one stretch of load showed. */
export interface Sample {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** p99 over p50 within a tenth of a second, the median of them all: what stalls of the machine leave untouched. */
  readonly typicalSpread: number;
  /** Processor time a request, in microseconds. */
  readonly cpuUs: { readonly server: number; readonly redis: number; readonly load: number };
  /** Parts of a core that were busy, 1 = all of it. */
  readonly busy: {
    readonly server: number;
    readonly redisAndLoad: number;
    /** Everything else that ran on the cores in use. */
    readonly others: number;
    /** What a hypervisor kept from them while they had work. */
    readonly stolen: number;
  };
  readonly answered: number;
  readonly failures: LoadResult['failures'];
}

/** Puts load on a server and reads the processor meters of all sides over the same time. */
export async function measure(
  { redis, pinning }: Stage,
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
  const result = await putLoad({ ...plan, port: server.port }, (edge) => {
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
    p50Ms: result.latency.percentile(0.5),
    p99Ms: result.latency.percentile(0.99),
    typicalSpread: median(result.windows.map((window) => window.percentile(0.99) / window.percentile(0.5))),
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

/** Processor seconds spent on the two cores in use, by whatever process; on all cores when nothing is pinned. */
function coreSeconds({ serverCore, loadCore }: Pinning): number {
  const inUse = cpus().filter((_, core) => serverCore === undefined || core === serverCore || core === loadCore);
  return inUse.reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0) / 1000;
}

function coresInUse({ serverCore, loadCore }: Pinning): number[] | undefined {
  return serverCore === undefined || loadCore === undefined ? undefined : [serverCore, loadCore];
}
