import type { EntryData } from './api-data.ts';

/** A character that can be seen. Some letters are invisible, such as the Hangul fillers. */
const VISIBLE = /[^\p{DI}\p{Cc}\p{Cf}\p{Z}\p{M}\u2800]/u;

/** Returns the name of a member, or the id instead of a name that nobody can see. */
export function nameOf({ username, user_id }: Pick<EntryData, 'username' | 'user_id'>): string {
  return VISIBLE.test(username) ? username : user_id;
}

const segmenter = new Intl.Segmenter();

/** Returns the first visible character of a name, as people see characters. */
export function initialOf(name: string): string {
  const visible = name.slice(Math.max(0, name.search(VISIBLE)));
  const [first] = segmenter.segment(visible);
  return first?.segment.toLocaleUpperCase() ?? '';
}

/** Returns a hue, 0 to 359, that is always the same for an id. */
export function hueOf(id: string): number {
  let hash = 0;
  for (const character of id) hash = (Math.imul(hash, 31) + character.charCodeAt(0)) | 0;
  return (Math.imul(hash, 0x9e3779b1) >>> 0) % 360;
}
