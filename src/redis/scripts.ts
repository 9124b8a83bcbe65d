import { readFileSync } from 'node:fs';

/** The Lua commands and how many keys each takes. One file a command, in ./lua, with its contract in the header. */
export const SCRIPT_KEYS = {
  record: 3,
  remove: 3,
  batch: 1,
  recount: 3,
  configure: 2,
  replace: 4,
} as const;

export type ScriptName = keyof typeof SCRIPT_KEYS;

/**
 * The complete source of a command, with its `--- @include NAME` lines replaced by the files they name: what SCRIPT LOAD
 * or EVAL takes from any language.
 * @throws when the installation lacks the file.
 */
export function scriptSource(name: string): string {
  const source = readFileSync(new URL(`./lua/${name}.lua`, import.meta.url), 'utf8');
  return source.replace(/^--- @include (\S+)$/gm, (_line, include: string) => scriptSource(include));
}
