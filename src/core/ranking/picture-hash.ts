/** Discord's hash of a picture: 32 hex digits, with `a_` before those of an animated picture. */
const PICTURE_HASH = /^(?:a_)?[0-9a-f]{32}$/;

/** Returns whether a value is the hash of an avatar or of an icon of a guild, as Discord gives it. */
export function isPictureHash(value: unknown): value is string {
  return typeof value === 'string' && PICTURE_HASH.test(value);
}
