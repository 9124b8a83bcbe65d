import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Need } from './needs.ts';
import { repository, runProgram } from './run-command.ts';

/** The Python that Debian installs its packages for. */
export const PYTHON = '/usr/bin/python3';

/** What {@link installPythonKit} needs. */
export const PYTHON_KIT: readonly Need[] = ['python3-redis', 'python3-venv', 'python3-build', 'python3-hatchling'];

/** The kit for Python in a virtual environment of its own. */
export interface PythonKit {
  /** The program of the environment. It finds Debian's packages too, such as redis-py. */
  readonly python: string;
  /** Where the wheel was installed. */
  readonly folder: string;
}

/**
 * Builds the kit for Python, a source distribution and from that a wheel, and installs the wheel.
 * @param folder a new one, for all that this makes.
 */
export async function installPythonKit(folder: string): Promise<PythonKit> {
  mkdirSync(folder);
  const built = join(folder, 'built');
  const environment = join(folder, 'environment');
  const run = async (program: string, ...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runProgram(program, args, { env: { PYTHONDONTWRITEBYTECODE: '1' } });
    if (code !== 0) throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}${stderr}`);
    return stdout;
  };
  // No registry of Python is asked. Debian's hatchling says that it needs a package that is for editable installations only.
  const source = join(repository, 'python');
  await run(PYTHON, '-m', 'build', '--no-isolation', '--skip-dependency-check', '--outdir', built, source);
  await run(PYTHON, '-m', 'venv', '--system-site-packages', environment);
  const python = join(environment, 'bin/python');
  const wheels = readdirSync(built).filter((name) => name.endsWith('.whl'));
  await run(python, '-m', 'pip', 'install', '--no-index', ...wheels.map((name) => join(built, name)));
  const found = await run(python, '-c', 'import guildrank; print(*guildrank.__path__)');
  return { python, folder: found.trim() };
}
