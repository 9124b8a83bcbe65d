import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { findOnPath } from '../dev/embedded-redis.ts';

/** The cores of the processes; undefined where the system decides. */
export interface Pinning {
  readonly serverCore: number | undefined;
  readonly loadCore: number | undefined;
  /** Line for the report. */
  readonly description: string;
}

/**
 * Moves this process and its future children to one core, and keeps another for the server under test. Does nothing without
 * taskset or a second core.
 */
export function pinToTwoCores(): Pinning {
  const taskset = findOnPath(['taskset']);
  const cores = availableParallelism();
  if (!taskset || cores < 2) {
    const reason = taskset ? 'there is one core' : 'there is no taskset here';
    return { serverCore: undefined, loadCore: undefined, description: `nothing is pinned: ${reason}` };
  }
  const [serverCore, loadCore] = allowedCores(taskset);
  moveToCore(loadCore, process.pid);
  return {
    serverCore,
    loadCore,
    description: `the server under test on core ${serverCore}; load generator, XP writes and Redis on core ${loadCore}`,
  };
}

/** Moves a process with all its threads to the core, if there is one. @throws if taskset fails. */
export function moveToCore(core: number | undefined, pid: number): void {
  if (core === undefined) return;
  const { status } = spawnSync('taskset', ['-a', '-c', '-p', String(core), String(pid)]);
  if (status !== 0) throw new Error(`taskset could not move process ${pid} to core ${core}`);
}

/** Returns the command line that runs `command` on the core. */
export function onCore(core: number | undefined, command: readonly string[]): readonly string[] {
  return core === undefined ? command : ['taskset', '-c', String(core), ...command];
}

function allowedCores(taskset: string): [number, number] {
  const { stdout } = spawnSync(taskset, ['-c', '-p', String(process.pid)], { encoding: 'utf8' });
  const list = stdout.slice(stdout.lastIndexOf(':') + 1).trim();
  const cores = list.split(',').flatMap((range) => {
    const [from, to = from] = range.split('-').map(Number) as [number, number?];
    return Array.from({ length: (to as number) - from + 1 }, (_, n) => from + n);
  });
  return [cores[0] as number, cores[1] as number];
}
