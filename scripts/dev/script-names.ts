import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The Lua commands: the files of Lua in src that none includes, by name. */
export const SCRIPT_NAMES: readonly string[] = readdirSync(fileURLToPath(new URL('../../src', import.meta.url)), {
  recursive: true,
  encoding: 'utf8',
})
  .filter((path) => path.endsWith('.lua'))
  .map((path) => basename(path, '.lua'))
  .filter((name) => !/^(lib|command)-/.test(name))
  .sort();
