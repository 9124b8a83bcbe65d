import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../config/service.ts';

const CGROUPS = { groupFile: '/proc/self/cgroup', mount: '/sys/fs/cgroup' };

/** Returns the number of worker processes that the configuration asks for; "auto" = as many as can run at the same time. */
export function workerCount(workers: Config['workers']): number {
  return workers === 'auto' ? Math.min(availableParallelism(), cpuQuota()) : workers;
}

/**
 * Returns the whole CPUs that the control groups of this process allow, 1 at least; infinity without a limit. Reads `cpu.max` of the group of this
 * process and of the groups above it (Linux, cgroup v2).
 */
export function cpuQuota({ groupFile, mount } = CGROUPS): number {
  const group = /^0::(\/.*)$/m.exec(read(groupFile))?.[1];
  if (group === undefined) return Number.POSITIVE_INFINITY;
  const parts = group.split('/').filter((part) => part !== '');
  let least = Number.POSITIVE_INFINITY;
  for (let depth = parts.length; depth >= 0; depth--) {
    const [quota, period] = read(join(mount, ...parts.slice(0, depth), 'cpu.max'))
      .split(/\s+/)
      .map(Number);
    // "max" and a missing file are no numbers.
    if (quota && period) least = Math.min(least, quota / period);
  }
  return Math.max(1, Math.floor(least));
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
