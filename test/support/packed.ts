import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from './run-command.ts';

/** A tarball, with the paths of the files in it. */
interface Packed {
  readonly tarball: string;
  readonly files: readonly string[];
}

/**
 * Packs a package of this repository as it is built: test/support/entry.ts builds all of them before the tests.
 * @param path of the package, such as `./src/kit`.
 * @param target folder for the tarball.
 */
export async function pack(path: string, target: string): Promise<Packed> {
  const args = ['pack', path, '--ignore-scripts', '--json', '--pack-destination', target];
  const { code, stdout, stderr } = await runProgram('npm', args);
  if (code !== 0) throw new Error(stderr);
  const [{ filename, files }] = JSON.parse(stdout);
  return { tarball: join(target, filename), files: files.map((file: { path: string }) => file.path) };
}

/** Returns the packages that npm installs with the package in a folder. It leaves out optional peers. */
export function broughtBy(folder: string): string[] {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const { dependencies, optionalDependencies, peerDependencies = {}, peerDependenciesMeta = {} } = manifest;
  const required = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...required];
}
