import { createHash } from 'node:crypto';
import { scriptNames, scriptSource } from '../../src/core/store/scripts.ts';

const names = new Map(
  scriptNames().map((name) => [createHash('sha1').update(scriptSource(name)).digest('hex'), name] as const),
);

/** Returns the name of the script with this digest, as EVALSHA sends it. */
export function scriptOf(sha: string): string | undefined {
  return names.get(sha);
}
