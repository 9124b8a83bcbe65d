import type { Response } from 'express';
import { avatarUrl, PICTURE_HOST } from '../core/ranking/picture-hash.ts';
import { readAvatars } from '../core/reads/avatars.ts';
import type { ClientStore } from '../core/store/store.ts';

/** Lets a page load pictures from the host of Discord's pictures. Call it before the page is sent, and only where people know of that host. */
function allowPictures(res: Response): void {
  const policy = String(res.get('Content-Security-Policy'));
  res.set('Content-Security-Policy', policy.replace('img-src ', `img-src ${PICTURE_HOST} `));
}

/**
 * Returns the addresses of the pictures of members on a page, by user id, and lets the page load them. Returns an empty map if the owner of the guild
 * does not want to show pictures. One round trip.
 * @throws StoreUnavailableError
 */
export async function memberPictures(
  store: ClientStore,
  res: Response,
  guildId: string,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { client, redisKeys } = store;
  const [shows, avatars] = await Promise.all([
    client.hget(redisKeys.guild(guildId).config, 'avatars'),
    readAvatars(store, guildId, userIds),
  ]);
  if (shows !== '1' || avatars.size === 0) return new Map();
  allowPictures(res);
  return new Map([...avatars].map(([userId, hash]) => [userId, avatarUrl(userId, hash, 64)]));
}
