import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { findOnPath } from '../dev/embedded-redis.ts';

/** The cores of the server under test, of the load generator, and of Redis: with only two cores, Redis shares the core of the load generator. */
export interface Cores {
  readonly server: number;
  readonly load: number;
  readonly redis: number;
}

/**
 * Moves this process and its future children to one core, and keeps another for the server under test.
 * @returns undefined without taskset or a second core: then nothing is moved.
 */
export function pinToCores(): Cores | undefined {
  if (!findOnPath(['taskset']) || availableParallelism() < 2) return undefined;
  // It prints "pid 1's current affinity list: 0,2-5".
  const list =
    spawnSync('taskset', ['-c', '-p', String(process.pid)], { encoding: 'utf8' }).stdout.split(': ')[1] ?? '';
  const allowed = list.split(',').flatMap((range) => {
    const [from = 0, to = from] = range.split('-').map(Number);
    return Array.from({ length: to - from + 1 }, (_, n) => from + n);
  });
  const [server, load] = allowed as [number, number];
  const cores = { server, load, redis: allowed[2] ?? load };
  moveToCore(cores.load, process.pid);
  return cores;
}

/** Moves a process with all its threads to the core, if a core is given. @throws if taskset fails. */
export function moveToCore(core: number | undefined, pid: number): void {
  if (core === undefined) return;
  const { status } = spawnSync('taskset', ['-a', '-c', '-p', String(core), String(pid)]);
  if (status !== 0) throw new Error(`taskset could not move process ${pid} to core ${core}`);
}

/** Returns the command line that runs `command` on the core, if a core is given. */
export function onCore(core: number | undefined, command: readonly string[]): readonly string[] {
  return core === undefined ? command : ['taskset', '-c', String(core), ...command];
}
