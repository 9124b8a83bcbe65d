import { spawnSync } from 'node:child_process';
import { availableParallelism, cpus, release, type } from 'node:os';
import { findRedisServer } from '../dev/embedded-redis.ts';
import { nodeVersion } from './runtime.ts';

export interface Machine {
  readonly processor: string;
  readonly system: string;
  readonly redis: string;
}

/**
 * Describes the machine and the versions that the numbers were measured with.
 * @param node Node binary of the servers under test.
 */
export function describeMachine(node: string): Machine {
  const { stdout } = spawnSync(findRedisServer() ?? '', ['--version'], { encoding: 'utf8' });
  const version = nodeVersion(node);
  const loadVersion = version === process.version ? '' : `; load generator on Node ${process.version}`;
  return {
    processor: `${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${availableParallelism()} cores`,
    system: `${type()} ${release()}, Node ${version}${loadVersion}`,
    redis: (stdout ?? '').trim(),
  };
}
