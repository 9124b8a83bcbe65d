import { spawnSync } from 'node:child_process';
import { availableParallelism, cpus, release, type } from 'node:os';
import { findOnPath } from '../dev/embedded-redis.ts';

/** What the numbers were taken on. */
export function machine(): { readonly processor: string; readonly system: string; readonly redis: string } {
  const { stdout } = spawnSync(findOnPath() ?? '', ['--version'], { encoding: 'utf8' });
  return {
    processor: `${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${availableParallelism()} cores`,
    system: `${type()} ${release()}, Node ${process.version}`,
    redis: (stdout ?? '').trim(),
  };
}
