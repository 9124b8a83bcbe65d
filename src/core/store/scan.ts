import type { RedisClient } from './client.ts';

/**
 * Walks over a sorted set in steps of about `size` members, in no order. A member can come twice. A member that is in the set throughout comes at
 * least once. O(n) in all, one round trip a step.
 * @returns lists of member, score, member, score and so on, with 1 to `size` members: ZSCAN returns a small set as a whole.
 * @throws StoreUnavailableError
 */
export function scanSortedSet(client: RedisClient, key: string, size: number): AsyncGenerator<string[]> {
  return scanPairs((cursor) => client.zscan(key, cursor, 'COUNT', size), size);
}

/** Walks over a hash as {@link scanSortedSet} does. @returns lists of field, value, field, value and so on. */
export function scanHash(client: RedisClient, key: string, size: number): AsyncGenerator<string[]> {
  return scanPairs((cursor) => client.hscan(key, cursor, 'COUNT', size), size);
}

async function* scanPairs(
  scan: (cursor: string) => Promise<[string, string[]]>,
  size: number,
): AsyncGenerator<string[]> {
  let cursor = '0';
  do {
    const [next, pairs] = await scan(cursor);
    for (let from = 0; from < pairs.length; from += 2 * size) yield pairs.slice(from, from + 2 * size);
    cursor = next;
  } while (cursor !== '0');
}

/** Returns the members of a step of {@link scanSortedSet} without their scores, or the fields of a hash. */
export function membersOf(scored: readonly string[]): string[] {
  return scored.filter((_, i) => i % 2 === 0);
}
