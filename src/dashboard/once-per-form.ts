import { LRUCache } from 'lru-cache';
import { hashToken } from '../core/access/invites.ts';

/** How long to remember the result of a form, in milliseconds. A person who presses a button twice does so within this time. */
const KEPT_MS = 10_000;
/** About how many bytes the remembered results may take. A result and its name, which is a hash, take {@link RESULT_BYTES}. */
const MAX_BYTES = 1024 * 1024;
const RESULT_BYTES = 1024;

/**
 * Returns a function that does the work of a form once, however often a person sends the form within ten seconds. Each call returns the result of the
 * first call. The function remembers neither a failure nor a result of null, and works within one process.
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
