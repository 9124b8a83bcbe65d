import { spawnSync } from 'node:child_process';

/** Returns the first of these programs that runs, with these arguments. */
function firstThatRuns(programs: readonly string[], args: readonly string[]): string | undefined {
  return programs.find((program) => spawnSync(program, args, { stdio: 'ignore' }).status === 0);
}

/** A Python with redis-py; undefined if there is none. With REQUIRE_PYTHON=1 its absence is an error. */
export const python = firstThatRuns(['python3', '/usr/bin/python3'], ['-c', 'import redis.asyncio']);
/** A Python with discord.py too, whose types mypy reads. */
export const typedPython =
  firstThatRuns(['mypy'], ['--version']) &&
  firstThatRuns(['python3', '/usr/bin/python3'], ['-c', 'import redis.asyncio, discord']);

if (process.env.REQUIRE_PYTHON === '1' && !typedPython)
  throw new Error('REQUIRE_PYTHON=1, but redis-py, discord.py or mypy is missing');
