import { LRUCache } from 'lru-cache';
import { hashToken } from '../core/access/invites.ts';

/** How long the result of a form is remembered, in milliseconds: a person presses a button twice within that. */
const KEPT_MS = 10_000;
/** Bytes of what is remembered, about. A result takes {@link RESULT_BYTES} with its name, which is a hash. */
const MAX_BYTES = 1024 * 1024;
const RESULT_BYTES = 1024;

/**
 * Returns a function that does the work of a form once, however often the form is sent in ten seconds: each time with the result of the first. A
 * failure, and a result of null, is not remembered. In one process.
 */
export function oncePerForm<T extends object | null>() {
  const results = new LRUCache<string, Promise<T>>({
    maxSize: MAX_BYTES,
    sizeCalculation: () => RESULT_BYTES,
    ttl: KEPT_MS,
  });
  return (form: string, work: () => Promise<T>): Promise<T> => {
    const name = hashToken(form);
    const known = results.get(name);
    if (known) return known;
    const result = work();
    results.set(name, result);
    const forget = () => {
      if (results.get(name) === result) results.delete(name);
    };
    result.then((value) => value ?? forget(), forget);
    return result;
  };
}
