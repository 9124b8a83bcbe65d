import type { PublicGuild } from '../../core/reads/public-page.ts';

/** The host of Discord's pictures. A page with one of them lets browsers load pictures from there. */
export const PICTURE_HOST = 'https://cdn.discordapp.com';

/** Returns the name of a guild: the title of its page, else what the bot calls it; null when there is neither. */
export function nameOfGuild({ title, about }: Pick<PublicGuild, 'title' | 'about'>): string | null {
  return title || about.name;
}

/** Returns the address of a guild's icon: the picture of its page, else the icon that the bot has told, if the guild shows pictures of Discord; null when there is neither. */
export function iconOf(
  { look, about, showsAvatars }: Pick<PublicGuild, 'look' | 'about' | 'showsAvatars'>,
  guildId: string,
): string | null {
  if (look.picture) return look.picture;
  return showsAvatars && about.icon
    ? `${PICTURE_HOST}/icons/${encodeURIComponent(guildId)}/${about.icon}.png?size=128`
    : null;
}

/** Returns the address of a member's picture; null when the bot has told none. */
export function avatarOf({ avatars }: Pick<PublicGuild, 'avatars'>, userId: string): string | null {
  const hash = avatars.get(userId);
  return hash === undefined ? null : `${PICTURE_HOST}/avatars/${encodeURIComponent(userId)}/${hash}.png?size=64`;
}
