import type { Request } from 'express';

/** Returns whether a person has opened the address of a request in a browser. A program does not accept HTML, or sends an API key. */
export function isPerson({ headers }: Request): boolean {
  return headers.accept?.includes('text/html') === true && headers['x-api-key'] === undefined;
}
