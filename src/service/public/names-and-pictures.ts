import { avatarUrl, iconUrl } from '../../core/ranking/picture-hash.ts';
import type { PublicGuild } from '../../core/reads/public-page.ts';

/** Returns the name of a guild: the title of its page, else the name that the bot has told; null when there is neither. */
export function nameOfGuild({ title, about }: Pick<PublicGuild, 'title' | 'about'>): string | null {
  return title || about.name;
}

/**
 * Returns the address of a guild's icon: the picture of its page, else the icon that the bot has told, if the guild shows
 * pictures of Discord; null when there is neither.
 */
export function iconOf(
  { look, about, showsAvatars }: Pick<PublicGuild, 'look' | 'about' | 'showsAvatars'>,
  guildId: string,
): string | null {
  if (look.picture) return look.picture;
  return showsAvatars && about.icon ? iconUrl(guildId, about.icon, 128) : null;
}

/** Returns the address of a member's picture; null when the bot has told no picture. */
export function avatarOf({ avatars }: Pick<PublicGuild, 'avatars'>, userId: string): string | null {
  const hash = avatars.get(userId);
  return hash === undefined ? null : avatarUrl(userId, hash, 128);
}
