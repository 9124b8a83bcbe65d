import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findOnPath } from '../dev/embedded-redis.ts';
import { cpuSeconds, type ServerProcess } from './processes.ts';
import { makeScratch } from './scratch.ts';

/** Measurements of one run of wrk. */
export interface WrkSample {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU time of the server a request, in microseconds. */
  readonly cpuUs: number;
  /** Number of answers with an error status and of requests without an answer. */
  readonly failed: number;
}

/** wrk with the prepared requests of the mix. */
export interface Wrk {
  /**
   * Puts load on a server from the core of this process. Seconds are rounded up to whole ones. Requests of the settling seconds, which
   * come first, count for the CPU time and for failures alone. @throws if wrk fails.
   */
  measure(server: ServerProcess, plan: WrkPlan): Promise<WrkSample>;
  remove(): void;
}

export interface WrkPlan {
  /** Index of the first request. */
  readonly from: number;
  readonly connections: number;
  readonly settleSeconds: number;
  readonly seconds: number;
}

/** The line that wrk-replay.lua prints. */
interface Printed {
  /** The answered requests of the whole run. */
  readonly total: number;
  /** Those that were answered after the settling seconds, and the seconds since. */
  readonly requests: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly failed: number;
  readonly unanswered: number;
}

const SCRIPT = fileURLToPath(new URL('./wrk-replay.lua', import.meta.url));

/** Writes the requests to a file for wrk; undefined if wrk is not on PATH. */
export function prepareWrk(requests: readonly Buffer[]): Wrk | undefined {
  const wrk = findOnPath(['wrk']);
  if (!wrk) return undefined;
  const { folder, remove } = makeScratch();
  const file = join(folder, 'requests.http');
  writeFileSync(file, Buffer.concat(requests));
  return {
    remove,
    measure: async ({ pid, port }, { from, connections, settleSeconds, seconds }) => {
      const cpuBefore = cpuSeconds(pid);
      const url = `http://127.0.0.1:${port}`;
      const load = ['-t', '1', '-c', String(connections), '-d', String(Math.ceil(settleSeconds + seconds))];
      const replay = [file, from, settleSeconds, connections].map(String);
      // A child inherits the core of this process.
      const { stdout } = await promisify(execFile)(wrk, [...load, '-s', SCRIPT, url, '--', ...replay]);
      return toSample(parseWrk(stdout), cpuSeconds(pid) - cpuBefore);
    },
  };
}

/** Parses the output of wrk with wrk-replay.lua. @throws if the script printed no result. */
export function parseWrk(output: string): Printed {
  const json = /^\{.*\}$/m.exec(output)?.[0];
  if (!json) throw new Error(`wrk printed no result:\n${output}`);
  return JSON.parse(json) as Printed;
}

function toSample({ total, requests, seconds, p50Ms, p99Ms, failed, unanswered }: Printed, cpu: number): WrkSample {
  return {
    requestsPerSecond: ((requests / seconds) * (total - failed)) / total,
    p50Ms,
    p99Ms,
    cpuUs: (cpu * 1e6) / total,
    failed: failed + unanswered,
  };
}
