/** Discord's hash of a picture: 32 hex digits; the hash of an animated picture begins with `a_`. */
const PICTURE_HASH = /^(?:a_)?[0-9a-f]{32}$/;

/** Returns whether a value is the hash of an avatar or of an icon of a guild, as Discord gives it. */
export function isPictureHash(value: unknown): value is string {
  return typeof value === 'string' && PICTURE_HASH.test(value);
}

/** The rule of {@link isPictureHash}, for messages after "must be". */
export const PICTURE_HASH_RULE = `a hash of Discord, which is 32 hex digits, with "a_" in front for an animated picture, or null`;

/** The host of the pictures. A page that shows some names it in its Content-Security-Policy. */
export const PICTURE_HOST = 'https://cdn.discordapp.com';

/** Sizes of pictures in pixels, as the host makes them. */
export type PictureSize = 32 | 64 | 128 | 256;

/** Returns the address of the avatar of a user. An animated avatar stands still there. Pure. @param host origin of another host. */
export function avatarUrl(
  userId: string,
  hash: string,
  size: PictureSize,
  { host = PICTURE_HOST, format = 'webp' }: { readonly host?: string; readonly format?: 'webp' | 'png' } = {},
): string {
  return `${host}/avatars/${encodeURIComponent(userId)}/${hash}.${format}?size=${size}`;
}

/** The id of a guild in the id of an archive, such as `123.2026-s1`. */
const ID_OF_GUILD = /^\d+(?=\.)/;

/** Returns the address of the icon of a guild, or of the guild whose archive it is. An animated icon stands still there. Pure. */
export function iconUrl(guildId: string, hash: string, size: PictureSize): string {
  const [id] = ID_OF_GUILD.exec(guildId) ?? [guildId];
  return `${PICTURE_HOST}/icons/${encodeURIComponent(id)}/${hash}.webp?size=${size}`;
}
