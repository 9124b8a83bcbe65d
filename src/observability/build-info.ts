import { readFileSync } from 'node:fs';

/** The version in package.json, which lies two folders above this file, compiled or not. */
export const VERSION = readVersion(new URL('../../package.json', import.meta.url));

function readVersion(file: URL): string {
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
