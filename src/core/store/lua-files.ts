import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

/**
 * The files of Lua. The build of the kit replaces this module with a module that contains the files of the scripts that the kit calls
 * (scripts/dev/build-kit.mjs).
 */

/** src/core, whose folders have the scripts beside their callers. */
const SOURCES = new URL('..', import.meta.url);
/** A build of the service has all scripts in one folder, each with what it includes. */
const BUILT = new URL('../../lua/', import.meta.url);

let paths: ReadonlyMap<string, URL> | undefined;

function pathsByName(): ReadonlyMap<string, URL> {
  if (!paths) {
    const folder = existsSync(BUILT) ? BUILT : SOURCES;
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.lua'));
    paths = new Map(files.map((path) => [basename(path, '.lua'), new URL(path, folder)]));
  }
  return paths;
}

/** Returns the names of all files, without their ending. */
export function luaFiles(): string[] {
  return [...pathsByName().keys()];
}

/** Returns the text of a file. @throws when the installation lacks it. */
export function readLua(name: string): string {
  const path = pathsByName().get(name);
  if (!path) throw new Error(`The installation lacks ${name}.lua: install it again`);
  return readFileSync(path, 'utf8');
}
