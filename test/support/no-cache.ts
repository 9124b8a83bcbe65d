import { ResponseCache } from '../../src/service/serving/response-cache.ts';

/** Returns a cache that keeps nothing. */
export function noCache(): ResponseCache<string> {
  return new ResponseCache({ maxEntries: 0, maxBytes: 0, sizeOf: () => 1, admits: () => true, now: () => 0 });
}
