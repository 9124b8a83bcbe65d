import { isPictureHash } from '../ranking/picture-hash.ts';
import type { ClientStore } from '../store/store.ts';

/**
 * Reads the avatars of members, such as the members of a page: Discord's hashes, for `avatarUrl`. O(n) for n user ids, in one round trip; without
 * user ids, no round trip. It tells neither whether a user is a hidden member nor whether the owner of the guild wants avatars to be shown.
 * @returns the hash of each member who has an avatar, by user id.
 * @throws StoreUnavailableError
 */
export async function readAvatars(
  { client, redisKeys }: ClientStore,
  guildId: string,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const stored = userIds.length > 0 ? await client.hmget(redisKeys.guild(guildId).avatars, ...userIds) : [];
  return avatarsOf(userIds, stored);
}

/** Returns the avatars of users by their ids. A value that is no hash counts as no avatar. @param stored in the order of the ids. */
export function avatarsOf(userIds: readonly string[], stored: readonly (string | null)[]): ReadonlyMap<string, string> {
  return new Map(
    userIds.flatMap((userId, index): [string, string][] => {
      const hash = stored[index];
      return isPictureHash(hash) ? [[userId, hash]] : [];
    }),
  );
}
