import { readFileSync } from 'node:fs';

/** The version in package.json, which lies beside src and two folders above the compiled file. */
export const VERSION = readVersion(['../package.json', '../../package.json']);

function readVersion(places: readonly string[]): string {
  for (const place of places) {
    try {
      return (JSON.parse(readFileSync(new URL(place, import.meta.url), 'utf8')) as { version: string }).version;
    } catch {
      // Not there: the next place.
    }
  }
  return 'unknown';
}
