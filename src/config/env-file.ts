import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { ConfigError, messageOf, systemErrorOf } from '../core/errors.ts';

/** The settings that a file contains. */
export interface EnvFile {
  /** One sentence for the log about the settings that were taken; undefined if no setting was taken. */
  readonly taken: string | undefined;
  /** All names, whether they were taken or not. */
  readonly names: readonly string[];
}

/**
 * Takes the settings of the file `.env` in a folder, as Node's --env-file does: a variable that the environment has stays as it is.
 * @param env gets the variables of the file.
 * @throws ConfigError when the file is there and cannot be read.
 */
export function takeEnvFile(env: Record<string, string | undefined>, folder = process.cwd()): EnvFile {
  // The tests of this repository set all that they need.
  if (env.NODE_ENV === 'test') return { taken: undefined, names: [] };
  const file = resolve(folder, '.env');
  const taken: string[] = [];
  const kept: string[] = [];
  // Some versions of Node sort the names, and others do not.
  const entries = Object.entries(parseEnv(contentOf(file))).sort();
  for (const [name, value = ''] of entries) {
    if (env[name] === undefined) env[name] = value;
    // An empty value counts as unset.
    if (value !== '') (env[name] === value ? taken : kept).push(name);
  }
  const names = entries.map(([name]) => name);
  if (taken.length === 0) return { taken: undefined, names };
  const others = kept.length === 0 ? '' : `; the environment has its own ${kept.join(', ')}`;
  return { taken: `settings from ${file}: ${taken.join(', ')}${others}`, names };
}

/** Returns the text of a file; empty for a missing file. A folder of this name is something else, such as an environment of Python. */
function contentOf(file: string): string {
  try {
    const text = readFileSync(file, 'utf8');
    // Other encodings, such as the UTF-16 of some programs for Windows, have a zero byte beside each letter.
    if (text.includes('\0')) throw new ConfigError([`.env cannot be read: save ${file} in the encoding UTF-8`]);
    return text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    if (/^(ENOENT|ENOTDIR|EISDIR)$/.test(systemErrorOf(error).code)) return '';
    throw new ConfigError([`.env cannot be read: ${messageOf(error)}. Let this user read it, or remove it`]);
  }
}
